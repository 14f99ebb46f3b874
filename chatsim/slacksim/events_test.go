package slacksim_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// subscriber is an app that gets events over HTTP.
type subscriber struct {
	mu     sync.Mutex
	status int // of the next responses; 200 unless set
	takes  time.Duration
	got    []obj
	header []http.Header
}

func (a *subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body obj
	if err != nil || json.Unmarshal(raw, &body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if word, asked := body["challenge"].(string); asked {
		_, _ = io.WriteString(w, word)
		return
	}
	time.Sleep(a.takes)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got, a.header = append(a.got, body), append(a.header, r.Header)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
}

// events returns the events so far, without their envelopes.
func (a *subscriber) events() []obj {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []obj
	for _, body := range a.got {
		out = append(out, body["event"].(obj))
	}
	return out
}

// subscribed is a workspace whose app gets events over HTTP.
func subscribed(t *testing.T) (*slacksim.Server, *subscriber) {
	t.Helper()
	sim := slacksim.Start(t, &slacksim.Options{Events: []string{slacksim.EventMessage, slacksim.EventAppMention}})
	a := &subscriber{}
	host := chatsim.Serve(a)
	t.Cleanup(func() { _ = host.Close() })
	sim.DeliverTo("http://app.sim/", host.Client())
	if err := sim.EventsTo(t.Context(), "http://app.sim/events"); err != nil {
		t.Fatal(err)
	}
	return sim, a
}

func TestMessageEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		dana := sim.Seat("U0000001")
		api := client(sim)
		for name, tc := range map[string]struct {
			do   func() error
			want map[string]any // by type and subtype
		}{
			"a message": {func() error { _, err := dana.Say("C0000001", "", "hello"); return err }, map[string]any{"message": "hello"}},
			"a mention comes twice": {
				func() error { _, err := dana.Say("C0000001", "", "<@U0000BOT> hello"); return err },
				map[string]any{"message": "<@U0000BOT> hello", "app_mention": "<@U0000BOT> hello"},
			},
			"a direct message": {func() error { _, err := dana.Say(sim.DM("U0000001"), "", "psst"); return err }, map[string]any{"message": "psst"}},
			"its own messages, edits and deletions": {func() error {
				_, ts, err := api.PostMessage("C0000001", slackapi.MsgOptionText("one", false))
				if err == nil {
					_, _, _, err = api.UpdateMessage("C0000001", ts, slackapi.MsgOptionText("two", false))
				}
				if err == nil {
					_, _, err = api.DeleteMessage("C0000001", ts)
				}
				return err
			}, map[string]any{"message": "one", "message_changed": "two", "message_deleted": "two"}},
			"nothing where it is no member": {func() error {
				sim.Remove("C0000002", "U0000BOT")
				_, err := dana.Say("C0000002", "", "secret")
				return err
			}, map[string]any{}},
		} {
			a.mu.Lock()
			a.got = nil
			a.mu.Unlock()
			if err := tc.do(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			synctest.Wait()
			got := map[string]any{}
			for _, e := range a.events() {
				kind, _ := e["subtype"].(string)
				text := e["text"]
				if kind == "" {
					kind = e["type"].(string)
				}
				if changed, ok := e["message"].(obj); ok {
					text = changed["text"]
				} else if before, ok := e["previous_message"].(obj); ok {
					text = before["text"]
				}
				got[kind] = text
			}
			if len(got) != len(tc.want) {
				t.Errorf("%s: received %v, want %v", name, got, tc.want)
			}
			for kind, text := range tc.want {
				if got[kind] != text {
					t.Errorf("%s: %s: %v, want %v", name, kind, got[kind], text)
				}
			}
		}
	})
}

