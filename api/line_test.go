package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/store/memory"
)

// wire is a raw client on one connection.
type wire struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func (w *fixture) wire() *wire {
	w.t.Helper()
	conn, err := w.net.Dial(w.t.Context(), "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return &wire{conn, w.t, bufio.NewReader(conn)}
}

// send sends a call without a body; extra holds header lines.
func (c *wire) send(method, path string, extra ...string) {
	c.t.Helper()
	lines := append([]string{method + " " + path + " HTTP/1.1", "Host: localhost"}, extra...)
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next reads a response.
func (c *wire) next() reply {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply{resp, string(data)}
}

// ends checks that the server closes the connection.
func (c *wire) ends() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.r); err != nil || len(rest) > 0 {
		c.t.Errorf("before the end came %q, %v", rest, err)
	}
}

// moved counts the connections taken over from the server.
func (w *fixture) moved() int {
	s := &w.handler.service.sleepers
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.handler.service.lines.Len() + len(s.all)
}

// waiting waits until calls are parked.
func (w *fixture) waiting(n int) {
	w.t.Helper()
	until(w.t, fmt.Sprintf("%d calls wait apart from the server", n), func() bool { return w.moved() == n })
}

func TestConnectionIsReused(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.wire()
		defer c.Close()
		for round := range 3 {
			id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
			c.send("GET", "/v1/requests/"+id+"?wait=50s")
			w.waiting(1)
			later(20 * time.Second)
			w.press(id, 0, 0)
			r := c.next().want(t, http.StatusOK)
			if got := r.request(t); got.ID != id || got.State != ask.Answered {
				t.Errorf("round %d: %s", round, r.body)
			}
			if r.Close || r.Header.Get("Date") == "" || r.Header.Get("Cache-Control") != "no-store" || r.ContentLength <= 0 {
				t.Errorf("round %d: close %v, %v", round, r.Close, r.Header)
			}
			later(idleTime - 2*time.Second)
			c.send("GET", "/v1/requests/"+id)
			c.next().want(t, http.StatusOK)
			if n := w.moved(); n != 0 {
				t.Errorf("round %d: %d connections are not with the server", round, n)
			}
			c.send("GET", "/v1/requests/"+id+"?wait=50s") // The request has ended, so this returns quickly.
			c.next().want(t, http.StatusOK)
		}
		if log := w.logs.String(); !strings.Contains(log, `"route":"/v1/requests/{id}","status":200,"took":20`) {
			t.Errorf("the wait is not in the log:\n%s", log)
		}
	})
}

func TestWaitTimeoutKeepsConnection(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.wire()
		defer c.Close()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		for query, status := range map[string]int{"?wait=30s": http.StatusOK, "?wait=30s&as=claude": http.StatusAccepted} {
			began := time.Now()
			c.send("GET", "/v1/requests/"+id+query)
			r := c.next().want(t, status)
			if took := time.Since(began); took != 30*time.Second || r.Header.Get("Retry-After") != "" || r.Close {
				t.Errorf("%s: after %s: %v %s", query, took, r.Header, r.body)
			}
		}
	})
}

func TestPipelinedCallIsServed(t *testing.T) {
	for name, early := range map[string]bool{"with the first": true, "during the wait": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
				c := w.wire()
				defer c.Close()
				first := "GET /v1/requests/" + id + "?wait=30s HTTP/1.1\r\nHost: localhost\r\n\r\n"
				second := "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/requests/" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
				go func() {
					text := first + second
					if !early {
						_, _ = io.WriteString(c, first) // Errors show in the response.
						later(time.Second)
						text = second
					}
					_, _ = io.WriteString(c, text)
				}()
				later(5 * time.Second)
				w.press(id, 0, 0)
				if r := c.next().want(t, http.StatusOK); r.request(t).State != ask.Answered {
					t.Error(r.body)
				}
				if r := c.next().want(t, http.StatusOK); r.body != "{\"status\":\"ok\"}\n" {
					t.Error(r.body)
				}
				if r := c.next().want(t, http.StatusOK); r.request(t).ID != id {
					t.Error(r.body)
				}
			})
		})
	}
}

func TestDisconnectDuringWaitFreesResources(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		c.send("GET", "/v1/requests/"+id+"?wait=30s")
		w.waiting(1)
		c.Close()
		w.waiting(0)
		if log := w.logs.String(); !strings.Contains(log, `"status":499`) {
			t.Errorf("log entry missing:\n%s", log)
		}
		w.press(id, 0, 0)
	})
}

func TestConnectionCloseHeader(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		c.send("GET", "/v1/requests/"+id+"?wait=5s", "Connection: close")
		if r := c.next().want(t, http.StatusOK); !r.Close {
			t.Error("the response lacks the header")
		}
		c.ends()
		w.waiting(0)
	})
}

