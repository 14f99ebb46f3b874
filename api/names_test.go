package api

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

func TestHostNames(t *testing.T) {
	s := agents(access.Agent{Name: "a", Token: "token-a"})
	s.Hosts = []string{"Bridge.example.org"}
	bubble(t, s, func(t *testing.T, w *fixture) {
		for host, want := range map[string]int{
			"bridge.example.org": 200, "bridge.example.org:8443": 200, "BRIDGE.EXAMPLE.ORG": 200, "localhost:8080": 200, "127.0.0.1": 200, "[::1]:8080": 200,
			"elsewhere.example.org": 421, "bridge.example.org.elsewhere.org": 421, "10.0.0.1:8080": 421,
		} {
			if got := w.call("token-a", "GET", "/v1/requests", "", "Host: "+host).StatusCode; got != want {
				t.Errorf("Host %s: %d, want %d", host, got, want)
			}
		}
	})
}

func TestTwoTokensAreRejected(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		w.call("", "GET", "/v1/requests", "", "Authorization: Bearer token-a", "Authorization: Bearer token-b").want(t, http.StatusUnauthorized)
	})
}

// The remote address identifies callers that guess tokens, so callers must not be able to invent one.
func TestRemoteSkipsTrustedProxies(t *testing.T) {
	s := &service{opts: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, test := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "192.0.2.7:4711", nil, "192.0.2.7"},
		{"no proxy that is trusted", "192.0.2.7:4711", []string{"198.51.100.1"}, "192.0.2.7"},
		{"a trusted one", "10.0.0.1:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a trusted one, on a socket for both protocols", "[::ffff:10.0.0.1]:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"an address made up before the proxy", "10.0.0.1:4711", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"the same in a line of its own", "10.0.0.1:4711", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"two trusted ones", "10.0.0.1:4711", []string{"198.51.100.1, ::ffff:10.0.0.2"}, "198.51.100.1"},
		{"words", "10.0.0.1:4711", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
	} {
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": test.forwarded}}
		if got := s.remote(r); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestListPageSizeIsLimited(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for range maxPage + 1 {
			w.call("", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		}
		page := read[client.Page](t, w.call("", "GET", "/v1/requests?limit=100000", "").want(t, http.StatusOK))
		if len(page.Requests) != maxPage || page.Next == "" {
			t.Errorf("it has %d requests, and the next one begins at %q", len(page.Requests), page.Next)
		}
	})
}

func TestReasonLengthMatchesReference(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		path := "/v1/requests/" + w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID + "/cancel"
		w.call("", "POST", path, `{"reason":"`+strings.Repeat("ä", maxReason+1)+`"}`).want(t, http.StatusUnprocessableEntity)
		w.call("", "POST", path, `{"reason":"`+strings.Repeat("ä", maxReason)+`"}`).want(t, http.StatusOK)
	})
}
