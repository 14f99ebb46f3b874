package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

const (
	// simPause lets a person see the answered card before the next one comes.
	simPause = 2 * time.Second
	// simPlay bounds a scripted answer, and how long the bridge may take to be ready.
	simPlay = 30 * time.Second
	// simLook is the pause between two looks whether the bridge is ready.
	simLook = 5 * time.Millisecond
)

// simulation is one run of the simulator.
type simulation struct {
	world   *fixture
	out     io.Writer
	preview bool
	as      string // the person who answers
	scenes  sceneList
	scene   int // the sample agent begins with this one
	answers []scripted
	once    bool
	noAgent bool
}

func newSim() *cobra.Command {
	s := &simulation{}
	m := &alone{}
	var mocked bool
	var o worldOptions
	var scene, level, path string
	var answers []string
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Try it: a bridge, a mock Slack and Discord, and a sample agent",
		Long: `sim runs everything on this machine: the bridge, a strict mock Slack, a strict mock Discord, and a
sample agent that asks on both. Open the link and answer like a person would. Your choice reaches
the bridge as a signed request of the platform, and the agent through the HTTP API. The card on
the other platform then shows it too.

The bridge is the same as in askbridge serve and listens on the same address, so your own agents can use it:
curl, askbridge ask, an MCP client, a hook. The page shows what they send and receive, and has a form
that sends requests.

With --answer a person of the mock answers for you, on Slack if both platforms run.
Name a question by its header, text or number, and separate several labels with commas. Text that is
not a label becomes the Other answer.

With --config the bridge has the routes, people and policies of that file, the mocks have its channels and people, and the
sample agent asks on each route. The first two people are in every group. Nothing else in the file is used: no tokens,
store, agents, calendars, threads or not_requester.

With --mocks there is no bridge, only a strict Slack and a strict Discord on fixed ports, for your own bots
in any language. A control API acts as a person, injects faults and lists the rules that were
broken: docs/mocks.md.

Scenes, which are also on the page:
` + listScenes() + `
Exit codes: 0 answered, 1 something failed, 2 wrong usage, 3 ended without an answer (with --once),
130 interrupted before an answer (with --once).`,
		Example: `  askbridge sim
  askbridge sim --no-agent
  askbridge sim --scene wrong --platform discord
  askbridge sim --once --answer "Database=Postgres"
  askbridge sim --once --answer "Database=Postgres" --answer "Checks=Smoke tests, a look at the logs"
  askbridge sim --config askbridge.yaml
  askbridge sim --mocks
  askbridge sim --mocks --fail-on-violation -- npm test`,
		Args: m.arguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := errors.Join(apart(cmd, "no-agent", "scene", "answer", "once"), apart(cmd, "config", "platform", "mocks"))
			if err != nil {
				return err
			}
			if s.answers, err = parseAnswers("--answer", answers); err != nil {
				return usage(err)
			}
			if o.platform != onBoth && !slices.Contains(simPlatforms(), o.platform) {
				return usage(fmt.Errorf("--platform %q: it can be %s or %s", o.platform, strings.Join(simPlatforms(), ", "), onBoth))
			}
			s.scenes = simScenes
			if path != "" {
				if o.preview, err = loadPreview(path); err != nil {
					return err
				}
				s.scenes = o.preview.scenes()
			}
			if s.scene, err = s.scenes.choose(scene, s.answers); err != nil {
				return usage(err)
			}
			if o.log, err = newLogger(cmd.ErrOrStderr(), level, "auto"); err != nil {
				return usage(err)
			}
			s.out = cmd.OutOrStdout()
			if mocked {
				return m.run(cmd.Context(), s.out, cmd.ErrOrStderr(), o)
			}
			return s.run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.platform, "platform", onBoth, "the `platform` to ask on: "+strings.Join(simPlatforms(), ", ")+" or "+onBoth)
	flags.StringVar(&scene, "scene", "", "begin with the scene of this `name`")
	flags.BoolVar(&s.noAgent, "no-agent", false, "no sample agent: wait for requests of your own")
	flags.StringArrayVar(&answers, "answer", nil, "answer a question of the first scene, as in `\"Database=Postgres\"`; repeat it for each question")
	flags.BoolVar(&s.once, "once", false, "ask one scene, wait for its end, and exit")
	flags.StringVar(&s.as, "as", "", "the `person` who answers: Dana, Sam or Kim (default Dana), or one of --config")
	flags.StringVar(&path, "config", "", "preview the routes, people and policies of this `file`")
	flags.StringVar(&o.listen, "listen", "", "the bridge listens on this loopback `address` (default "+simBridgeAt+", or the next free port)")
	flags.StringVar(&o.addr, "addr", "", "serve the page on this loopback `address` (default "+simPage+", or the next free port)")
	flags.StringVar(&o.gallery, "gallery", "", "draw the golden cards of this `folder` in the gallery, in place of the ones built in")
	flags.StringVar(&level, "log-level", "error", "the `level` of the log: debug, info, warn or error")
	m.flags(cmd, &mocked)
	return cmd
}

