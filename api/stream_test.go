package api

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/memory"
)

// overHTTP2 makes all further calls over one cleartext HTTP/2 connection.
func (w *fixture) overHTTP2() {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{DialContext: w.net.Dial, Protocols: &protocols}
	stop := w.stop
	w.stop = func() { transport.CloseIdleConnections(); stop() }
	w.http = &http.Client{Transport: &inspector{t: w.t, next: transport}}
}

func TestManyStreamsOnOneConnection(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.overHTTP2()
		defer w.stop()
		const streams = 210
		ids, done := make([]string, streams), make(chan reply, streams)
		for n := range ids {
			ids[n] = w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		}
		for n, id := range ids {
			query := []string{"?wait=30s", "?wait=50s", "?wait=50s&as=claude"}[n%3]
			go func() { done <- w.call("", "GET", "/v1/requests/"+id+query, "") }()
		}
		w.waiting(streams)
		for n := 1; n < streams; n += 3 {
			w.press(ids[n], 0, 0)
			r := (<-done).want(t, http.StatusOK)
			if got := r.request(t); got.ID != ids[n] || got.State != ask.Answered {
				t.Fatalf("clicked for %s, woken was %s", ids[n], r.body)
			}
		}
		open, pending := 0, 0
		for range streams * 2 / 3 {
			switch r := <-done; r.StatusCode {
			case http.StatusOK:
				open++
			case http.StatusAccepted:
				pending++
			default:
				t.Errorf("%d %s", r.StatusCode, r.body)
			}
		}
		if open != streams/3 || pending != streams/3 {
			t.Errorf("%d waits ran out with the open request, %d with a pending result", open, pending)
		}
		w.waiting(0)
	})
}

// TestWaitsReleaseTheirInput checks that headers and address of a parked call are released.
func TestWaitsReleaseTheirInput(t *testing.T) {
	const tool = `{"questions":[{"question":"Q?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}],"multiSelect":false}]}`
	for name, tc := range map[string]struct {
		method, path, body string
		open               int
	}{
		"a new request":               {"POST", "/v1/requests?wait=30s", oneQuestion, http.StatusCreated},
		"a request":                   {"GET", "/v1/requests/{id}?wait=30s", "", http.StatusOK},
		"questions to the agent":      {"GET", "/v1/requests/{id}?wait=30s&heard=0", "", http.StatusOK},
		"the result of a tool":        {"GET", "/v1/requests/{id}?wait=30s&as=claude", "", http.StatusAccepted},
		"a tool call":                 {"POST", "/v1/ask/claude?wait=30s&to=slack:C0000001&tool_call_id=t1", tool, http.StatusAccepted},
		"a call that was made before": {"POST", "/v1/requests/{id}/as/claude?wait=30s", tool, http.StatusAccepted},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				w.overHTTP2()
				defer w.stop()
				id := w.call("", "POST", "/v1/ask/claude?to=slack:C0000001&tool_call_id=t0&same=off", tool).want(t, http.StatusAccepted).Header.Get("Askbridge-Request-Id")
				w.call("", tc.method, strings.ReplaceAll(tc.path, "{id}", id), tc.body).want(t, tc.open)
				w.waiting(0)
			})
		})
	}
}

func TestResetStreamFreesResources(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.overHTTP2()
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/v1/requests/"+id+"?wait=50s", http.NoBody)
			if err != nil {
				t.Error(err)
				return
			}
			if resp, err := w.http.Do(req); err == nil {
				resp.Body.Close()
				t.Error("the call was answered")
			}
		})
		w.waiting(1)
		cancel()
		all.Wait()
		w.waiting(0)
		if log := w.logs.String(); !strings.Contains(log, `"status":499`) {
			t.Errorf("log entry missing:\n%s", log)
		}
		w.press(id, 0, 0)
		w.call("", "GET", "/v1/requests/"+id+"?wait=50s", "").want(t, http.StatusOK)
	})
}

func TestDrainEndsStreams(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.overHTTP2()
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		done := make(chan reply, 20)
		for range cap(done) {
			go func() { done <- w.call("", "GET", "/v1/requests/"+id+"?wait=50s", "") }()
		}
		w.waiting(cap(done))
		began := time.Now()
		if err := w.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		for range cap(done) {
			if r := <-done; r.StatusCode != http.StatusOK || r.request(t).State != ask.Open || r.Header.Get("Retry-After") != "1" {
				t.Errorf("%d %v %s", r.StatusCode, r.Header, r.body)
			}
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("shutting down took %s", took)
		}
	})
}

func TestCallDuringDrainDoesNotWait(t *testing.T) {
	for name, two := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				if two {
					w.overHTTP2()
					defer w.stop()
				}
				w.handler.Drain()
				began := time.Now()
				r := w.call("", "POST", "/v1/requests?wait=50s", oneQuestion).want(t, http.StatusCreated)
				if time.Since(began) > time.Second || r.Header.Get("Retry-After") != "1" {
					t.Errorf("after %s: %v", time.Since(began), r.Header)
				}
			})
		})
	}
}

func TestStreamPanicIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &fuse{Store: memory.New()}
		w := newWorldOn(t, anonymous(), st, &bridge.Options{})
		w.overHTTP2()
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		path := "/v1/requests/" + id + "?wait=5s"
		done := make(chan reply)
		go func() { done <- w.call("", "GET", path, "") }()
		w.waiting(1)
		st.lit.Store(true)
		(<-done).want(t, http.StatusInternalServerError)                    // Behind the wait,
		w.call("", "GET", path, "").want(t, http.StatusInternalServerError) // and before it.
		st.lit.Store(false)
		w.call("", "GET", "/v1/requests/"+id, "").want(t, http.StatusOK)
	})
}

func TestPanicDuringResponseCutsItOff(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.server.Handler = lean{http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte("half"))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		})}
		w.overHTTP2()
		defer w.stop()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/x?wait=1s", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if data, err := io.ReadAll(resp.Body); err == nil || string(data) != "half" {
			t.Errorf("got %q, %v", data, err)
		}
	})
}
