package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// impostor is a server at the bridge's address.
type impostor func(r *http.Request) *http.Response

func (s impostor) RoundTrip(r *http.Request) (*http.Response, error) { return s(r), nil }

// IDs become file names next to a host and parts of commands that people copy.
func TestWhatIsNoIDOfABridgeIsNotTakenForOne(t *testing.T) {
	t.Parallel()
	calls := map[string]struct {
		status int
		body   func(id string) string
		call   func(ctx context.Context, c *client.Client) error
	}{
		"the request of a submission": {
			body: func(id string) string { return `{"id":` + id + `,"state":"answered"}` },
			call: func(ctx context.Context, c *client.Client) error { _, err := c.Ask(ctx, ask.Request{}); return err },
		},
		"one of a list": {
			body: func(id string) string {
				return `{"requests":[{"id":"ab1"},{"id":` + id + `}]}`
			},
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.List(ctx, client.ListQuery{})
				return err
			},
		},
		"the one of a tool result": {
			body: func(string) string { return `{}` },
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.SubmitTool(ctx, client.ToolCall{Dialect: "claude", Input: []byte(`{}`)})
				return err
			},
		},
		"the one that was asked before": {
			status: http.StatusConflict,
			body:   func(id string) string { return `{"title":"Conflict","request_id":` + id + `}` },
			call: func(ctx context.Context, c *client.Client) error {
				_, err := c.Submit(ctx, ask.Request{})
				if p, ok := errors.AsType[*client.Problem](err); ok && p.RequestID == "" {
					return errors.New("no id of a bridge") // Nothing leads to it.
				}
				return err
			},
		},
	}
	for what, tt := range calls {
		for _, id := range []string{
			"x/../../.bashrc", `x\..\..\run`, "..", ".", "-rf", "a b", "$(id)", "a;id", "a*", "a=b", "a\x1b[2J", "a\u202eb", "a\nb", "ä", strings.Repeat("a", 129),
		} {
			named, err := json.Marshal(id)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(what+" "+strconv.Quote(id), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c, err := client.New("http://127.0.0.1:8080", &client.Options{Tries: 2, HTTP: &http.Client{Transport: impostor(func(r *http.Request) *http.Response {
						return &http.Response{
							StatusCode: max(tt.status, http.StatusOK), Request: r,
							Header: http.Header{client.HeaderState: {"answered"}, client.HeaderRequestID: {id}},
							Body:   io.NopCloser(strings.NewReader(tt.body(string(named)))),
						}
					})}})
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if err := tt.call(ctx, c); err == nil || !strings.Contains(err.Error(), "no id of a bridge") || strings.ContainsAny(err.Error(), "\x1b\u202e\n") {
						t.Errorf("got %v", err)
					}
				})
			})
		}
	}
}

// A client that was handed in follows redirects, and Go sends the token along to other ports of the host.
func TestTokenDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard <- r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `{"id":"ab1","state":"open"}`)
	}))
	t.Cleanup(other.Close)
	bridge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(bridge.Close)
	for name, o := range map[string]client.Options{
		"a client of its own": {},
		"one handed in":       {HTTP: &http.Client{}},
		"a sealed token":      {HTTP: &http.Client{}, Sealed: true},
	} {
		o.Token, o.Tries = "your-token", 1
		c, err := client.New(bridge.URL, &o)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := c.Get(t.Context(), "ab1"); err == nil {
			t.Errorf("%s: it took %+v", name, r)
		}
		if len(heard) > 0 {
			t.Errorf("%s: %q was sent elsewhere", name, <-heard)
		}
	}
}