// findPerson finds one of the people by name, the first without one.
func findPerson(people []string, name string) (string, error) {
	if name == "" {
		return people[0], nil
	}
	i := slices.IndexFunc(people, func(p string) bool { return strings.EqualFold(p, name) })
	if i < 0 {
		return "", usage(fmt.Errorf("--as %q: the people are %s", name, strings.Join(people, ", ")))
	}
	return people[i], nil
}

// run plays scene after scene until ctx ends, or one with once.
func (s *simulation) run(ctx context.Context, o worldOptions) error {
	o.scenes = s.scenes
	w, err := startWorld(o)
	if err != nil {
		return err
	}
	defer w.close()
	s.world, s.preview = w, o.preview != nil
	if s.as, err = findPerson(w.people, s.as); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-w.broke:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	if err := w.ready(ctx); err != nil {
		if ctx.Err() != nil {
			return s.over(ctx)
		}
		return err
	}
	fmt.Fprintf(s.out, "%s are running on this machine.\n\n", s.parts())
	if !s.once || len(s.answers) == 0 {
		s.printAddresses()
	}
	if s.noAgent {
		fmt.Fprint(s.out, "Waiting for requests. Ctrl-C ends this.\n")
		<-ctx.Done()
		return s.over(ctx)
	}
	for n := s.scene; ; n = s.scenes.after(n) {
		err := s.ask(ctx, s.scenes[n])
		switch {
		case ctx.Err() != nil:
			return s.over(ctx)
		case err != nil || s.once:
			return err
		}
		s.answers = nil
		select {
		case <-time.After(simPause):
		case <-ctx.Done():
		}
	}
}

// over waits until the simulator is stopped or a part of it fails.
func (s *simulation) over(ctx context.Context) error {
	switch why := context.Cause(ctx); {
	case !errors.Is(why, context.Canceled):
		return why
	case s.once:
		return &exit{exitInterrupted, errors.New("interrupted before there was an answer")}
	}
	fmt.Fprintln(s.out, "\nBye.")
	return nil
}

// printAddresses prints all addresses and how agents use them.
func (s *simulation) printAddresses() {
	link := s.world.link
	if s.as != s.world.people[0] {
		link += "#" + url.PathEscape(s.as) // The page takes this person's place.
	}
	at := s.world.url
	taken := ""
	if at != "http://"+simBridgeAt {
		taken = "   (not " + simBridgeAt + ", which askbridge ask would try by itself)"
	}
	fmt.Fprintf(s.out, `  Page     %s
  Bridge   %s%s

Ask it something of your own, from another terminal:

  curl -s '%s/v1/requests?wait=60s' -d '{"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}]}'

  export ASKBRIDGE_URL=%s
  askbridge ask "Deploy now?" Yes No
  claude mcp add --transport http askbridge %s/mcp
  askbridge hook claude install --url %s

`, link, at, taken, at, at, at, at)
	if s.preview {
		fmt.Fprintf(s.out, "The routes are %s: \"route\" in a request, --route of askbridge ask.\n\n", strings.Join(s.scenes.names(), ", "))
	}
}

// ask plays one scene.
func (s *simulation) ask(ctx context.Context, what simScene) error {
	r, err := what.request()
	if err != nil {
		return err
	}
	made, err := s.submit(ctx, what, r)
	if err != nil {
		return err
	}
	s.printAsked(r)
	if err := s.answer(ctx, r, made); err != nil {
		return err
	}
	ended, err := s.world.client.Wait(ctx, made.ID)
	if err != nil {
		return err
	}
	return s.printEnded(ended)
}

