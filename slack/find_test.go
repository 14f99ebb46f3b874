package slack

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
)

func TestFindCardAfterLostResponse(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(*fixture) ask.Place{
		"in a channel": func(*fixture) ask.Place { return inChannel },
		"in a thread": func(w *fixture) ask.Place {
			root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
			w.must(err)
			return ask.Place{Platform: Name, Channel: "C0000001", Thread: root}
		},
		"with a person": func(*fixture) ask.Place { return ask.Place{Platform: Name, User: idDana} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, nil)
				to := where(w)
				if refs, err := w.c.Find(t.Context(), to, rid, time.Time{}); err != nil || len(refs) > 0 {
					t.Fatalf("Find = %v, %v before anything was posted", refs, err)
				}
				other := one()
				other.ID = "p0OTHER"
				w.post(to, other)
				w.sim.Fault("chat.postMessage", chatsim.LoseReply())
				_, err := w.c.Post(t.Context(), to, w.card(one()))
				var e *platform.Error
				if !errors.As(err, &e) || e.Kind != platform.Ambiguous {
					t.Fatalf("Post = %v, want it to be unclear", err)
				}
				second := w.post(to, one())
				refs, err := w.c.Find(t.Context(), to, rid, time.Time{})
				w.must(err)
				if len(refs) != 2 || refs[1] != second || refs[0].Message >= second.Message {
					t.Errorf("Find = %v, want two with %v last", refs, second)
				}
			})
		})
	}
}

func TestFindCardBelowManyMessages(t *testing.T) {
	t.Parallel()
	for name, inThread := range map[string]bool{"in a channel": false, "in a thread": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, nil)
				to := inChannel
				if inThread {
					root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
					w.must(err)
					to.Thread = root
				}
				talk := func() {
					for n := range 250 {
						_, err := w.sim.Seat(idSam).Say("C0000001", to.Thread, strconv.Itoa(n))
						w.must(err)
					}
				}
				if inThread {
					talk() // A thread is read from its begin.
				}
				card := w.post(to, one())
				if !inThread {
					talk()
				}
				refs, err := w.c.Find(t.Context(), to, rid, time.Time{})
				w.must(err)
				if diff := cmp.Diff([]platform.MessageRef{card}, refs); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if n := len(w.sim.Calls("conversations.history", "conversations.replies")); n != 2 {
					t.Errorf("%d pages were read, want two", n)
				}
			})
		})
	}
}

// TestFindCardInLongThread: a thread was read from its beginning, hundreds of messages before the card, and a card
// that was not found was posted again.
func TestFindCardInLongThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		root, err := w.sim.Seat(idSam).Say("C0000001", "", "Deploy 4.2?")
		w.must(err)
		for n := range findPages * findPage {
			_, err := w.sim.Seat(idSam).Say("C0000001", root, strconv.Itoa(n))
			w.must(err)
		}
		pass(time.Hour)
		to, since := ask.Place{Platform: Name, Channel: "C0000001", Thread: root}, time.Now()
		card := w.post(to, one())
		if refs, err := w.c.Find(t.Context(), to, rid, since); err != nil || !slices.Equal(refs, []platform.MessageRef{card}) {
			t.Errorf("Find = %v, %v, want %v", refs, err, card)
		}
	})
}

func TestFindNeedsHistoryScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, &slacksim.Options{BotScopes: []string{"chat:write"}})
		w.post(inChannel, one())
		refs, err := w.c.Find(t.Context(), inChannel, rid, time.Time{})
		var e *platform.Error
		if !errors.As(err, &e) || e.Code != "missing_scope" || refs != nil {
			t.Errorf("Find = %v, %v", refs, err)
		}
	})
}

// history answers conversations.history with these messages and the rest as
// little as possible.
func history(t *testing.T, reply string) *Connector {
	t.Helper()
	c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "auth.test") {
			return replying(200, whoami)(r)
		}
		return replying(200, reply)(r)
	})
	return c
}

func TestFindIgnoresOtherAuthors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		metadata := `"metadata":{"event_type":"askbridge_request","event_payload":{"request_id":"` + rid + `"}}`
		c := history(t, `{"ok":true,"messages":[
			{"ts":"9.000009","user":"U0000BOT","bot_id":"B0000001",`+metadata+`},
			{"ts":"8.000008","user":"U0000002",`+metadata+`},
			{"ts":"7.000007","bot_id":"B0000666",`+metadata+`},
			{"ts":"6.000006","user":"U0000BOT","metadata":"odd","blocks":7},
			{"ts":{"odd":1},"user":"U0000BOT",`+metadata+`},
			{"ts":"5.000005","user":"U0000BOT","blocks":[{"type":"actions","elements":[{"action_id":"1:`+rid+`:c:0:0"}]}]},
			{"ts":"5.000006","user":"U0000BOT","blocks":[{"type":"actions","elements":[{"action_id":"2:`+rid+`.k3v9k3v9k3:c:0:0"}]}]},
			{"ts":"5.000007","user":"U0000BOT","blocks":[{"type":"actions","elements":[{"action_id":"3:`+rid+`.k3v9k3v9k3.1:c:0:0"}]}]},
			{"ts":"4.000004","user":"U0000BOT","blocks":[{"type":"actions","elements":[{"action_id":"1:p0OTHER:c:0:0"}]}]},
			{"ts":"10.000001","bot_id":"B0000001",`+metadata+`},
			"nonsense"]}`)
		refs, err := c.Find(t.Context(), inChannel, rid, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, ref := range refs {
			got = append(got, ref.Message)
		}
		if diff := cmp.Diff([]string{"5.000005", "5.000006", "5.000007", "9.000009", "10.000001"}, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestFindGivesUpAfterPageLimit(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"with a cursor":    `{"ok":true,"messages":[],"has_more":true,"response_metadata":{"next_cursor":"abc"}}`,
		"without a cursor": `{"ok":true,"messages":[],"has_more":true}`,
		"no JSON":          `<html>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				refs, err := history(t, reply).Find(t.Context(), inChannel, rid, time.Time{})
				var e *platform.Error
				if !errors.As(err, &e) || refs != nil {
					t.Errorf("Find = %v, %v", refs, err)
				}
			})
		})
	}
}
