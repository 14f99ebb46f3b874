package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/memory"
)

// failing is a store whose calls fail on demand.
type failing struct {
	bridge.Store
	err error
}

func (f *failing) Load(ctx context.Context, id string) (bridge.Record, error) {
	if f.err != nil {
		return bridge.Record{}, f.err
	}
	return f.Store.Load(ctx, id)
}

func (f *failing) Create(ctx context.Context, r bridge.Record, t bridge.Transition) (bridge.Record, error) {
	if f.err != nil {
		return bridge.Record{}, f.err
	}
	return f.Store.Create(ctx, r, t)
}

func (f *failing) Scan(ctx context.Context, s bridge.Scan) ([]bridge.Record, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Store.Scan(ctx, s)
}

func (f *failing) Change(ctx context.Context, id string, t bridge.Transition) (bridge.Record, error) {
	if f.err != nil {
		return bridge.Record{}, f.err
	}
	return f.Store.Change(ctx, id, t)
}

// calls has one call of each kind.
func calls(id string) [][3]string {
	return [][3]string{
		{"POST", "/v1/requests", oneQuestion},
		{"GET", "/v1/requests/" + id, ""},
		{"GET", "/v1/requests", ""},
		{"POST", "/v1/requests/" + id + "/cancel", ""},
		{"GET", "/v1/requests/" + id + "/events", ""},
	}
}

func TestStoreOutageSetsRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &failing{Store: memory.New()}
		w := newWorldOn(t, anonymous(), st, &bridge.Options{})
		defer w.stop()
		id := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		const secret = "dial tcp 10.1.2.3:6379: connection refused"
		st.err = fmt.Errorf("store: load: %w: %s", bridge.ErrUnavailable, secret)
		for _, c := range calls(id) {
			r := w.call("", c[0], c[1], c[2]).want(t, http.StatusServiceUnavailable)
			p := read[client.Problem](t, r)
			if r.Header.Get("Retry-After") != "5" || strings.Contains(r.body, "10.1.2.3") || p.CallID == "" {
				t.Errorf("%v: %v %s", c, r.Header, r.body)
			}
			if log := w.logs.String(); !strings.Contains(log, secret) || !strings.Contains(log, p.CallID) {
				t.Errorf("%v: the log lacks the reason", c)
			}
		}
		ready := read[Health](t, w.call("", "GET", "/readyz", "").want(t, http.StatusServiceUnavailable))
		if diff := cmp.Diff(&Health{Status: "unready", Parts: []Ailing{{Part: "store", Detail: "unavailable"}}}, ready); diff != "" {
			t.Error(diff)
		}
		st.err = errors.New("something odd at 10.1.2.3")
		for _, c := range calls(id) {
			if r := w.call("", c[0], c[1], c[2]).want(t, http.StatusInternalServerError); strings.Contains(r.body, "odd") || read[client.Problem](t, r).CallID == "" {
				t.Errorf("%v: %s", c, r.body)
			}
		}
		st.err = nil
		w.call("", "GET", "/readyz", "").want(t, http.StatusOK)
	})
}

// One dead installation of many must not take the bridge out of service.
func TestReadyWithDeadInstallations(t *testing.T) {
	t.Parallel()
	dead := Ailing{Part: "slack", Detail: "1 of 40 installations has a dead token"}
	w := newFixture(t, &settings{Options: Options{Degraded: func() []Ailing { return []Ailing{dead} }}})
	if got := read[Health](t, w.call("", "GET", "/readyz", "").want(t, http.StatusOK)); got.Status != "ok" || !slices.Equal(got.Parts, []Ailing{dead}) {
		t.Errorf("%+v", got)
	}
	if got := read[Health](t, w.call("", "GET", "/readyz?part=store", "").want(t, http.StatusOK)); len(got.Parts) > 0 {
		t.Errorf("of the store: %+v", got)
	}
}

// A full memory, a full disk and a missing permission were all reported as "the store cannot be reached".
func TestStoreErrorsAreReported(t *testing.T) {
	t.Parallel()
	for kind, want := range map[bridge.StoreKind]string{
		bridge.StoreUnreachable: "the store cannot be reached",
		bridge.StoreOutOfMemory: "the store is out of memory",
		bridge.StoreDiskFull:    "the disk of the store is full",
		bridge.StoreDenied:      "the store denies the bridge a permission",
		bridge.StoreReadOnly:    "the store takes no writes",
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := &failing{Store: memory.New()}
				w := newWorldOn(t, anonymous(), st, &bridge.Options{})
				defer w.stop()
				st.err = fmt.Errorf("store: create: %w", &bridge.StoreError{Kind: kind, Err: errors.New("at 10.1.2.3")})
				r := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusServiceUnavailable)
				if p := read[client.Problem](t, r); p.Detail != want+"; nothing is lost, retry the call" || r.Header.Get("Retry-After") != "5" {
					t.Errorf("a caller reads %+v", p)
				}
				ready := read[Health](t, w.call("", "GET", "/readyz", "").want(t, http.StatusServiceUnavailable))
				if diff := cmp.Diff([]Ailing{{Part: "store", Detail: string(kind)}}, ready.Parts); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// unhealthy can be read but not written.
type unhealthy struct{ bridge.Store }

func (unhealthy) CheckHealth(context.Context) error {
	return &bridge.StoreError{Kind: bridge.StoreDiskFull, Err: errors.New("no space left on device")}
}

func TestReadOnlyStoreIsNotReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorldOn(t, anonymous(), unhealthy{memory.New()}, &bridge.Options{})
		defer w.stop()
		r := w.call("", "GET", "/readyz?part=store", "").want(t, http.StatusServiceUnavailable)
		if diff := cmp.Diff([]Ailing{{Part: "store", Detail: "disk full"}}, read[Health](t, r).Parts); diff != "" {
			t.Error(diff)
		}
	})
}

