package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

func (w *fixture) client(opts *client.Options) *client.Client {
	w.t.Helper()
	if opts == nil {
		opts = &client.Options{}
	}
	if opts.HTTP == nil {
		opts.HTTP = w.http
	}
	c, err := client.New("http://localhost/", opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

var database = ask.Request{
	To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, ToolCallID: "toolu_01", Session: "s1", Agent: "bot", Context: "<b> & co",
	Responders: []string{"slack:U0000001"}, ExpiresIn: ask.Never,
	Questions: []ask.Question{
		{Text: "Which <database>?", Header: "Database", Options: []ask.Option{{Label: "Postgres & co", Description: "Managed"}, {Label: "SQLite", Preview: "x := 1"}}, NoOther: true},
	},
}

func TestClientAsksAndWaits(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		go func() {
			time.Sleep(10 * time.Minute)
			page, err := c.List(t.Context(), client.ListQuery{})
			if err != nil || len(page.Requests) != 1 {
				t.Errorf("%+v, %v", page, err)
				return
			}
			w.press(page.Requests[0].ID, 0, 0)
		}()
		r, err := c.Ask(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		want := ask.Outcome{State: ask.Answered, By: ada, At: r.EndedAt, Answers: []ask.Answer{{
			Question: "Which <database>?", Header: "Database", Selected: []string{"Postgres & co"}, By: ada, At: r.EndedAt,
		}}}
		if diff := cmp.Diff(want, r.Outcome()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(database.Questions, r.Questions); diff != "" {
			t.Error(diff)
		}
		if !r.ExpiresAt.IsZero() || r.Context != database.Context || r.Responders[0] != "slack:U0000001" {
			t.Errorf("got %s", quote(r))
		}
	})
}

func TestClientCancelsAndLists(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}), func(t *testing.T, w *fixture) {
		c := w.client(&client.Options{Token: "token-a"})
		var ids []string
		for range 3 {
			r, err := c.Submit(t.Context(), ask.Request{Questions: []ask.Question{ask.YesNo("Go?")}, ExpiresIn: 36 * time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.ExpiresAt.Sub(r.CreatedAt); got != 36*time.Hour {
				t.Errorf("it expires in %s", got)
			}
			ids = append(ids, r.ID)
		}
		for _, id := range ids {
			if r, err := c.Cancel(t.Context(), id, "no need"); err != nil || r.State != ask.Cancelled || r.Reason != "no need" {
				t.Errorf("%v %v", r, err)
			}
		}
		page, err := c.List(t.Context(), client.ListQuery{State: ask.Cancelled, Limit: 2})
		if err != nil || len(page.Requests) != 2 || page.Next == "" {
			t.Fatalf("%+v %v", page, err)
		}
		page, err = c.List(t.Context(), client.ListQuery{State: ask.Cancelled, Limit: 2, Cursor: page.Next})
		if err != nil || len(page.Requests) != 1 || page.Next != "" {
			t.Errorf("%+v %v", page, err)
		}
		if r, err := c.Get(t.Context(), ids[0]); err != nil || r.ID != ids[0] {
			t.Errorf("%v %v", r, err)
		}
	})
}

func TestClientErrorKinds(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}), func(t *testing.T, w *fixture) {
		c := w.client(&client.Options{Token: "token-a"})
		_, err := c.Get(t.Context(), "../requests/nothing?x")
		if !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("unknown: %v", err)
		}
		if _, err = c.Wait(t.Context(), "nothing"); !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("waiting for what is not: %v", err)
		}
		_, err = c.Submit(t.Context(), ask.Request{Questions: []ask.Question{{Text: "A?"}, {}}})
		var p *client.Problem
		if !errors.Is(err, ask.ErrInvalid) || !errors.As(err, &p) || p.Errors[0].Path != "questions[1].question" {
			t.Errorf("invalid: %v", err)
		}
		r := ask.Request{Key: "k", Questions: []ask.Question{{Text: "A?"}}}
		if _, err = c.Submit(t.Context(), r); err != nil {
			t.Error(err)
		}
		r.Questions[0].Text = "B?"
		if _, err = c.Submit(t.Context(), r); !errors.Is(err, bridge.ErrConflict) || errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("conflict: %v", err)
		}
		if _, err = w.client(nil).Submit(t.Context(), r); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
			t.Errorf("no token: %v", err)
		}
		for _, address := range []string{"", "localhost:80", "ftp://x", "http://", "http://u:p@x", "http://x?y=z"} {
			if _, err := client.New(address, nil); err == nil {
				t.Errorf("%q is taken for an address", address)
			}
		}
	})
}

