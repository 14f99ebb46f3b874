package connlimit_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how many connections the servers of these tests may have, a quarter of them unverified.
const limit = 16

// fixture is a server in a bubble.
type fixture struct {
	*testing.T

	net *chatsim.Net
	log logbuffer.Buffer
}

// serve runs a test against a server that verifies calls of /token and takes as long for /slow as the test lives.
func serve(t *testing.T, f func(w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{T: t, net: chatsim.NewNet()}
		over := make(chan struct{})
		mux := http.NewServeMux()
		mux.HandleFunc("/livez", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("/token", func(_ http.ResponseWriter, r *http.Request) { connlimit.Verified(r.Context()) })
		mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-over:
			case <-r.Context().Done():
			}
		})
		mux.HandleFunc("/wait", func(_ http.ResponseWriter, r *http.Request) {
			connlimit.Verified(r.Context())
			if connlimit.MayWait(r.Context()) {
				<-over
			}
		})
		var protocols http.Protocols
		protocols.SetHTTP1(true)
		protocols.SetUnencryptedHTTP2(true)
		srv := &http.Server{Handler: mux, Protocols: &protocols, IdleTimeout: 2 * time.Minute, ReadHeaderTimeout: 5 * time.Second}
		table := connlimit.New(limit, slog.New(slog.NewTextHandler(&w.log, nil)))
		served := make(chan error)
		go func() { served <- table.Serve(srv, w.net) }()
		f(w)
		close(over)
		_ = srv.Close() // It closes what the test has left open.
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("served: %v", err)
		}
		time.Sleep(time.Second) // The last sweep.
	})
}

// line is a client's connection.
type line struct {
	net.Conn

	w *fixture
	r *bufio.Reader
}

func (w *fixture) dial() *line {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	conn, err := w.net.Dial(ctx, "", "")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = conn.Close() })
	return &line{conn, w, bufio.NewReader(conn)}
}

// fill opens connections that send the same text, one a millisecond.
func (w *fixture) fill(n int, text string) []*line {
	w.Helper()
	var all []*line
	for range n {
		l := w.dial()
		go func() { _, _ = io.WriteString(l, text) }()
		time.Sleep(time.Millisecond)
		all = append(all, l)
	}
	return all
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

// calls makes a call that has to be answered, and returns how long it took.
func (l *line) calls(path string) time.Duration {
	l.w.Helper()
	began := time.Now()
	_ = l.SetDeadline(began.Add(time.Minute))
	if _, err := io.WriteString(l, get(path)); err != nil {
		l.w.Fatalf("%s: %v", path, err)
	}
	l.reads()
	return time.Since(began)
}

// reads takes the answer to a call.
func (l *line) reads() {
	l.w.Helper()
	resp, err := http.ReadResponse(l.r, nil)
	if err != nil {
		l.w.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		l.w.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	_ = resp.Body.Close()
}

// open reports whether the server has not closed the connection. What it has sent is thrown away.
func (l *line) open() bool {
	_ = l.SetReadDeadline(time.Now().Add(time.Microsecond))
	_, err := io.Copy(io.Discard, l.r)
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// ends waits until the server closes the connection, and returns how long it took.
func (l *line) ends() time.Duration {
	began := time.Now()
	_ = l.SetReadDeadline(began.Add(time.Hour))
	_, _ = io.Copy(io.Discard, l.r)
	return time.Since(began)
}

func count(all []*line) (open int) {
	for _, l := range all {
		if l.open() {
			open++
		}
	}
	return open
}

func TestConnectionClosesInTime(t *testing.T) {
	for name, tc := range map[string]struct {
		sends string
		want  time.Duration
	}{
		"after a health check":       {get("/livez"), 10 * time.Second},
		"after two health checks":    {get("/livez") + get("/livez"), 10 * time.Second},
		"without a request":          {"", 5 * time.Second},
		"with half a request":        {"GET /livez HTTP/1.1\r\nHost", 5 * time.Second},
		"with half a second request": {get("/livez") + "GET /livez", 5 * time.Second},
		"during a slow request":      {get("/slow"), 30 * time.Second},
		"over HTTP/2":                {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 10 * time.Second},
		"after a token":              {get("/token"), 2 * time.Minute},
		"after a token, then none":   {get("/token") + get("/livez"), 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, func(w *fixture) {
				l := w.dial()
				go func() { _, _ = io.WriteString(l, tc.sends) }()
				if got := l.ends().Truncate(2 * time.Second); got != tc.want.Truncate(2*time.Second) {
					t.Errorf("closed after %s, want %s", got, tc.want)
				}
			})
		})
	}
}

func TestNewcomersAreServedDuringAFlood(t *testing.T) {
	for name, sends := range map[string]string{
		"of health checks":     get("/livez"),
		"of nothing":           "",
		"of half a request":    "GET /livez HTTP/1.1\r\nHost",
		"of slow requests":     get("/slow"),
		"of wrong tokens":      get("/nothing-here"),
		"of HTTP/2":            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"of half a preface":    "PRI * HTTP/2.0\r\n\r\nSM",
		"of pipelined answers": strings.Repeat(get("/livez"), 1000),
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, func(w *fixture) {
				known := w.dial()
				known.calls("/token")
				w.fill(limit-1, sends)
				for _, path := range []string{"/livez", "/token"} {
					began := time.Now()
					w.dial().calls(path)
					if took := time.Since(began); took > 600*time.Millisecond {
						t.Errorf("%s took %s", path, took)
					}
				}
				w.fill(3*limit, sends)
				if known.calls("/livez"); !known.open() {
					t.Error("a verified connection was closed")
				}
				if !strings.Contains(w.log.String(), "connections closed to make room") {
					t.Errorf("the log does not say so: %s", w.log.String())
				}
			})
		})
	}
}

