package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

func TestTokenCannotReachForeignThread(t *testing.T) {
	s := agents(
		access.Agent{Name: "one channel", Token: "token-channel", Targets: []string{"slack:C0000001"}},
		access.Agent{Name: "one thread", Token: "token-thread", Targets: []string{"slack:T3"}},
		access.Agent{Name: "everywhere", Token: "token-all", Targets: []string{"slack:*"}},
	)
	s.Parents = map[string]string{"T1": "C0000001", "T3": "C0000003", "T9": ""}
	bubble(t, s, func(t *testing.T, w *fixture) {
		ask := func(token, channel, thread string) reply {
			return w.call(token, "POST", "/v1/requests",
				fmt.Sprintf(`{"to":[{"platform":"slack","channel":%q,"thread":%q}],"questions":[{"question":"Why?"}]}`, channel, thread))
		}
		for _, test := range []struct {
			token, channel, thread string
			want                   int
		}{
			{"token-channel", "C0000001", "T1", http.StatusCreated},
			{"token-channel", "C0000001", "T3", http.StatusForbidden},
			{"token-channel", "C0000003", "T1", http.StatusForbidden},
			{"token-channel", "C0000003", "T3", http.StatusForbidden},
			{"token-channel", "C0000001", "C0000003", http.StatusForbidden}, // It is no thread.
			{"token-thread", "T3", "", http.StatusCreated},
			{"token-thread", "C0000001", "T1", http.StatusForbidden},
			{"token-all", "C0000001", "T3", http.StatusCreated},
			{"token-channel", "C0000001", "T9", http.StatusServiceUnavailable}, // Cannot be checked now.
		} {
			if got := ask(test.token, test.channel, test.thread); got.StatusCode != test.want {
				t.Errorf("%s asks in thread %s of %s: %d %s, want %d", test.token, test.thread, test.channel, got.StatusCode, got.body, test.want)
			}
		}
		if p := read[client.Problem](t, ask("token-channel", "C0000001", "T3")); len(p.Errors) != 1 || p.Errors[0].Path != "to[0]" {
			t.Errorf("problem %+v", p)
		}
		if n := len(w.slack.Standing()); n != 3 {
			t.Errorf("%d cards, want 3", n)
		}
	})
}

func TestWaitsAreLimitedPerToken(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", MaxWaits: 2}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		ended := make(chan reply, 2)
		for range 2 {
			go func() { ended <- w.call("token-a", "GET", "/v1/requests/"+id+"?wait=60s", "") }()
		}
		later(time.Second) // Until both connections are parked.
		began := time.Now()
		for what, got := range map[string]reply{
			"a look":        w.call("token-a", "GET", "/v1/requests/"+id+"?wait=60s", "").want(t, http.StatusOK),
			"a new request": w.call("token-a", "POST", "/v1/requests?wait=60s", oneQuestion).want(t, http.StatusCreated),
			"a tool call":   w.call("token-a", "POST", "/v1/ask/claude?wait=60s&to=slack:C0000001", `{"questions":[{"question":"Q?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}],"multiSelect":false}]}`).want(t, http.StatusAccepted),
		} {
			if time.Since(began) != 0 || got.Header.Get("Retry-After") != "5" {
				t.Errorf("%s of too many: after %s with Retry-After %q", what, time.Since(began), got.Header.Get("Retry-After"))
			}
		}
		w.press(id, 0, 0)
		for range 2 {
			(<-ended).want(t, http.StatusOK)
		}
		// A returned slot is free again.
		next := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		began = time.Now()
		w.call("token-a", "GET", "/v1/requests/"+next+"?wait=30s", "").want(t, http.StatusOK)
		if time.Since(began) != 30*time.Second {
			t.Errorf("waited %s, want 30s", time.Since(began))
		}
	})
}

func TestStreamsAreLimitedPerToken(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", MaxStreams: 1}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		stream, _ := w.events("/v1/events", "Authorization: Bearer token-a")
		drain(stream)
		for _, path := range []string{"/v1/events", "/v1/requests/" + id + "/events"} {
			if got := w.call("token-a", "HEAD", path, "").want(t, http.StatusTooManyRequests); got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %v", path, got.Header)
			}
		}
		other, _ := w.events("/v1/events", "Authorization: Bearer token-b")
		drain(other)
		w.server.Close()
		for range stream {
		}
		for range other {
		}
	})
}

func TestPollingIsRateLimited(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", Calls: 10}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		for range 9 {
			w.call("token-a", "GET", "/v1/requests", "").want(t, http.StatusOK)
		}
		for _, path := range []string{"/v1/requests", "/v1/requests/" + id, "/v1/requests/" + id + "?wait=1ms", "/v1/events"} {
			if after := w.call("token-a", "GET", path, "").want(t, http.StatusTooManyRequests).Header.Get("Retry-After"); after != "6" {
				t.Errorf("%s: Retry-After %q", path, after)
			}
		}
		w.call("token-b", "GET", "/v1/requests", "").want(t, http.StatusOK)
		later(6 * time.Second)
		// A caller that waits for people makes few calls, and all of them are free.
		for range 20 {
			w.call("token-a", "GET", "/v1/requests/"+id+"?wait=5s", "").want(t, http.StatusOK)
		}
		// A caller that hardly waits is limited.
		later(time.Minute)
		var refused int
		for range 20 {
			if w.call("token-a", "GET", "/v1/requests/"+id+"?wait=1ms", "").StatusCode == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < 8 {
			t.Errorf("%d of 20 calls were refused", refused)
		}
	})
}

func TestTokenGuessingIsRateLimitedAndLoggedOnce(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}), func(t *testing.T, w *fixture) {
		counts := map[int]int{}
		for n := range 200 {
			counts[w.call(fmt.Sprintf("guess-%d", n), "GET", "/v1/requests", "").StatusCode]++
			counts[w.call("", "GET", "/v1/requests", "").StatusCode]++
		}
		if counts[http.StatusUnauthorized] != 20 || counts[http.StatusTooManyRequests] != 380 {
			t.Errorf("answered with %v", counts)
		}
		if n := strings.Count(w.logs.String(), `"level":"WARN","msg":"call refused"`); n != 20 {
			t.Errorf("%d warnings in the log", n)
		}
		// Another caller behind the same proxy is not limited.
		w.call("token-a", "GET", "/v1/requests", "").want(t, http.StatusOK)
		later(3 * time.Second)
		w.call("guess", "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		w.call("guess", "GET", "/v1/requests", "").want(t, http.StatusTooManyRequests)
	})
}

func TestNoLimitsWithoutTokens(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for range access.DefaultCalls/10 + 1 {
			w.call("", "GET", "/v1/requests?limit=1", "").want(t, http.StatusOK)
		}
		synctest.Wait()
	})
}
