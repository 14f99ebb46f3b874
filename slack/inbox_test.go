package slack

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// inboxOf is an inbox with one request, and a note.
func inboxOf(note string) render.Card {
	return render.Inbox(render.InboxView{Total: 1, Note: note, Items: []render.InboxItem{{Subject: one()}}}, (&Connector{}).Limits())
}

// inInboxes runs a test in both modes, with a bridge that shows an inbox for each act in one.
func inInboxes(t *testing.T, f func(t *testing.T, w *fixture, shown *atomic.Pointer[platform.InboxResponder])) {
	t.Helper()
	for _, mode := range []string{ModeHTTP, ModeSocket} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, &slacksim.Options{Commands: []string{Command}, Events: []string{EventHome}})
				var shown atomic.Pointer[platform.InboxResponder]
				w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
					last, _ := r.(platform.InboxResponder)
					shown.Store(&last)
					switch {
					case !i.Inbox || last == nil || i.Message != inboxRef():
						return errors.New("not an act in an inbox")
					case i.Token.Verb == render.OpenText:
						return r.OpenForm(ctx, render.WriteForm(one(), 0))
					}
					return last.ShowInbox(ctx, inboxOf("Last: "+string(i.Token.Verb)+i.Texts[0]))
				})
				w.listen()
				if mode == ModeHTTP {
					w.must(w.sim.EventsTo(t.Context(), w.sim.RequestURL()))
				}
				f(t, w, &shown)
			})
		})
	}
}

func wantIn(t *testing.T, where, sees string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(sees, text) {
			t.Errorf("no %q %s:\n%s", text, where, sees)
		}
	}
}

func TestHomeTabShowsInbox(t *testing.T) {
	t.Parallel()
	inInboxes(t, func(t *testing.T, w *fixture, shown *atomic.Pointer[platform.InboxResponder]) {
		home := w.sim.Seat(idDana).OpenHome()
		synctest.Wait()
		wantIn(t, "on the Home tab", home.Sees(), "Your inbox", "Which database?", "[Postgres]", "Last: e")
		if i := w.last(); i.Token != render.InboxToken(0) || i.Person.ID != idDana {
			t.Errorf("opened by %+v", i)
		}
		if life := (*shown.Load()).InboxLife(); life != homeLife {
			t.Errorf("a Home tab is kept up to date for %v", life)
		}
		w.must(home.Press(t.Context(), "SQLite"))
		synctest.Wait()
		wantIn(t, "after a press", home.Sees(), "Last: c")
		if i := w.last(); i.Token.Request != rid || i.Token.Option != 1 || i.Private {
			t.Errorf("pressed %+v", i)
		}
		w.must(home.Press(t.Context(), "Other…"))
		synctest.Wait()
		w.must(w.sim.Seat(idDana).Fill(t.Context(), "", "MySQL"))
		w.must(w.sim.Seat(idDana).Submit(t.Context()))
		synctest.Wait()
		wantIn(t, "after a form", home.Sees(), "Last: WMySQL")
		if got := w.sim.Seat(idSam).Home().Sees(); got != "" {
			t.Errorf("Sam sees\n%s", got)
		}
	})
}

func TestCommandShowsInbox(t *testing.T) {
	t.Parallel()
	inInboxes(t, func(t *testing.T, w *fixture, shown *atomic.Pointer[platform.InboxResponder]) {
		seat := w.sim.Seat(idDana)
		for _, words := range []string{"", "inbox", "help"} {
			w.must(seat.Command(t.Context(), "C0000001", Command, words))
			synctest.Wait()
			want := render.InboxToken(0)
			if words == "help" {
				want = render.InboxHelp()
			}
			if got := w.last().Token; got != want {
				t.Errorf("%q opens %+v", words, got)
			}
		}
		wantIn(t, "after the command", seat.Sees(), "Your inbox", "Last: e")
		w.doesNotSee(idSam, "Your inbox")
		if life := (*shown.Load()).InboxLife(); life != 0 {
			t.Errorf("an ephemeral message is kept up to date for %v", life)
		}
		w.must(seat.Press(t.Context(), "SQLite"))
		synctest.Wait()
		wantIn(t, "after a press", seat.Sees(), "Last: c")
		w.must(seat.Press(t.Context(), "Other…"))
		synctest.Wait()
		w.must(seat.Fill(t.Context(), "", "MySQL"))
		w.must(seat.Submit(t.Context()))
		synctest.Wait()
		wantIn(t, "after a form", seat.Sees(), "Last: WMySQL")
	})
}

// Two replicas publish a Home tab: the one that knows an older version reads again, and then publishes.
func TestHomeTabConflict(t *testing.T) {
	t.Parallel()
	inInboxes(t, func(t *testing.T, w *fixture, shown *atomic.Pointer[platform.InboxResponder]) {
		home := w.sim.Seat(idDana).OpenHome()
		time.Sleep(time.Second)
		if shown.Load() == nil {
			t.Fatal(w.log, w.sim.Timeline())
		}
		w.c.only.homes.set(idDana, "an older one")
		err := (*shown.Load()).ShowInbox(t.Context(), inboxOf("late"))
		e, ok := errors.AsType[*platform.Error](err)
		if !ok || e.Kind != platform.Transient || e.Code != "hash_conflict" {
			t.Fatalf("a conflict ends with %v", err)
		}
		w.must((*shown.Load()).ShowInbox(t.Context(), inboxOf("read again")))
		wantIn(t, "after another try", home.Sees(), "read again")
	})
}

func TestForeignInboxesAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		w.listen()
		for name, raw := range map[string]string{
			"another workspace": `{"command":"/askbridge","user_id":"U0000001","team_id":"T0000099","response_url":"https://x.example"}`,
			"nobody":            `{"command":"/askbridge","response_url":"https://x.example"}`,
			"no address":        `{"command":"/askbridge","user_id":"U0000001"}`,
			"no JSON":           `{`,
		} {
			if got := w.c.inboxes.commanded([]byte(raw), arrival{at: time.Now()}, nil); got != dropped {
				t.Errorf("a command of %s: %v", name, got)
			}
		}
		for name, raw := range map[string]string{
			"another workspace": `{"type":"event_callback","team_id":"T0000099","event":{"type":"app_home_opened","tab":"home","user":"U0000001"}}`,
			"the messages tab":  `{"type":"event_callback","team_id":"T0000001","event":{"type":"app_home_opened","tab":"messages","user":"U0000001"}}`,
			"nobody":            `{"type":"event_callback","team_id":"T0000001","event":{"type":"app_home_opened","tab":"home"}}`,
		} {
			if got := w.c.heard([]byte(raw), arrival{at: time.Now()}, nil); got != dropped {
				t.Errorf("a Home tab of %s: %v", name, got)
			}
		}
	})
}
