package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

func hookCall() client.ToolCall {
	return client.ToolCall{Dialect: "claude", Input: []byte(hookInput), Request: ask.Request{To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}}}
}

func TestClientToolResultSurvivesRestarts(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		m := &moody{next: w.http.Transport}
		lost := 0
		lose := func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if lost++; lost <= 2 && err == nil {
				resp.Body.Close()
				return nil, errors.New("connection reset")
			}
			return resp, err
		}
		m.mood.Store(&lose)
		c := w.client(&client.Options{HTTP: &http.Client{Transport: m}})
		what := hookCall()
		what.Input = []byte(strings.Replace(hookInput, `"tool_use_id":"toolu_01",`, "", 1)) // So the client makes the key.
		done := make(chan *client.ToolResult)
		go func() {
			r, err := c.AskTool(t.Context(), what)
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		time.Sleep(40 * time.Second)
		page, err := w.client(nil).List(t.Context(), client.ListQuery{})
		if err != nil || len(page.Requests) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		id := page.Requests[0].ID
		w.handler.Drain()
		time.Sleep(time.Minute)
		refuse := func(*http.Request, http.RoundTripper) (*http.Response, error) {
			return nil, errors.New("connection refused")
		}
		m.mood.Store(&refuse)
		time.Sleep(3 * time.Minute)
		w.press(id, 0, 1)
		m.mood.Store(nil)
		r := <-done
		if r == nil || string(r.Body) != hookAnswer || r.State != ask.Answered || r.RequestID != id || r.IsError || r.ContentType != "application/json" {
			t.Errorf("got %+v", r)
		}
		synctest.Wait()
		if n := len(w.slack.Standing()); n != 1 {
			t.Errorf("%d messages posted", n)
		}
	})
}

func TestClientFindsToolCallAgain(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		first, err := c.SubmitTool(t.Context(), hookCall())
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.SubmitTool(t.Context(), hookCall())
		if err != nil || again.RequestID != first.RequestID {
			t.Errorf("again %+v, %v", again, err)
		}
		named := hookCall()
		named.Key = "k"
		if other, err := c.SubmitTool(t.Context(), named); err != nil || other.RequestID == first.RequestID {
			t.Errorf("under a key of its own: %+v, %v", other, err)
		}
	})
}

func TestToolCallIDOverridesFallbackKey(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		asked := func(input, key string) string {
			r := w.call("", "POST", "/v1/ask/claude"+toSlack, input, "Idempotency-Key: "+key, "Askbridge-Key: fallback").wantResult(t, http.StatusAccepted, ask.Open, false)
			return r.Header.Get(client.HeaderRequestID)
		}
		if one, two := asked(hookInput, "a"), asked(hookInput, "b"); one != two {
			t.Errorf("the call of one id is %s and %s", one, two)
		}
		unnamed := strings.Replace(hookInput, "tool_use_id", "x_tool_use_id", 1)
		if one, two := asked(unnamed, "a"), asked(unnamed, "b"); one == two {
			t.Errorf("two calls without an id are both %s", one)
		}
		alone := strings.Replace(hookInput, "session_id", "x_session_id", 1)
		if one, two := asked(alone, "a"), asked(alone, "b"); one == two {
			t.Errorf("two calls with an id of no session are both %s", one)
		}
		if one, two := asked(unnamed, "c"), asked(unnamed, "c"); one != two {
			t.Errorf("a call that was sent twice is %s and %s", one, two)
		}
	})
}

