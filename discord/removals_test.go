package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/memory"
)

// engine is a bridge on the fixture's server whose requests end with it.
type engine struct {
	*bridge.Bridge

	w    *fixture
	stop func()
}

func (w *fixture) engine(c *Connector, s bridge.Store) *engine {
	w.t.Helper()
	b, err := bridge.New(s, []platform.Platform{c}, &bridge.Options{IDSecret: []byte("secret of the test"), Logger: w.log.Logger()})
	w.must(err)
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 2)
	go func() { ended <- b.Run(ctx) }()
	go func() {
		c.FinishRemovals(ctx, func(ctx context.Context, server, reason string) error {
			return bridge.Leave(ctx, b, Name, server, reason)
		})
		ended <- nil
	}()
	e := &engine{b, w, func() {
		cancel()
		if err := errors.Join(<-ended, <-ended); err != nil {
			w.t.Error(err)
		}
	}}
	<-c.Listening()
	pass(2 * identifySpace)
	synctest.Wait()
	return e
}

func (e *engine) ask(to ...ask.Place) string {
	e.w.t.Helper()
	r, err := e.Submit(e.w.t.Context(), ask.Request{
		Key: fmt.Sprint(to), To: to, Responders: []string{"anyone"},
		Questions: []ask.Question{{Text: "Deploy?", Header: "Deploy", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
	})
	e.w.must(err)
	synctest.Wait()
	return r.Record.ID
}

func (e *engine) state(id, want string) {
	e.w.t.Helper()
	synctest.Wait()
	r, err := e.Load(e.w.t.Context(), id)
	if err != nil || !strings.HasPrefix(string(r.Outcome.State)+" "+r.Outcome.Reason, want) {
		e.w.t.Errorf("%+v: %+v, %v, want %q\n%s", r.Copies, r.Outcome, err, want, e.w.log)
	}
}

const removed = "failed " + removedReason

func TestRemovalEndsTheRequestsOfItsServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, serving(ours, theirs))
		w.sim.Join(theirs, "Globex")
		e := w.engine(w.c, memory.New())
		defer e.stop()
		direct := ask.Place{Platform: Name, User: idDana}
		channel, thread := e.ask(inChannel), e.ask(ask.Place{Platform: Name, Channel: deploys, Thread: idThread})
		named := e.ask(ask.Place{Platform: Name, Installation: ours, Channel: general})
		private, both := e.ask(direct), e.ask(inChannel, direct)
		w.sim.Outage(ours)
		w.sim.Leave(theirs)
		pass(time.Hour)
		for _, id := range []string{channel, thread, named, private, both} {
			e.state(id, "open")
		}
		w.sim.Recover(ours)
		w.sim.Leave(ours)
		for _, id := range []string{channel, thread, named} {
			e.state(id, removed)
		}
		e.state(private, "open")
		e.state(both, "open")
		w.must(w.sim.Seat(idDana).Press(t.Context(), "Yes"))
		w.sim.Join(ours, "")
		synctest.Wait()
		again := e.ask(ask.Place{Platform: Name, Installation: ours, Channel: deploys})
		w.must(w.sim.Seat(idDana).Press(t.Context(), "Yes"))
		e.state(again, "answered")
	})
}

// The bot is removed while no replica runs. The next session learns of it.
func TestRemovalDuringAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, serving(ours, theirs))
		w.sim.Join(theirs, "Globex")
		store := memory.New()
		e := w.engine(w.c, store)
		id := e.ask(ask.Place{Platform: Name, Installation: ours, Channel: deploys})
		e.stop()
		w.sim.Leave(ours)
		next := w.engine(w.another(ModeGateway, serving(ours, theirs)), store)
		defer next.stop()
		next.state(id, removed)
	})
}

// The store is away when the bot is removed.
func TestRemovalIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, serving(ours))
		w.c.heard(eventServer, json.RawMessage(`{"id":"`+ours+`","channels":[{"id":"`+deploys+`"}]}`))
		w.c.heard(eventServerGone, json.RawMessage(`{"id":"`+ours+`"}`))
		w.c.heard(eventServerGone, json.RawMessage(`{"id":"`+theirs+`"}`)) // Not listed.
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		tries := 0
		w.c.FinishRemovals(ctx, func(_ context.Context, server, reason string) error {
			if tries++; tries < 3 {
				return errors.New("store is away")
			}
			if at := w.c.InstallationOf(inChannel, platform.MessageRef{}); server != ours || reason != removedReason || at != ours {
				t.Errorf("ended %s: %s; the channel is of %q", server, reason, at)
			}
			return nil
		})
		if tries != 3 || len(w.c.servers.home) != 0 {
			t.Errorf("%d tries, channels %v", tries, w.c.servers.home)
		}
	})
}