// submit hands a scene in: a request, or the tool input of a host as that sends it.
func (s *simulation) submit(ctx context.Context, what simScene, r ask.Request) (*client.Request, error) {
	const session = "sim"
	call := "sim-" + rand.Text()[:12]
	if what.form == plainRequest {
		r.ToolCallID, r.Session = call, session
		return s.world.client.Submit(ctx, r)
	}
	got, err := s.world.client.SubmitTool(ctx, client.ToolCall{
		Dialect: what.form, Input: []byte(what.body()),
		Request: ask.Request{Key: call, Session: session, Responders: []string{ask.Anyone}},
	})
	if err != nil {
		return nil, err
	}
	if got.RequestID == "" {
		return nil, fmt.Errorf("the scene %s was refused: %s", what.name, got.Body)
	}
	return s.world.client.Get(ctx, got.RequestID)
}

// answer plays the scripted answers, if there are any.
func (s *simulation) answer(ctx context.Context, r ask.Request, made *client.Request) error {
	choices, err := matchAnswers(r.Questions, s.answers)
	if err != nil || choices == nil || made.Ended() {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, simPlay)
	defer cancel()
	return play(ctx, s.world.seat(s.as), r.Language, r.Questions, choices)
}

// parts names what runs.
func (s *simulation) parts() string {
	parts := []string{"A bridge"}
	for _, d := range s.world.doubles {
		parts = append(parts, "a mock "+d.title)
	}
	if !s.noAgent {
		parts = append(parts, "a sample agent")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func (s *simulation) printAsked(r ask.Request) {
	place := "in #deploys"
	switch {
	case s.preview:
		place = "on the route " + r.Route
	case r.Route == danaRoute:
		place = "in Dana's direct messages"
	}
	fmt.Fprintf(s.out, "%s asks %s:\n\n", cmp.Or(r.Agent, "The sample agent"), place)
	for _, q := range r.Questions {
		fmt.Fprintf(s.out, "  %s\n", q.Text)
		var labels []string
		for _, o := range q.Options {
			labels = append(labels, o.Label)
		}
		if !q.NoOther {
			labels = append(labels, "your own words")
		}
		how := ""
		if q.MultiSelect {
			how = " (any number)"
		}
		fmt.Fprintf(s.out, "    %s%s\n", strings.Join(labels, " / "), how)
	}
	if s.answers == nil {
		fmt.Fprint(s.out, "\nWaiting for your answer on the page. Ctrl-C ends this.\n")
	}
	fmt.Fprintln(s.out)
}

// printEnded prints what the agent got. With once, an end without an answer and a broken rule of the platform are errors.
func (s *simulation) printEnded(r *client.Request) error {
	broken := 0
	for _, d := range s.world.doubles {
		for _, v := range d.Ledger().Unexpected() {
			broken++
			fmt.Fprintf(s.out, "A rule of %s was broken: %s\n", d.title, v)
		}
	}
	if r.State == ask.Answered {
		fmt.Fprintf(s.out, "%s answered. The agent got:\n\n%s\n", s.name(r.By), indent(r.Text))
		if broken > 0 && s.once {
			return fmt.Errorf("%d rules of the platforms were broken", broken)
		}
		return nil
	}
	text := fmt.Sprintf("The question ended without an answer: %s", r.State)
	if r.By.ID != "" {
		text += " by " + s.name(r.By)
	} else if r.Reason != "" {
		text += " (" + r.Reason + ")"
	}
	fmt.Fprintf(s.out, "%s.\n\n", text)
	if s.once {
		return &exit{code: exitUnanswered}
	}
	return nil
}

// indent moves every line that is not blank to the right.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			line = "  " + line
		}
		b.WriteString(line)
	}
	return b.String() + "\n"
}

// name is what people call each other on both platforms.
func (s *simulation) name(who ask.Person) string {
	for _, d := range s.world.doubles {
		for _, p := range d.People {
			if p.ID == who.ID {
				return p.Name
			}
		}
	}
	return who.ID
}
