//go:build faults

package faults

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/redistest"
)

func floods() []row {
	return []row{{
		number: 38, name: "outsiders open too many connections and keep them open",
		person: "clicks accepted within a second", agent: "health, request and answer, each within a second",
		kept: "the answer", do: "put a proxy in front",
		note: "`connections closed to make room` in the log",
		play: func(_ *testing.T, c *claims) {
			c.on(func(t *testing.T, platform string) { flooded(t, c, platform) })
		},
	}}
}

const (
	// floodFiles is the file limit of the replica, half of which are connections.
	floodFiles = 512
	// floodTime is how long a caller may wait for a response during the flood.
	floodTime = time.Second
)

func flooded(t *testing.T, c *claims, platform string) {
	t.Helper()
	s := onlyOn(platform, redistest.Start(t))
	s.Files = floodFiles
	w := NewWorld(t, s)
	r := w.Start()
	at := "http://" + r.Address
	w.deliver(at)
	w.probed.Store(false)
	w.probe()
	// The flood comes first, before any connection is verified.
	w.http.CloseIdleConnections()
	flood(t, r.Address, 600, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	flood(t, r.Address, 200, "GET /livez HTTP/1.1\r\nHost: loc")
	flood(t, r.Address, 200, "")

	calls := &http.Transport{}
	t.Cleanup(calls.CloseIdleConnections)
	agent, err := client.New(at, &client.Options{HTTP: &http.Client{Transport: calls}, Token: agentToken, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	in := func(what string, f func(context.Context) error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), floodTime)
		defer cancel()
		if err := f(ctx); err != nil {
			t.Fatalf("%s is not answered within %s: %v", what, floodTime, err)
		}
	}
	var made *client.Request
	c.agent(func() {
		for _, path := range []string{"/livez", "/readyz"} {
			in(path, func(ctx context.Context) error { return probed(ctx, at+path) })
		}
		in("an agent's request", func(ctx context.Context) (err error) {
			made, err = agent.Submit(ctx, Question(platform, "k"))
			return err
		})
	})
	dana := w.Dana(platform)
	dana.Awaits("for k?", "[SQLite]")
	c.person(func() {
		in("a press", func(ctx context.Context) error { return dana.Press(ctx, "SQLite") })
		dana.AwaitsClosed()
	})
	c.kept(func() {
		in("an agent's look", func(ctx context.Context) (err error) {
			made, err = agent.Get(ctx, made.ID)
			return err
		})
		answered(t, made, "SQLite")
	})
	if !r.Logged("connections closed to make room") {
		t.Error("the log does not mention it")
	}
}

// flood opens connections that send the same text and stay open until the test ends.
func flood(t *testing.T, address string, connections int, text string) {
	t.Helper()
	for range connections {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

// probed makes one health check on a new connection.
func probed(ctx context.Context, url string) error {
	calls := &http.Transport{DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := calls.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
