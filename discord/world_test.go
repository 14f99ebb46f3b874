package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	idDana   = "300000000000000001"
	idSam    = "300000000000000002"
	idKim    = "300000000000000003"
	deploys  = "200000000000000001"
	general  = "200000000000000002"
	idThread = "200000000000000003"
	// otherThread is a thread of #general.
	otherThread = "200000000000000004"
)

// fixture is a server, a connector in it, and a scripted bridge.
type fixture struct {
	t   *testing.T
	sim *discordsim.Server
	c   *Connector
	log *logbuffer.Buffer
	// stop stops the connector.
	stop func()

	mu     sync.Mutex
	script platform.Handler
	acts   []platform.Interaction
}

// inBothModes runs a test in a world with HTTP and in one with the gateway.
func inBothModes(t *testing.T, script platform.Handler, f func(t *testing.T, w *fixture)) {
	t.Helper()
	for _, mode := range []string{ModeHTTP, ModeGateway} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, nil)
				w.script = script
				w.listen()
				f(t, w)
			})
		})
	}
}

func newFixture(t *testing.T, mode string, opts *discordsim.Options, more ...func(*Config)) *fixture {
	t.Helper()
	if opts == nil {
		opts = &discordsim.Options{Channels: []discordsim.Channel{
			{ID: deploys, Name: "deploys"},
			{ID: general, Name: "general"},
			{ID: idThread, Name: "deploy-4.2", Parent: deploys},
			{ID: otherThread, Name: "lunch", Parent: general},
		}}
	}
	opts.BotToken = canaryToken
	sim := discordsim.Start(t, opts)
	w := &fixture{t: t, sim: sim, log: &logbuffer.Buffer{}, script: ackIt}
	w.c = w.another(mode, more...)
	if mode == ModeHTTP {
		sim.DeliverToHandler("/discord/interactions", w.c.Handler())
	}
	t.Cleanup(func() {
		for _, secret := range []string{"canary", "sim-interaction-token"} {
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("%q is in the log:\n%s", secret, w.log)
			}
		}
	})
	return w
}

// another returns a second connector for the same bot.
func (w *fixture) another(mode string, more ...func(*Config)) *Connector {
	w.t.Helper()
	cfg := Config{
		BotToken: canaryToken, ApplicationID: ourID, APIURL: w.sim.APIURL(), Mode: mode,
		HTTPClient: w.sim.Client(), NetDialContext: w.sim.Dial, Logger: w.log.Logger(),
	}
	if mode == ModeHTTP {
		cfg.PublicKey = w.sim.PublicKey()
	}
	for _, change := range more {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// listen runs the connector until the test ends.
func (w *fixture) listen() {
	w.t.Helper()
	w.stop = w.run(w.c)
	synctest.Wait()
	if err := w.c.Ready(); err != nil {
		w.t.Fatalf("Ready = %v\n%s", err, w.log)
	}
}

// run lets a connector listen until the test ends or stop is called.
func (w *fixture) run(c *Connector) (stop func()) {
	w.t.Helper()
	return listening(w.t, c, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
		w.mu.Lock()
		w.acts = append(w.acts, i)
		script := w.script
		w.mu.Unlock()
		return script(ctx, i, r)
	})
}

func (w *fixture) then(script platform.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.script = script
}

// last is the latest act.
func (w *fixture) last() platform.Interaction {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.acts) == 0 {
		w.t.Fatalf("no interaction arrived\n%s", w.log)
	}
	return w.acts[len(w.acts)-1]
}

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, w.log, w.sim.Timeline())
	}
}

// sees waits until a person sees all of the texts.
func (w *fixture) sees(person string, texts ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	err := w.sim.Seat(person).Await(ctx, func(sees string) bool {
		for _, text := range texts {
			if !strings.Contains(sees, text) {
				return false
			}
		}
		return true
	})
	if err != nil {
		w.t.Fatalf("%v: %s does not see %q in\n%s\n%s\n%s", err, person, texts, w.sim.Seat(person).Sees(), w.log, w.sim.Timeline())
	}
}

func (w *fixture) doesNotSee(person, text string) {
	w.t.Helper()
	synctest.Wait()
	if sees := w.sim.Seat(person).Sees(); strings.Contains(sees, text) {
		w.t.Errorf("%s sees %q in\n%s", person, text, sees)
	}
}

func one() render.Subject {
	return render.Subject{
		ID: rid, Agent: "deploy-bot", Eligible: ask.Eligible{Anyone: true}, Outcome: ask.Outcome{State: ask.Open},
		Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
}

// many has more questions than one form holds.
func many() render.Subject {
	s := one()
	for n := range 6 {
		s.Questions = append(s.Questions, ask.Question{
			Text: fmt.Sprintf("Extras for stage %d?", n+2), Header: fmt.Sprintf("Stage %d", n+2), MultiSelect: true,
			Options: []ask.Option{{Label: "Docs"}, {Label: "Tests"}, {Label: "Metrics"}},
		})
	}
	return s
}

func decided(s render.Subject) render.Subject {
	s.Outcome = ask.Outcome{State: ask.Answered, By: dana, At: time.Now(), Answers: []ask.Answer{{
		Index: 0, Question: "Which database?", Header: "Database", Selected: []string{"SQLite"}, By: dana, At: time.Now(),
	}}}
	return s
}

func (w *fixture) card(s render.Subject) render.Card { return render.Layout(s, w.c.Limits()) }

func (w *fixture) post(to ask.Place, s render.Subject) platform.MessageRef {
	w.t.Helper()
	ref, err := w.c.Post(w.t.Context(), to, w.card(s))
	w.must(err)
	return ref
}

// postInTurn posts as soon as Discord has room for the card.
func (w *fixture) postInTurn(to ask.Place, s render.Subject) {
	w.t.Helper()
	for {
		_, err := w.c.Post(w.t.Context(), to, w.card(s))
		e, waits := errors.AsType[*platform.Error](err)
		if !waits || e.Kind != platform.RateLimited {
			w.must(err)
			return
		}
		pass(e.RetryAfter)
	}
}

// press uses a button and waits for its immediate effects.
func (w *fixture) press(person, label string) {
	w.t.Helper()
	w.must(w.sim.Seat(person).Press(w.t.Context(), label))
	synctest.Wait()
}

func ephemeralReply(text string) platform.Handler {
	return func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
		return r.ReplyEphemeral(ctx, platform.Note{Text: text})
	}
}

// redraw answers with a card.
func (w *fixture) redraw(s render.Subject) platform.Handler {
	return func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
		return r.Redraw(ctx, w.card(s))
	}
}

func writeForm(ctx context.Context, i platform.Interaction, r platform.Responder) error {
	if i.Token.Verb != render.OpenText {
		return fmt.Errorf("unexpected %v", i.Token)
	}
	return r.OpenForm(ctx, render.WriteForm(one(), i.Token.Question))
}

// pass lets the bubble's time pass.
func pass(d time.Duration) { time.Sleep(d) }
