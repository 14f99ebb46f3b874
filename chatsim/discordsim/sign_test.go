package discordsim_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestEndpointVerification(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	got := listenTo(t, sim)
	put(t, sim, once(question("a1", "Yes"), 1))
	if err := sim.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 20 { // Forged requests are mixed in.
		if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(got.data()); n != 20 || sim.Endpoint() == "" {
		t.Errorf("the app received %d presses, the endpoint is %q", n, sim.Endpoint())
	}
}

func TestEndpointRemoval(t *testing.T) {
	t.Parallel()
	pong := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"type":1}`)
	}
	for name, tc := range map[string]struct {
		endpoint http.HandlerFunc
		rule     string
	}{
		"it believes everybody": {func(w http.ResponseWriter, _ *http.Request) { pong(w) }, "endpoint.signature"},
		"it believes half a signature": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Signature-Ed25519") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			pong(w)
		}, "endpoint.signature"},
		"it answers forgeries with 403": {func(w http.ResponseWriter, r *http.Request) {
			if len(r.Header.Get("X-Signature-Ed25519")) != 128 {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			pong(w)
		}, "endpoint.signature"},
		"it does not answer PING":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "endpoint.ping"},
		"it answers PING as plain text": {func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"type":1}`) }, "endpoint.ping"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rule)
			sim.DeliverToHandler("/", tc.endpoint)
			put(t, sim, once(question("a1", "Yes"), 1))
			if err := sim.Seat(dana).Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
				t.Errorf("the press ended with %v", err)
			}
			if sim.Endpoint() != "" {
				t.Error("the endpoint is still there")
			}
		})
	}
}

func TestEditApplicationVerifiesEndpoint(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{"a good one": true, "a bad one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			if good {
				listenTo(t, sim)
			} else {
				sim.Expect("endpoint.ping")
				sim.DeliverToHandler("/", http.NotFoundHandler())
			}
			a := ask(t, sim, "PATCH", "/applications/@me", obj{"interactions_endpoint_url": "http://app.sim/discord/interactions"})
			if good {
				if a.body["interactions_endpoint_url"] != "http://app.sim/discord/interactions" {
					t.Errorf("the answer is %d %v", a.status, a.body)
				}
				return
			}
			wantErrors(t, a, "interactions_endpoint_url")
		})
	}
}

func TestInvalidEndpointResponses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		kind   string
		body   string
		rule   string
	}{
		"an error":          {500, "text/plain", "oops", "endpoint.status"},
		"plain text":        {200, "text/plain", `{"type":6}`, "endpoint.status"},
		"no content":        {204, "", "", "endpoint.status"},
		"an empty answer":   {200, "application/json", "", "request.json"},
		"half an answer":    {200, "application/json", `{"type":`, "request.json"},
		"an unknown answer": {200, "application/json", `{"type":99}`, "callback.type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := discordsim.Start(t, nil)
			sim.Expect(tc.rule)
			put(t, sim, once(question("a1", "Yes"), 1))
			good := app(t, sim, func(obj) any { return nil })
			var checked atomic.Bool
			sim.DeliverToHandler("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if checked.Load() {
					w.Header().Set("Content-Type", tc.kind)
					w.WriteHeader(tc.status)
					_, _ = fmt.Fprint(w, tc.body)
					return
				}
				good.ServeHTTP(w, r)
			}))
			if err := sim.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			checked.Store(true)
			if err := sim.Seat(dana).Press(t.Context(), "Yes"); !errors.Is(err, chatsim.ErrUnacknowledged) {
				t.Errorf("the press ended with %v", err)
			}
		})
	}
}

func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault    chatsim.Fault
		received int
		fails    bool
		takes    time.Duration
		waits    time.Duration // Discord's timeout
	}{
		"drop":       {chatsim.Drop(), 0, true, 3 * time.Second, 0},
		"lose reply": {chatsim.LoseReply(), 1, true, 3 * time.Second, 0},
		"twice":      {chatsim.Twice(), 2, false, 0, 0},
		"delay":      {chatsim.Delay(2 * time.Second), 1, false, 2 * time.Second, 0},
		"too late":   {chatsim.Delay(4 * time.Second), 1, true, 4 * time.Second, 0},
		"in time":    {chatsim.Delay(4 * time.Second), 1, false, 4 * time.Second, 5 * time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, &discordsim.Options{Patience: tc.waits})
				got := listenTo(t, sim)
				put(t, sim, once(question("a1", "Yes"), 1))
				sim.Fault(discordsim.Interactions, tc.fault)
				before := time.Now()
				err := sim.Seat(dana).Press(t.Context(), "Yes")
				if errors.Is(err, chatsim.ErrUnacknowledged) != tc.fails || time.Since(before) != tc.takes {
					t.Errorf("the press ended with %v after %v", err, time.Since(before))
				}
				synctest.Wait()
				if n := len(got.data()); n != tc.received {
					t.Errorf("the app received %d presses", n)
				}
				if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
					t.Errorf("the fault stayed: %v", err)
				}
			})
		})
	}
}

func TestFaultForOneInteractionKind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim, seat, _ := withForm(t, label("Why?", with(input("why"), "required", false)))
		sim.Fault(discordsim.Presses, chatsim.Drop())
		if err := seat.Submit(context.Background()); err != nil {
			t.Error(err)
		}
		if err := seat.Press(context.Background(), "Yes"); err == nil {
			t.Error("the press arrived")
		}
	})
}

func TestDiscordgoVerifiesSignature(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	body := []byte(`{"type":1}`)
	key, err := hex.DecodeString(sim.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		sent []byte
		ok   bool
	}{{body, true}, {[]byte(`{"type":2}`), false}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(tc.sent))
		r.Header = discordsim.Sign(sim.PrivateKey(), time.Now(), body)
		if dgo.VerifyInteraction(r, key) != tc.ok {
			t.Errorf("%s: the library disagrees", tc.sent)
		}
	}
}
