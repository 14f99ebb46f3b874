package api

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/memory"
)

func TestWaitEndsWithAnswer(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		began := time.Now()
		const callers = 5
		done := make(chan *client.Request, callers)
		for range callers {
			go func() { done <- w.call("", "GET", "/v1/requests/"+id+"?wait=30s", "").request(t) }()
		}
		time.Sleep(12 * time.Second)
		w.press(id, 0, 0)
		for range callers {
			if r := <-done; r.State != ask.Answered || r.Text == "" {
				t.Errorf("got %s", quote(r))
			}
		}
		if took := time.Since(began); took != 12*time.Second {
			t.Errorf("the waits took %s", took)
		}
	})
}

func TestWaitTimeoutReturnsOpenRequest(t *testing.T) {
	bubble(t, &settings{Options: Options{MaxWait: 40 * time.Second}}, func(t *testing.T, w *fixture) {
		for wait, want := range map[string]time.Duration{
			"30s": 30 * time.Second, "7": 7 * time.Second, "0": 0, "": 0, "1h": 40 * time.Second, "1500ms": 1500 * time.Millisecond,
		} {
			began := time.Now()
			made := w.call("", "POST", "/v1/requests?wait="+wait, oneQuestion).want(t, http.StatusCreated)
			if took := time.Since(began); took != want {
				t.Errorf("asking with wait=%s took %s", wait, took)
			}
			began = time.Now()
			got := w.call("", "GET", "/v1/requests/"+made.request(t).ID+"?wait="+wait, "").want(t, http.StatusOK)
			if took := time.Since(began); took != want {
				t.Errorf("wait=%s took %s", wait, took)
			}
			if r := got.request(t); r.State != ask.Open || r.Answers != nil || got.Header.Get("Retry-After") != "" {
				t.Errorf("wait=%s: %s", wait, got.body)
			}
		}
	})
}

// unread is a store whose reads fail for a while.
type unread struct {
	bridge.Store
	from, until time.Time
}

func (u unread) Load(ctx context.Context, id string) (bridge.Record, error) {
	if now := time.Now(); now.After(u.from) && now.Before(u.until) {
		return bridge.Record{}, bridge.ErrUnavailable
	}
	return u.Store.Load(ctx, id)
}

// The store failed during the wait. The reply must still name the request that people see.
func TestWaitDuringStoreOutageReturnsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		w := newWorldOn(t, anonymous(), unread{memory.New(), now.Add(time.Second), now.Add(time.Minute)}, &bridge.Options{})
		defer w.stop()
		made := w.call("", "POST", "/v1/requests?wait=10s", oneQuestion).want(t, http.StatusCreated)
		r := made.request(t)
		if made.Header.Get("Location") != "/v1/requests/"+r.ID || r.State != ask.Open {
			t.Errorf("%v %s", made.Header, made.body)
		}
		w.call("", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusServiceUnavailable)
		time.Sleep(time.Minute)
		w.call("", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusOK)
	})
}

func TestWaitReportsDeadline(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		r := w.call("", "POST", "/v1/requests?wait=30s", with(oneQuestion, `"expires_in":"5s"`)).want(t, http.StatusCreated).request(t)
		if r.State != ask.Expired || r.Answers != nil || r.Text != "" || r.Reason == "" {
			t.Errorf("got %s", quote(r))
		}
	})
}

func TestWaitReturnsDeliveryState(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.slack.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.RateLimited, Code: "ratelimited", RetryAfter: 20 * time.Second}})
		made := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		d := made.Delivery[0]
		if d.State != client.Delayed || d.RetryAt.IsZero() || !strings.Contains(d.Detail, "ratelimited") || d.Message != "" {
			t.Errorf("delayed: %+v", d)
		}
		d = w.call("", "GET", "/v1/requests/"+made.ID+"?wait=50s", "").request(t).Delivery[0]
		if d.State != client.Posted || !d.RetryAt.IsZero() || d.Detail != "" || d.Message == "" {
			t.Errorf("posted: %+v", d)
		}
	})
}

func TestUndeliverableRequestFailsImmediately(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.slack.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.Unreachable, Code: "is_archived"}})
		r := w.call("", "POST", "/v1/requests?wait=30s", oneQuestion).want(t, http.StatusCreated).request(t)
		if r.State != ask.Failed || !strings.Contains(r.Reason, "is_archived") || r.Delivery[0].State != client.Undeliverable {
			t.Errorf("got %s", quote(r))
		}
	})
}

func TestDisconnectedCallerLosesNothing(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"tool_call_id":"toolu_01"`)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/v1/requests?wait=30s", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := w.http.Do(req); err == nil {
			resp.Body.Close()
			t.Fatal("the call was answered")
		}
		synctest.Wait()
		if !strings.Contains(w.logs.String(), `"status":499`) {
			t.Error("the parked call did not notice")
		}
		page := read[client.Page](t, w.call("", "GET", "/v1/requests", ""))
		w.press(page.Requests[0].ID, 0, 0)
		r := w.call("", "POST", "/v1/requests?wait=30s", body).want(t, http.StatusOK).request(t)
		if r.State != ask.Answered {
			t.Errorf("got %s", quote(r))
		}
	})
}

func TestShutdownSetsRetryAfter(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		done := make(chan reply, 2)
		go func() { done <- w.call("", "GET", "/v1/requests/"+id+"?wait=30s", "") }()
		go func() { done <- w.call("", "POST", "/v1/requests?wait=30s", oneQuestion) }()
		stream, _ := w.events("/v1/events")
		synctest.Wait()
		began := time.Now()
		if err := w.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if r := <-done; r.StatusCode/100 != 2 || r.request(t).State != ask.Open || r.Header.Get("Retry-After") != "1" {
				t.Errorf("%d %v %s", r.StatusCode, r.Header, r.body)
			}
		}
		for range stream { // The stream ends.
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("shutting down took %s", took)
		}
	})
}

func TestBridgeShutdownEndsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, anonymous())
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		done := make(chan reply)
		go func() { done <- w.call("", "GET", "/v1/requests/"+id+"?wait=30s", "") }()
		synctest.Wait()
		w.end()
		if r := <-done; r.StatusCode != http.StatusOK || r.request(t).State != ask.Open || r.Header.Get("Retry-After") != "1" {
			t.Errorf("%d %v %s", r.StatusCode, r.Header, r.body)
		}
		late := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusServiceUnavailable)
		if late.Header.Get("Retry-After") != "1" {
			t.Error("no Retry-After")
		}
	})
}