func TestReadyNamesFailingPlatform(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		w.call("", "GET", "/readyz", "").want(t, http.StatusOK)
		w.slack.On("post", bridgetest.Cue{Err: &platform.Error{
			Platform: "slack", Op: "chat.postMessage", Kind: platform.Misconfigured, Code: "invalid_auth", Err: errors.New("token xoxb-canary"),
		}})
		w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		r := w.call("", "GET", "/readyz", "").want(t, http.StatusServiceUnavailable)
		if diff := cmp.Diff(&Health{Status: "unready", Parts: []Ailing{{Part: "slack", Detail: "invalid_auth"}}}, read[Health](t, r)); diff != "" {
			t.Error(diff)
		}
		w.call("", "GET", "/livez", "").want(t, http.StatusOK)
		w.call("", "GET", "/readyz?part=slack", "").want(t, http.StatusUnprocessableEntity)
		w.handler.Drain()
		if got := read[Health](t, w.call("", "GET", "/readyz", "")); len(got.Parts) != 2 || got.Parts[0] != (Ailing{Part: "bridge", Detail: "shutting down"}) {
			t.Errorf("draining: %+v", got)
		}
	})
}

// When Slack failed, a cluster took every replica out of service: agents could not ask, and presses on Discord
// failed.
func TestReadyStoreIgnoresPlatforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &failing{Store: memory.New()}
		w := newWorldOn(t, anonymous(), st, &bridge.Options{})
		defer w.stop()
		w.slack.On("post", bridgetest.Cue{Err: &platform.Error{
			Platform: "slack", Op: "chat.postMessage", Kind: platform.Misconfigured, Code: "invalid_auth", Err: errors.New("revoked"),
		}})
		w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		w.call("", "GET", "/readyz", "").want(t, http.StatusServiceUnavailable)
		logged := strings.Count(w.logs.String(), "not ready")
		w.call("", "GET", "/readyz?part=store", "").want(t, http.StatusOK)
		if again := strings.Count(w.logs.String(), "not ready"); again != logged {
			t.Error("the log reports not ready")
		}
		st.err = bridge.ErrUnavailable
		r := w.call("", "GET", "/readyz?part=store", "").want(t, http.StatusServiceUnavailable)
		if diff := cmp.Diff(&Health{Status: "unready", Parts: []Ailing{{Part: "store", Detail: "unavailable"}}}, read[Health](t, r)); diff != "" {
			t.Error(diff)
		}
		st.err = nil
		w.handler.Drain()
		r = w.call("", "GET", "/readyz?part=store", "").want(t, http.StatusServiceUnavailable)
		if got := read[Health](t, r); len(got.Parts) != 1 || got.Parts[0].Part != "bridge" {
			t.Errorf("draining: %+v", got)
		}
	})
}

func TestPanicIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorldOn(t, anonymous(), &panicking{memory.New()}, &bridge.Options{})
		defer w.stop()
		r := w.call("", "GET", "/v1/requests/canary", "").want(t, http.StatusInternalServerError)
		p := read[client.Problem](t, r)
		if strings.Contains(r.body, "boom") || p.CallID == "" {
			t.Error(r.body)
		}
		if log := w.logs.String(); !strings.Contains(log, "boom") || !strings.Contains(log, p.CallID) || !strings.Contains(log, "failing") && !strings.Contains(log, "panicking") {
			t.Error("the log lacks the reason")
		}
		w.call("", "GET", "/livez", "").want(t, http.StatusOK)
	})
}

type panicking struct{ bridge.Store }

func (*panicking) Load(context.Context, string) (bridge.Record, error) { panic("boom") }

