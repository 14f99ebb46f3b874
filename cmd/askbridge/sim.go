package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
)

const (
	// simPause lets a person see the answered card before the next one comes.
	simPause = 2 * time.Second
	// simPlay bounds a scripted answer.
	simPlay = 30 * time.Second
)

// simulation is one run of the simulator.
type simulation struct {
	world   *world
	out     io.Writer
	as      simPerson
	first   int
	answers []scripted
	once    bool
}

func newSim() *cobra.Command {
	var addr, set, as, level, gallery, platform string
	var answers []string
	var once bool
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Try it: a bridge, a mock Slack and Discord, and a sample agent",
		Long: `sim runs everything on this machine: the bridge, a strict mock Slack, a strict mock Discord, and a
sample agent that asks on both. Open the link and answer like a person would; what you choose
travels to the bridge as the platform's own signed requests, and back to the agent through the
HTTP API. The card on the other platform then says so too.

With --answer a person of the mock answers for you, on the same way; where there are both, on Slack.
A question is named by its header, its text or its number; several labels are parted by commas, and
what is no label is written as the other answer.

Sets of questions:
` + listSamples() + `
Exit codes: 0 answered, 1 something failed, 2 wrong usage, 3 ended without an answer (with --once),
130 interrupted before an answer (with --once).`,
		Example: `  askbridge sim
  askbridge sim --platform discord
  askbridge sim --once --answer "Database=Postgres"
  askbridge sim --once --answer "Database=Postgres" --answer "Checks=Smoke tests, a look at the logs"`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			script, err := parseAnswers(answers)
			if err != nil {
				return usage(err)
			}
			if !slices.Contains([]string{onSlack, onDiscord, onBoth}, platform) {
				return usage(fmt.Errorf("--platform %q: it can be slack, discord or both", platform))
			}
			person, err := findPerson(as)
			if err != nil {
				return usage(err)
			}
			first, err := chooseSample(set, script)
			if err != nil {
				return usage(err)
			}
			log, err := newLogger(cmd.ErrOrStderr(), level, "auto")
			if err != nil {
				return usage(err)
			}
			s := &simulation{out: cmd.OutOrStdout(), as: person, first: first, answers: script, once: once}
			return s.run(cmd.Context(), worldOptions{platform: platform, addr: addr, gallery: gallery, log: log})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&platform, "platform", onBoth, "the `platform` to ask on: slack, discord or both")
	flags.StringVar(&set, "set", "", "begin with the set of this `name`")
	flags.StringArrayVar(&answers, "answer", nil, "answer a question of the first set, as in `\"Database=Postgres\"`; repeat it for each question")
	flags.BoolVar(&once, "once", false, "ask one set, wait for its end, and exit")
	flags.StringVar(&as, "as", simPeople[0].name, "the `person` who answers: Dana, Sam or Kim")
	flags.StringVar(&addr, "addr", "", "serve the page on this loopback `address` (default "+simPage+", or any free port)")
	flags.StringVar(&gallery, "gallery", "", "also draw the golden cards of this `folder`, under /gallery")
	flags.StringVar(&level, "log-level", "error", "the `level` of the log: debug, info, warn or error")
	return cmd
}

// findPerson finds one of the people by name.
func findPerson(name string) (simPerson, error) {
	var names []string
	for _, p := range simPeople {
		if strings.EqualFold(p.name, name) {
			return p, nil
		}
		names = append(names, p.name)
	}
	return simPerson{}, fmt.Errorf("--as %q: the people are %s", name, strings.Join(names, ", "))
}

func listSamples() string {
	var b strings.Builder
	for _, s := range samples() {
		fmt.Fprintf(&b, "  %-8s %s\n", s.name, s.about)
	}
	return b.String()
}

// run plays set after set until ctx ends, or one with once.
func (s *simulation) run(ctx context.Context, o worldOptions) error {
	w, err := startWorld(o)
	if err != nil {
		return err
	}
	defer w.close()
	s.world = w
	fmt.Fprintf(s.out, "A bridge, %s and a sample agent are running on this machine.\n\n", s.mocks())
	if !s.once || len(s.answers) == 0 {
		link := w.link
		if s.as != simPeople[0] {
			link += "#" + url.PathEscape(s.as.name) // The page takes this person's place.
		}
		fmt.Fprintf(s.out, "  Open  %s\n\n", link)
	}
	all := samples()
	for n := s.first; ; n++ {
		err := s.ask(ctx, all[n%len(all)])
		switch {
		case ctx.Err() != nil && s.once:
			return &exit{exitInterrupted, errors.New("interrupted before there was an answer")}
		case ctx.Err() != nil:
			fmt.Fprintln(s.out, "\nBye.")
			return nil
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

// ask plays one set.
func (s *simulation) ask(ctx context.Context, what sample) error {
	r := what.request
	r.ToolCallID = "sim-" + rand.Text()[:12]
	r.Session = "sim"
	r.To = s.world.places()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-s.world.broke:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	made, err := s.world.client.Submit(ctx, r)
	if err != nil {
		return err
	}
	s.tellAsked(r)
	if err := s.answer(ctx, r, made); err != nil {
		return err
	}
	ended, err := s.world.client.Wait(ctx, made.ID)
	if err != nil {
		return err
	}
	s.note(ended)
	return s.tellEnded(ended)
}

// note shows on the page what the agent got.
func (s *simulation) note(r *api.Request) {
	text, err := json.Marshal(struct {
		State   ask.State    `json:"state"`
		Answers []ask.Answer `json:"answers,omitempty"`
		Reason  string       `json:"reason,omitempty"`
	}{r.State, r.Answers, r.Reason})
	if err != nil {
		text = []byte(err.Error())
	}
	s.world.notes.Add(r.Agent, string(text))
}

// answer plays the scripted answers, if there are any.
func (s *simulation) answer(ctx context.Context, r ask.Request, made *api.Request) error {
	choices, err := matchAnswers(r.Questions, s.answers)
	if err != nil || choices == nil || made.Ended() {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, simPlay)
	defer cancel()
	return play(ctx, s.world.seat(s.as), r.Questions, choices)
}

// mocks names what is mocked.
func (s *simulation) mocks() string {
	switch {
	case s.world.discord == nil:
		return "a mock Slack"
	case s.world.slack == nil:
		return "a mock Discord"
	}
	return "a mock Slack, a mock Discord"
}

func (s *simulation) tellAsked(r ask.Request) {
	fmt.Fprintf(s.out, "%s asks in #deploys:\n\n", r.Agent)
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

// tellEnded prints what the agent got. With once, an end without an answer and a broken rule of the platform are errors.
func (s *simulation) tellEnded(r *api.Request) error {
	broken := 0
	for brand, rules := range s.world.broken() {
		broken += len(rules)
		for _, v := range rules {
			fmt.Fprintf(s.out, "A rule of %s was broken: %s\n", brand, v)
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
	i := slices.IndexFunc(simPeople, func(p simPerson) bool { return p.slack == who.ID || p.discord == who.ID })
	if i < 0 {
		return who.ID
	}
	return simPeople[i].name
}
