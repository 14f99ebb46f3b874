package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
)

// fewConnections limits the server to 16 connections.
func fewConnections() *settings {
	return &settings{Connections: 16, Agents: []access.Agent{{Name: "deploy-bot", Token: floodToken}}}
}

const (
	floodToken  = "0123456789012345678901"
	floodHeader = "Authorization: Bearer " + floodToken
)

// flooded opens three times as many connections as the server may have.
func (w *fixture) flooded() {
	for range 3 * 16 {
		c := w.wire()
		w.t.Cleanup(func() { _ = c.Close() })
		c.send("GET", "/livez")
		later(time.Millisecond)
	}
}

func TestWaitIsAnsweredDuringFlood(t *testing.T) {
	bubble(t, fewConnections(), func(t *testing.T, w *fixture) {
		c := w.wire()
		defer c.Close()
		for range 3 {
			id := w.call(floodToken, "POST", "/v1/requests", oneQuestion).request(t).ID
			c.send("GET", "/v1/requests/"+id+"?wait=50s", floodHeader)
			w.waiting(1)
			w.flooded()
			w.press(id, 0, 0)
			if r := c.next().want(t, http.StatusOK).request(t); r.State != ask.Answered {
				t.Errorf("it is %s", r.State)
			}
			w.flooded()
			later(20 * time.Second)
			c.send("GET", "/v1/requests/"+id, floodHeader)
			c.next().want(t, http.StatusOK)
		}
	})
}

func TestWaitersYieldToNewCallers(t *testing.T) {
	bubble(t, fewConnections(), func(t *testing.T, w *fixture) {
		id := w.call(floodToken, "POST", "/v1/requests", oneQuestion).request(t).ID
		for range 2 * 16 {
			c := w.wire()
			defer c.Close()
			c.send("GET", "/v1/requests/"+id+"?wait=1s", floodHeader)
			if r := c.next().want(t, http.StatusOK); r.Header.Get("Retry-After") != "" {
				t.Errorf("it could not wait: %v", r.Header)
			}
		}
	})
}

func TestWaitsLeaveConnectionsForOthers(t *testing.T) {
	bubble(t, fewConnections(), func(t *testing.T, w *fixture) {
		id := w.call(floodToken, "POST", "/v1/requests", oneQuestion).request(t).ID
		for range 14 {
			c := w.wire()
			defer c.Close()
			c.send("GET", "/v1/requests/"+id+"?wait=50s", floodHeader)
			later(time.Second)
		}
		began := time.Now()
		for path, status := range map[string]int{"/v1/requests/" + id + "?wait=50s": http.StatusOK, "/v1/events": http.StatusServiceUnavailable, "/livez": http.StatusOK} {
			c := w.wire()
			c.send("GET", path, floodHeader, "Connection: close")
			if r := c.next().want(t, status); (r.Header.Get("Retry-After") == "") != (path == "/livez") {
				t.Errorf("%s: %v", path, r.Header)
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