func TestIdleConnectionIsClosed(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		c.send("GET", "/v1/requests/"+id+"?wait=5s")
		c.next().want(t, http.StatusOK)
		began := time.Now()
		c.ends()
		if took := time.Since(began); took != idleTime {
			t.Errorf("closed after %s", took)
		}
	})
}

func TestSlowReaderIsDisconnected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		c.send("GET", "/v1/requests/"+id+"?wait=5s")
		later(5*time.Second + writeTime + time.Second)
		w.waiting(0)
		if rest, err := io.ReadAll(c.r); len(rest) > 0 || err != nil {
			t.Errorf("got %q, %v", rest, err)
		}
	})
}

// A proxy may already have sent the next call on a kept connection.
func TestDrainEndsWaitsAndClosesIdleConnections(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		parked, idle, next, late := w.wire(), w.wire(), w.wire(), w.wire()
		for _, c := range []*wire{idle, next} {
			c.send("GET", "/v1/requests/"+id+"?wait=1s")
			c.next().want(t, http.StatusOK)
		}
		parked.send("GET", "/v1/requests/"+id+"?wait=50s")
		w.waiting(3)
		late.send("GET", "/v1/requests/"+id+"?wait=50s")
		synctest.Wait()
		w.handler.Drain()
		next.send("GET", "/v1/requests/"+id)
		next.next().want(t, http.StatusOK)
		next.Close()
		for _, c := range []*wire{parked, late} {
			r := c.next().want(t, http.StatusOK)
			if r.request(t).State != ask.Open || r.Header.Get("Retry-After") != "1" {
				t.Errorf("%v %s", r.Header, r.body)
			}
		}
		parked.ends()
		if err := w.handler.Drained(t.Context()); err != nil {
			t.Error(err)
		}
		idle.ends()
		late.send("GET", "/v1/requests/"+id+"?wait=50s") // Not parked any more.
		late.next().want(t, http.StatusOK)
		late.Close()
	})
}

func TestDrainedHonorsContext(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		c.send("GET", "/v1/requests/"+id+"?wait=50s")
		w.waiting(1)
		w.handler.Drain()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.handler.Drained(ctx); err == nil {
			t.Error("drained although a client has not read its response")
		}
		c.Close()
		if err := w.handler.Drained(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestUnhijackableCallsWait(t *testing.T) {
	for name, call := range map[string]string{
		"HEAD":               "HEAD /v1/requests/%s?wait=5s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		"HTTP/1.0":           "GET /v1/requests/%s?wait=5s HTTP/1.0\r\nHost: localhost\r\n\r\n",
		"an unexpected body": "GET /v1/requests/%s?wait=5s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
				began := time.Now()
				got := w.raw(func(c net.Conn) { fmt.Fprintf(c, call, id) })
				if took := time.Since(began); !strings.Contains(got, " 200 OK") || took < 5*time.Second || took > 7*time.Second {
					t.Errorf("after %s: %s", took, got)
				}
			})
		})
	}
}

func TestPanicAfterWaitIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &fuse{Store: memory.New()}
		w := newWorldOn(t, anonymous(), st, &bridge.Options{})
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		c := w.wire()
		defer c.Close()
		c.send("GET", "/v1/requests/"+id+"?wait=5s")
		w.waiting(1)
		st.lit.Store(true)
		p := read[client.Problem](t, c.next().want(t, http.StatusInternalServerError))
		if log := w.logs.String(); p.CallID == "" || !strings.Contains(log, "boom") {
			t.Errorf("the log lacks the reason: %+v", p)
		}
		st.lit.Store(false)
		c.send("GET", "/v1/requests/"+id)
		c.next().want(t, http.StatusOK)
	})
}

// fuse is a store that panics on demand.
type fuse struct {
	bridge.Store
	lit atomic.Bool
}

func (f *fuse) Load(ctx context.Context, id string) (bridge.Record, error) {
	if f.lit.Load() {
		panic("boom")
	}
	return f.Store.Load(ctx, id)
}

func TestRealConnectionIsReusedAfterWait(t *testing.T) {
	t.Parallel()
	w := newFixture(t, anonymous())
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.server.Serve(l) }()
	defer func() {
		w.server.Close()
		<-served
	}()
	transport := &http.Transport{MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
	go func() {
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for w.moved() == 0 && t.Context().Err() == nil {
			<-look.C // Until the call is parked.
		}
		w.press(id, 0, 0)
	}()
	for n := range 3 {
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if info.Reused != (n > 0) {
				t.Errorf("call %d: reused %v", n, info.Reused)
			}
		}})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+"/v1/requests/"+id+"?wait=50s", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(data), `"answered"`) {
			t.Errorf("call %d: %s, %v", n, data, err)
		}
	}
}