func TestLogOmitsCallContent(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "deploy-bot", Token: "canary-token"}), func(t *testing.T, w *fixture) {
		body := strings.NewReplacer("Which database?", "canary-text", "Postgres", "canary-label", "Managed", "canary-description").Replace(oneQuestion)
		id := w.call("canary-token", "POST", "/v1/requests", with(body, `"context":"canary-context"`)).want(t, http.StatusCreated).request(t).ID
		w.call("canary-token", "POST", "/v1/requests", `{"questions":[{"question":"canary-bad"`).want(t, http.StatusBadRequest)
		w.call("canary-token", "GET", "/v1/requests/"+id+"?canary-query=1", "").want(t, http.StatusUnprocessableEntity)
		w.call("canary-token", "GET", "/v1/requests/"+id+"?heard=0", "").want(t, http.StatusOK)
		w.call("canary-token", "GET", "/canary-path", "").want(t, http.StatusNotFound)
		synctest.Wait() // A call is logged after its response.
		log := w.logs.String()
		if strings.Contains(log, "canary") {
			t.Errorf("a canary is in the log:\n%s", log)
		}
		for _, part := range []string{
			`"method":"POST","route":"/v1/requests","status":201,"took":0,"request_id":"` + id + `","agent":"deploy-bot"`,
			`"method":"GET","route":"/v1/requests/{id}","status":200`, `"route":"none","status":404`, `"call_id":"`,
		} {
			if !strings.Contains(log, part) {
				t.Errorf("no %s in the log:\n%s", part, log)
			}
		}
	})
}

func TestCallIDsAreLogged(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		made := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		at := "/v1/requests/" + made.request(t).ID
		replies := map[string]reply{
			"asked": made, "nothing there": w.call("", "GET", "/v1/requests/nothing", ""), "waited": w.call("", "GET", at+"?wait=2s", ""),
			"refused": w.call("", "POST", "/v1/requests", "{}"), "no such path": w.call("", "GET", "/nowhere", ""), "no such method": w.call("", "PATCH", at, ""),
		}
		synctest.Wait() // A call is logged after its response.
		ids := map[string]bool{}
		for name, r := range replies {
			id := r.Header.Get(HeaderCallID)
			if ids[id] = true; id == "" || !strings.Contains(w.logs.String(), `"call_id":"`+id+`"`) {
				t.Errorf("%s: the id %q is not in the log", name, id)
			}
		}
		if len(ids) != len(replies) {
			t.Errorf("%d ids for %d calls", len(ids), len(replies))
		}
	})
}

// raw sends bytes on a new connection and returns the response until the server closes it.
func (w *fixture) raw(send func(net.Conn)) string {
	w.t.Helper()
	conn, err := w.net.Dial(w.t.Context(), "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	done := make(chan struct{})
	go func() { defer close(done); send(conn) }()
	data, _ := io.ReadAll(conn)
	conn.Close()
	<-done
	return string(data)
}

func TestSlowClientsAreCutOff(t *testing.T) {
	drip := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			for _, b := range []byte(text) {
				time.Sleep(time.Second)
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		}
	}
	start := func(text string, rest func(net.Conn)) func(net.Conn) {
		return func(c net.Conn) {
			if _, err := c.Write([]byte(text)); err == nil {
				rest(c)
			}
		}
	}
	const chunked = "POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
	tests := []struct {
		name   string
		send   func(net.Conn)
		within time.Duration
		want   string
	}{
		{"headers by the byte", drip("GET /v1/requests HTTP/1.1\r\nHost: localhost\r\n\r\n"), headerTime, ""},
		{"a body by the byte", start("POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", drip(strings.Repeat(" ", 100))), bodyTime + 2*time.Second, "HTTP/1.1 408"},
		{"an unexpected body", start("POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", drip(strings.Repeat(" ", 100))), 2 * time.Second, "HTTP/1.1 405"},
		{"a body without end", start(chunked, func(c net.Conn) {
			for {
				if _, err := c.Write([]byte("400\r\n" + strings.Repeat(" ", 1024) + "\r\n")); err != nil {
					return
				}
			}
		}), time.Second, "HTTP/1.1 413"},
		{"a huge header", func(c net.Conn) {
			_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n"))
		}, time.Second, "HTTP/1.1 431"},
		{"a connection without calls", func(net.Conn) {}, headerTime, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, anonymous(), func(t *testing.T, w *fixture) {
				began := time.Now()
				got := w.raw(test.send)
				if took := time.Since(began); took > test.within+time.Second {
					t.Errorf("it took %s", took)
				}
				if !strings.HasPrefix(got, test.want) {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

func TestDeadlinesAreCleared(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		for range 3 {
			// The same connection, longer than any deadline of the call before.
			time.Sleep(2 * max(bodyTime, writeTime))
			w.call("", "GET", "/v1/requests/"+id+"?wait=50s", "").want(t, http.StatusOK)
			w.call("", "POST", "/v1/requests?wait=50s", oneQuestion).want(t, http.StatusCreated)
		}
	})
}

func TestClearTextHTTP2IsOffered(t *testing.T) {
	t.Parallel()
	w := newFixture(t, anonymous())
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{DialContext: w.net.Dial, Protocols: &protocols}
	defer transport.CloseIdleConnections()
	w.http = &http.Client{Transport: &inspector{t: t, next: transport}}
	made := w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
	if made.ProtoMajor != 2 {
		t.Errorf("protocol %s", made.Proto)
	}
	id := made.request(t).ID
	done := make(chan reply, 20)
	for range cap(done) {
		go func() { done <- w.call("", "GET", "/v1/requests/"+id+"?wait=30s", "") }()
	}
	w.press(id, 0, 0)
	for range cap(done) {
		if r := (<-done).want(t, http.StatusOK).request(t); !r.Ended() {
			t.Errorf("got %s", quote(r))
		}
	}
}