// Unacknowledged events are retried at once, after a minute and after five more.
func TestEventRedelivery(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		leave func(*testing.T, *slacksim.Server)
		want  int
	}{
		"four times in all":                     {func(*testing.T, *slacksim.Server) {}, 4},
		"no more once the app has unsubscribed": {unsubscribe, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim, a := subscribed(t)
				sim.Expect("ack.status")
				a.status = http.StatusInternalServerError
				if _, err := sim.Seat("U0000001").Say("C0000001", "", "hello"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if n := len(a.events()); n != 2 {
					t.Errorf("it came %d times at once, want twice", n)
				}
				tc.leave(t, sim)
				time.Sleep(10 * time.Minute)
				if n := len(a.events()); n != tc.want {
					t.Fatalf("it came %d times, want %d", n, tc.want)
				}
				last := a.header[tc.want-1]
				if last.Get("X-Slack-Retry-Num") != strconv.Itoa(tc.want-1) || last.Get("X-Slack-Retry-Reason") != "http_error" ||
					a.got[0]["event_id"] != a.got[tc.want-1]["event_id"] {
					t.Errorf("the last one comes with %v", last)
				}
			})
		})
	}
}

func unsubscribe(t *testing.T, sim *slacksim.Server) {
	t.Helper()
	if err := sim.Unsubscribe(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestUnsubscribeWaitsForEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, a := subscribed(t)
		a.takes = time.Second
		if _, err := sim.Seat("U0000001").Say("C0000001", "", "hello"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		unsubscribe(t, sim)
		if took, n := time.Since(began), len(a.events()); took != time.Second || n != 1 {
			t.Errorf("it was over after %v and %d events, want a second and one", took, n)
		}
		if _, err := sim.Seat("U0000001").Say("C0000001", "", "anybody?"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(a.events()); n != 1 {
			t.Errorf("%d events came, want no more than one", n)
		}
	})
}

func TestEventsNeedURLVerification(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		sim.Expect("events.challenge")
		host := chatsim.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
		t.Cleanup(func() { _ = host.Close() })
		sim.DeliverTo("http://app.sim/", host.Client())
		if err := sim.EventsTo(t.Context(), "http://app.sim/events"); err == nil || !strings.Contains(err.Error(), "challenge") || sim.EventsURL() != "" {
			t.Errorf("the address is taken: %v", err)
		}
	})
}

func TestEventsOverSocketMode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{Events: []string{slacksim.EventMessage}})
		conn := dial(t, sim)
		var envelope obj
		if err := errors.Join(conn.ReadJSON(&envelope)); err != nil || envelope["type"] != "hello" {
			t.Fatalf("the greeting is %v, %v", envelope, err)
		}
		if _, err := sim.Seat("U0000001").Say("C0000001", "", "hello"); err != nil {
			t.Fatal(err)
		}
		for attempt := range 2 { // The first one is not acknowledged.
			envelope = nil
			if err := conn.ReadJSON(&envelope); err != nil {
				t.Fatal(err)
			}
			event, _ := envelope["payload"].(obj)["event"].(obj)
			if envelope["type"] != "events_api" || event["text"] != "hello" || envelope["retry_attempt"] != float64(attempt) {
				t.Errorf("attempt %d comes as %v", attempt, envelope)
			}
		}
		sim.Expect("ack.in_time")
		if err := conn.WriteJSON(obj{"envelope_id": envelope["envelope_id"]}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(sim.Timeline().Events(chatsim.Acknowledged)); n != 1 {
			t.Errorf("%d events are acknowledged, want one", n)
		}
	})
}

func TestHangUpDropsIdleConnections(t *testing.T) {
	t.Parallel()
	sim := slacksim.New(nil)
	t.Cleanup(func() { _ = sim.Close() })
	var opened atomic.Int64
	app := httptest.NewUnstartedServer(&subscriber{})
	app.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	app.Start()
	t.Cleanup(app.Close)
	for _, want := range []int64{1, 1, 2} {
		if want == 2 {
			sim.HangUp()
		}
		if err := sim.EventsTo(t.Context(), app.URL); err != nil {
			t.Fatal(err)
		}
		if got := opened.Load(); got != want {
			t.Errorf("%d connections, want %d", got, want)
		}
	}
}