func TestClientSeparatesRefusalsFromProblems(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		r, err := c.AskTool(t.Context(), client.ToolCall{Dialect: "opal", Request: ask.Request{To: hookCall().To}})
		if err != nil || r.State != client.StateRefused || !r.IsError || len(r.Body) == 0 {
			t.Errorf("an empty input: %+v, %v", r, err)
		}
		if _, err := c.AskTool(t.Context(), client.ToolCall{Dialect: "klingon"}); !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("no such dialect: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		what := hookCall()
		r, err = c.AskTool(ctx, what)
		if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.State != ask.Open || r.RequestID == "" {
			t.Errorf("no answer: %+v, %v", r, err)
		}
		page := func(*http.Request, http.RoundTripper) (*http.Response, error) {
			w := httptest.NewRecorder()
			_, err := w.WriteString("<html>Sign in</html>")
			return w.Result(), err
		}
		m := &moody{next: w.http.Transport}
		m.mood.Store(&page)
		_, err = w.client(&client.Options{HTTP: &http.Client{Transport: m}}).AskTool(t.Context(), what)
		if err == nil || !strings.Contains(err.Error(), "not a reply of a bridge") {
			t.Errorf("a page in between: %v", err)
		}
	})
}

// The reply to any tool input is a result or a problem.
func FuzzAskTool(f *testing.F) {
	for _, d := range dialect.All() {
		f.Add([]byte(hookInput), d.Name, "to=slack:C0000001")
		f.Add([]byte(`{"questions":[{"question":"A?","header":"A","options":["x","y"]}]}`), d.Name, "route=d&subagent=x&expires_in=1h")
	}
	f.Add([]byte("\ufeff"+hookInput), "claude", "to=slack:C0000001")
	f.Add([]byte(wrap(hookInput)), "claude", "to=slack:C0000001&variant=strict")
	f.Add([]byte(`{"questions":[{"question":"A?","header":"A","multiple":true,"\u202e\r":1,"options":["x","y"]}]}`), "gemini", "to=slack:C0000001")
	f.Add([]byte("\xff{"), "claude", "to=slack:&to=%zz&responders=&context=\x00")
	handler := fuzzHandler(f)
	f.Fuzz(func(t *testing.T, body []byte, name, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/ask/x", strings.NewReader(string(body)))
		r.Host = "localhost"
		r.URL.Path, r.URL.RawQuery = "/v1/ask/"+strings.NewReplacer("/", "", ".", "").Replace(name), query
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		_, isResult := w.Header()[client.HeaderState]
		if w.Code >= 500 || isResult != (w.Code/100 == 2) && w.Code/100 != 3 {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if w.Header().Get(client.HeaderState) == string(ask.Answered) {
			t.Fatalf("no answer: %s", w.Body)
		}
	})
}

func TestQueryMatchesRequestMembers(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		c := w.client(nil)
		request := ask.Request{
			To: []ask.Place{{Platform: "slack", Channel: "C0000001"}, {Platform: "slack", User: "U0000001"}}, Responders: []string{"slack:U0000001", "slack:U0000002"},
			Voting: ask.Voting{Mode: ask.Quorum, Need: 2}, Notify: []string{}, Hold: 90 * time.Second,
			AskBack: ask.AskBackEnd, Receipts: true, Schedule: ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Remind}}, ClaimFor: time.Minute},
			ExpiresIn: 90 * time.Minute, Session: "s1", Agent: "deploy-bot", Context: "Deploying 4.2", Language: "de",
		}
		called, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "opal", Input: []byte(`{"question":"Which cloud?","choices":["Here","There"]}`), Request: request})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Get(t.Context(), called.RequestID)
		if err != nil {
			t.Fatal(err)
		}
		request.Questions = got.Questions
		want, err := c.Submit(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		own := cmpopts.IgnoreFields(client.Request{}, "ID", "Code", "Delivery", "Advice")
		if diff := cmp.Diff(want, got, own); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQueryRejectsInputMembers(t *testing.T) {
	t.Parallel()
	c, err := client.New("http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]ask.Request{
		"questions":  {Questions: []ask.Question{{Text: "Go?"}}},
		"links":      {Links: []ask.Link{{Label: "Docs", URL: "https://docs.example.com"}}},
		"files":      {Files: []ask.File{{Name: "a.txt", Text: "a"}}},
		"supersedes": {Supersedes: "r1"},
	} {
		_, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "opal", Input: []byte(`{}`), Request: r})
		if err == nil || !strings.HasSuffix(err.Error(), ": "+name+": only the tool input can contain this") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