func TestLongestIdleStrangerIsEvicted(t *testing.T) {
	serve(t, func(w *fixture) {
		first, second := w.dial(), w.dial()
		first.calls("/livez")
		second.calls("/livez")
		time.Sleep(time.Second)
		first.calls("/livez")
		others := w.fill(limit/4-2, get("/livez"))
		time.Sleep(time.Second)
		w.dial().calls("/livez")
		if second.open() || !first.open() || count(others) != len(others) {
			t.Error("another one was closed than the one that has been silent the longest")
		}
	})
}

func TestBurstOfNewConnectionsIsServed(t *testing.T) {
	serve(t, func(w *fixture) {
		served := make(chan bool)
		for range 4 * limit {
			go func() {
				l := w.dial()
				time.Sleep(20 * time.Millisecond) // It is far away.
				l.calls("/token")
				served <- true
			}()
		}
		for range 4 * limit {
			<-served
		}
	})
}

func TestWhereAllAreBusyANewcomerWaitsForOneToEnd(t *testing.T) {
	serve(t, func(w *fixture) {
		busy := w.fill(limit, get("/token")+get("/slow"))
		time.Sleep(time.Minute)
		if n := count(busy); n != limit {
			t.Fatalf("%d of %d verified connections are open", n, limit)
		}
		newcomer := w.dial()
		go func() {
			time.Sleep(time.Second)
			_ = busy[0].Close()
		}()
		if took := newcomer.calls("/livez").Round(100 * time.Millisecond); took != time.Second {
			t.Errorf("it took %s", took)
		}
		if !strings.Contains(w.log.String(), "connection limit reached, new connections wait") {
			t.Errorf("the log does not say so: %s", w.log.String())
		}
	})
}

func TestIdleCallerIsEvictedLast(t *testing.T) {
	serve(t, func(w *fixture) {
		idle := w.dial()
		idle.calls("/token")
		busy := w.fill(limit-1, get("/token")+get("/slow"))
		if took := w.dial().calls("/livez"); took > time.Second || idle.open() || count(busy) != len(busy) {
			t.Errorf("it took %s, and %d of %d busy connections are open", took, count(busy), len(busy))
		}
	})
}

func TestCallsThatWaitLeaveRoomForOthers(t *testing.T) {
	serve(t, func(w *fixture) {
		w.fill(limit-limit/8, get("/wait"))
		w.fill(limit, get("/livez"))
		if took := w.dial().calls("/wait"); took > time.Second {
			t.Errorf("a call that should not have waited took %s", took)
		}
		if took := w.dial().calls("/livez"); took > time.Second {
			t.Errorf("a health check took %s", took)
		}
	})
}

func TestVerifiedHTTP2ConnectionSurvivesFlood(t *testing.T) {
	serve(t, func(w *fixture) {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		dialed := 0
		calls := &http.Transport{Protocols: &protocols, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialed++
			return w.net.Dial(ctx, network, address)
		}}
		defer calls.CloseIdleConnections()
		for range 3 {
			req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "http://localhost/token", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := calls.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			w.fill(limit, get("/livez"))
			time.Sleep(time.Minute)
		}
		if dialed != 1 {
			t.Errorf("%d connections were made for three calls", dialed)
		}
	})
}
