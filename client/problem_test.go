package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/tokentext"
)

func TestProblemsMatchLibraryErrors(t *testing.T) {
	t.Parallel()
	all := []error{ask.ErrNotFound, ask.ErrGone, ask.ErrConflict, ask.ErrUnavailable, ask.ErrInvalid}
	for status, want := range map[int][]error{
		http.StatusNotFound:            {ask.ErrNotFound, bridge.ErrNotFound},
		http.StatusGone:                {ask.ErrNotFound, ask.ErrGone, bridge.ErrGone},
		http.StatusConflict:            {ask.ErrConflict, bridge.ErrConflict},
		http.StatusServiceUnavailable:  {ask.ErrUnavailable, bridge.ErrUnavailable},
		http.StatusUnprocessableEntity: {ask.ErrInvalid},
		http.StatusTeapot:              nil,
	} {
		p := error(&client.Problem{Status: status})
		for _, err := range want {
			if !errors.Is(p, err) {
				t.Errorf("%d is not %q", status, err)
			}
		}
		for _, err := range all {
			expected := false
			for _, w := range want {
				expected = expected || errors.Is(err, w) && err == w //nolint:errorlint // The very sentinel.
			}
			if errors.Is(p, err) != expected {
				t.Errorf("%d is %q: %v", status, err, !expected)
			}
		}
	}
}

func TestProxyErrorBodyIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, body, want string }{
		"plain text":         {"text/plain; charset=utf-8", "Client sent an HTTP request\n to an HTTPS server.\n", "400 Bad Request: Client sent an HTTP request to an HTTPS server."},
		"a long text":        {"text/plain", strings.Repeat("ä", 500), "400 Bad Request: " + strings.Repeat("ä", 200)},
		"a page for browser": {"text/html", "<h1>Bad request</h1>", "400 Bad Request"},
		"nothing":            {"text/plain", "", "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			bridge, err := client.New(server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bridge.Get(t.Context(), "r1"); err == nil || err.Error() != c.want {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestTruncatedTokenIsNotSent(t *testing.T) {
	t.Parallel()
	whole := tokentext.New()
	for token, want := range map[string]error{
		whole: nil, "a token of one's own": nil, "": nil,
		whole[:30]: tokentext.ErrDamaged, whole + "x": tokentext.ErrDamaged,
	} {
		if c, err := client.New("http://127.0.0.1:8080", &client.Options{Token: token}); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%q makes %v, %v, want %v", token, c, err, want)
		}
	}
}