// moody intercepts calls in transit.
type moody struct {
	next http.RoundTripper
	mood atomic.Pointer[func(*http.Request, http.RoundTripper) (*http.Response, error)]
}

func (m *moody) RoundTrip(r *http.Request) (*http.Response, error) {
	if f := m.mood.Load(); f != nil {
		return (*f)(r, m.next)
	}
	return m.next.RoundTrip(r)
}

func TestLostResponseDoesNotAskTwice(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		m := &moody{next: w.http.Transport}
		lost := 0
		lose := func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if lost++; lost < 4 && err == nil {
				resp.Body.Close()
				return nil, io.ErrUnexpectedEOF
			}
			return resp, err
		}
		m.mood.Store(&lose)
		c := w.client(&client.Options{HTTP: &http.Client{Transport: m}})
		if _, err := c.Submit(t.Context(), ask.Request{Questions: []ask.Question{{Text: "Why?"}}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(w.slack.Standing()); n != 1 || lost != 4 {
			t.Errorf("%d messages after %d tries", n, lost)
		}
	})
}

func TestClientHonorsRetryAfter(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", Rate: 1}), func(t *testing.T, w *fixture) {
		c := w.client(&client.Options{Token: "token-a"})
		began := time.Now()
		for range 2 {
			if _, err := c.Submit(t.Context(), ask.Request{Questions: []ask.Question{{Text: "Why?"}}}); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// Retry-After may be a date. Such a call used to fail before that date.
func TestClientHonorsRetryAfterDate(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		m := &moody{next: w.http.Transport}
		c, open := w.client(&client.Options{HTTP: &http.Client{Transport: m}}), time.Now().Add(time.Minute)
		closed := func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			if !time.Now().Before(open) {
				return next.RoundTrip(r)
			}
			return &http.Response{
				StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Request: r,
				Header: http.Header{"Retry-After": {open.UTC().Format(http.TimeFormat)}},
			}, nil
		}
		m.mood.Store(&closed)
		if _, err := c.Submit(t.Context(), database); err != nil || time.Now().After(open.Add(time.Second)) {
			t.Errorf("%s after the moment: %v", time.Since(open), err)
		}
	})
}

func TestClientGivesUpOnMissingBridge(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		w.net.Close()
		if _, err := c.Submit(t.Context(), database); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if r, err := c.Wait(ctx, "a"); r != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", r, err)
		}
	})
}

func TestWaitSurvivesRestarts(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		m := &moody{next: w.http.Transport}
		c := w.client(&client.Options{HTTP: &http.Client{Transport: m}})
		made, err := c.Submit(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan *client.Request)
		go func() {
			r, err := c.Wait(t.Context(), made.ID)
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		time.Sleep(40 * time.Second)
		w.handler.Drain() // From here on, waits end immediately.
		time.Sleep(time.Minute)
		refuse := func(*http.Request, http.RoundTripper) (*http.Response, error) {
			return nil, errors.New("connection refused")
		}
		m.mood.Store(&refuse)
		time.Sleep(3 * time.Minute)
		gateway := func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>")), Request: r}, nil
		}
		m.mood.Store(&gateway)
		time.Sleep(3 * time.Minute)
		w.press(made.ID, 0, 1)
		m.mood.Store(nil)
		if r := <-done; r == nil || r.State != ask.Answered || r.Text != "Which <database>?\nSQLite" {
			t.Errorf("got %s", quote(r))
		}
		if calls := strings.Count(w.logs.String(), `"route":"/v1/requests/{id}"`); calls > 70 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestClearTextTokenIsLoggedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		address, token string
		sealed         bool
		want           string
	}{
		{"http://askbridge.example:8080", "secret-token", false, "the token travels in clear"},
		{"http://10.0.0.7", "secret-token", true, "questions and answers travel in clear"},
		{"https://askbridge.example", "secret-token", false, ""},
		{"http://127.0.0.1:8080", "secret-token", false, ""},
		{"http://localhost", "secret-token", true, ""},
		{"http://[::1]:8080", "secret-token", false, ""},
		{"http://askbridge.example", "", false, ""},
	} {
		var log bytes.Buffer
		if _, err := client.New(tt.address, &client.Options{Token: tt.token, Sealed: tt.sealed, Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		logged := log.String()
		if tt.want == "" && logged != "" || tt.want != "" && (!strings.Contains(logged, tt.want) || strings.Count(logged, "\n") != 1) || strings.Contains(logged, "secret-token") {
			t.Errorf("%s, sealed %t: %q, want %q", tt.address, tt.sealed, logged, tt.want)
		}
	}
}
