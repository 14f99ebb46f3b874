package slack

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a workspace, a connector in it, and a bridge that does as scripted.
type fixture struct {
	t   *testing.T
	sim *slacksim.Server
	c   *Connector
	log *logbuffer.Buffer

	stop  context.CancelFunc
	ended chan error

	mu     sync.Mutex
	script platform.Handler
	acts   []platform.Interaction
}

// inBothModes runs a test in a world with HTTP and in one with Socket Mode.
func inBothModes(t *testing.T, script platform.Handler, f func(t *testing.T, w *fixture)) {
	t.Helper()
	for _, mode := range []string{ModeHTTP, ModeSocket} {
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

func newFixture(t *testing.T, mode string, opts *slacksim.Options) *fixture {
	t.Helper()
	if opts == nil {
		opts = &slacksim.Options{}
	}
	opts.BotToken, opts.AppToken, opts.SigningSecret = canaryBot, canaryApp, canarySecret
	sim := slacksim.Start(t, opts)
	w := &fixture{t: t, sim: sim, log: &logbuffer.Buffer{}, script: ackIt}
	c, err := New(Config{
		BotToken: canaryBot, AppToken: canaryApp, SigningSecret: canarySecret, APIURL: sim.URL() + "/api", Mode: mode,
		HTTPClient: sim.Client(), NetDialContext: sim.Dial, Logger: w.log.Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.c = c
	if mode == ModeHTTP {
		sim.DeliverToHandler("/slack/interactions", c.Handler())
	}
	t.Cleanup(func() {
		for _, secret := range []string{"canary", "/actions/", "ticket=", "v0="} {
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("%q is in the log:\n%s", secret, w.log)
			}
		}
		for _, e := range sim.Timeline().Events(chatsim.Warned) {
			if strings.HasPrefix(e.Text, "note.argument:") {
				t.Errorf("%s was called with what it does not know: %s", e.Where, e.Text)
			}
		}
	})
	return w
}

// listen runs the connector until the test ends or stop is called, and waits
// until it is ready.
func (w *fixture) listen() {
	w.t.Helper()
	w.start()
	if err := w.c.Ready(); err != nil {
		w.t.Fatalf("Ready = %v\n%s", err, w.log)
	}
}

// start is listen for a connector that cannot be ready yet.
func (w *fixture) start() {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	w.stop, w.ended = stop, make(chan error, 1)
	go func() {
		defer close(w.ended)
		w.ended <- w.c.Listen(ctx, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
			w.mu.Lock()
			w.acts = append(w.acts, i)
			script := w.script
			w.mu.Unlock()
			return script(ctx, i, r)
		})
	}()
	w.t.Cleanup(func() {
		stop()
		if err := <-w.ended; err != nil {
			w.t.Errorf("Listen = %v", err)
		}
	})
	synctest.Wait()
}

func (w *fixture) then(script platform.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.script = script
}

// last is the act that arrived last.
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
	w.must(w.sim.Seat(person).AwaitText(ctx, texts...))
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

func several() render.Subject {
	s := one()
	s.Questions = append(s.Questions, ask.Question{
		Text: "What else?", Header: "Extras", MultiSelect: true,
		Options: []ask.Option{{Label: "Docs"}, {Label: "Tests"}, {Label: "Metrics"}},
	})
	return s
}

func answered(s render.Subject) render.Subject {
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

// press uses a button and lets everything settle that follows at once.
func (w *fixture) press(person, label string) {
	w.t.Helper()
	w.must(w.sim.Seat(person).Press(w.t.Context(), label))
	synctest.Wait()
}

const (
	idDana  = "U0000001"
	idSam   = "U0000002"
	idRobin = "U0000009"
)

func ephemeralReply(text string) platform.Handler {
	return func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
		return r.ReplyEphemeral(ctx, platform.Note{Text: text})
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

func oneCard(c *Connector) render.Card { return render.Layout(one(), c.Limits()) }
