package discord

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// inboxOf is an inbox with one request, and a note.
func inboxOf(note string) render.Card {
	return render.Inbox(render.InboxView{Total: 1, Note: note, Items: []render.InboxItem{{Subject: one()}}}, (&Connector{}).Limits())
}

func wantIn(t *testing.T, where, sees string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(sees, text) {
			t.Errorf("no %q %s:\n%s", text, where, sees)
		}
	}
}

func TestCommandShowsInbox(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{ModeHTTP, ModeGateway} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, nil, func(c *Config) { c.Inbox = true })
				var shown atomic.Pointer[platform.InboxResponder]
				w.script = func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					last, ok := r.(platform.InboxResponder)
					shown.Store(&last)
					switch {
					case !i.Inbox || !ok || i.Private || i.Message != inboxRef():
						return errors.New("not an act in an inbox")
					case i.Token.Verb == render.OpenText:
						return r.OpenForm(ctx, render.WriteForm(one(), 0))
					}
					return last.ShowInbox(ctx, inboxOf("Last: "+string(i.Token.Verb)+i.Texts[0]))
				}
				w.listen()
				time.Sleep(time.Second)
				seat := w.sim.Seat(idDana)
				if err := seat.Command(t.Context(), deploys, "askbridge inbox", nil); err != nil {
					t.Fatal(err, w.log, w.sim.Timeline())
				}
				time.Sleep(time.Second)
				wantIn(t, "after the command", seat.Sees(), "Your inbox", "Which database?", "[Postgres]", "Last: e")
				if got := w.sim.Seat(idSam).Sees(); strings.Contains(got, "inbox") {
					t.Errorf("Sam sees\n%s", got)
				}
				if err := seat.Press(t.Context(), "SQLite"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				wantIn(t, "after a press", seat.Sees(), "Last: c")
				life := (*shown.Load()).InboxLife()
				time.Sleep(life - time.Minute)
				if err := (*shown.Load()).ShowInbox(t.Context(), inboxOf("news")); err != nil {
					t.Fatal(err)
				}
				wantIn(t, "after a change", seat.Sees(), "news")
				if err := errors.Join(seat.Press(t.Context(), "Other…"), seat.Fill(t.Context(), "", "MySQL"), seat.Submit(t.Context())); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				wantIn(t, "after a form", seat.Sees(), "Last: WMySQL")
			})
		})
	}
}

// The command is made once, in every start.
func TestCommandIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, func(c *Config) { c.Inbox = true })
		w.listen()
		time.Sleep(time.Minute) // Discord allows one new session in five seconds.
		again := w.another(ModeGateway, func(c *Config) { c.Inbox = true })
		stop := w.run(again)
		time.Sleep(time.Second)
		stop()
		if n := strings.Count(w.log.String(), "discord command registered"); n != 1 {
			t.Errorf("registered %d times:\n%s", n, w.log)
		}
	})
}

func TestOtherCommandsAreIgnored(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"another command":    `{"name":"other","options":[{"name":"inbox"}]}`,
		"another subcommand": `{"name":"askbridge","options":[{"name":"outbox"}]}`,
		"no subcommand":      `{"name":"askbridge"}`,
	} {
		p, err := decode([]byte(`{"id":"700000000000000001","application_id":"` + ourID + `","type":2,"token":"t","member":{"user":{"id":"` + idDana + `"}},"data":` + raw + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.interaction(ourID); !errors.Is(err, errUnwanted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The command does nothing in a server that is not listed, and works in direct messages.
func TestInboxInUnlistedServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil, func(c *Config) { c.Inbox, c.Servers = true, []string{theirs} })
		opened := 0
		w.script = func(ctx context.Context, _ platform.Interaction, r platform.Responder) error {
			opened++
			return r.(platform.InboxResponder).ShowInbox(ctx, inboxOf("news"))
		}
		w.listen()
		time.Sleep(time.Second)
		w.sim.Expect("endpoint.status")
		if err := w.sim.Seat(idDana).Command(t.Context(), deploys, "askbridge inbox", nil); err == nil || opened > 0 {
			t.Errorf("in a server that is not listed: %v, opened %d times", err, opened)
		}
		if err := w.sim.Seat(idDana).Command(t.Context(), w.sim.DM(idDana), "askbridge inbox", nil); err != nil || opened != 1 {
			t.Errorf("in direct messages: %v, opened %d times", err, opened)
		}
	})
}
