package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		code   int
		want   string
	}{
		"ready":                        {http.StatusOK, `{"status":"ok"}`, exitOK, "ready\n"},
		"not ready, and why":           {http.StatusServiceUnavailable, `{"status":"unready"}`, exitFailed, `askbridge: not ready: 503 Service Unavailable: {"status":"unready"}` + "\n"},
		"something else listens there": {http.StatusNotFound, "404 page not found", exitFailed, "askbridge: not ready: 404 Not Found: 404 page not found\n"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("request for %s", r.URL.Path)
				}
				w.WriteHeader(c.status)
				if _, err := w.Write([]byte(c.body)); err != nil {
					t.Error(err)
				}
			}))
			t.Cleanup(server.Close)
			var reply strings.Builder
			if code := run(t.Context(), []string{"healthcheck", "--url", server.URL + "/"}, &reply, &reply); code != c.code || reply.String() != c.want {
				t.Errorf("exit code %d, %q; want %d, %q", code, reply.String(), c.code, c.want)
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		var reply strings.Builder
		if code := run(t.Context(), []string{"healthcheck", "--url", server.URL}, &reply, &reply); code != exitFailed || !strings.Contains(reply.String(), "connection refused") {
			t.Errorf("exit code %d, %q", code, reply.String())
		}
	})
}
