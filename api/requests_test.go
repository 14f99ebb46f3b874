package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/store/memory"
)

func TestQuestionIsAnswered(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		began := time.Now().UTC()
		body := with(oneQuestion, `"tool_call_id":"toolu_01","session":"s1","agent":"deploy-bot","context":"Deploying 4.2","responders":["slack:U0000001"],"expires_in":"30m"`)
		made := w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated)
		r := made.request(t)
		want := &client.Request{
			ID: r.ID, State: ask.Open, ToolCallID: "toolu_01", Session: "s1", Agent: "deploy-bot", Context: "Deploying 4.2",
			CreatedAt: began, ExpiresAt: began.Add(30 * time.Minute), Responders: []string{"slack:U0000001"},
			Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{
				{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"},
			}}},
			Delivery: []client.Delivery{{Platform: "slack", Channel: "C0000001", Message: "m1", State: "posted"}},
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("open request (-want +got):\n%s", diff)
		}
		if at := made.Header.Get("Location"); at != "/v1/requests/"+r.ID {
			t.Errorf("Location is %q", at)
		}
		w.press(r.ID, 0, 0)
		done := w.call("", "GET", "/v1/requests/"+r.ID+"?wait=30s", "").want(t, http.StatusOK)
		want.State, want.Text, want.By, want.EndedAt = ask.Answered, "Which database?\nPostgres", ada, began
		want.Answers = []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"Postgres"}, By: ada, At: began}}
		if diff := cmp.Diff(want, done.request(t)); diff != "" {
			t.Errorf("answered request (-want +got):\n%s", diff)
		}
		for _, part := range []string{`"other":""`, `"index":0`, `"multiSelect":false`, `"by":{"platform":"slack","id":"U0000001","name":"Ada"}`} {
			if !strings.Contains(done.body, part) {
				t.Errorf("no %s in %s", part, done.body)
			}
		}
		if time.Since(began) != 0 {
			t.Error("a decided request was waited for")
		}
	})
}

func TestSameToolCallAttaches(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"tool_call_id":"toolu_01"`)
		first := w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t)
		again := w.call("", "POST", "/v1/requests", body).want(t, http.StatusOK).request(t)
		if again.ID != first.ID {
			t.Errorf("two requests: %s and %s", first.ID, again.ID)
		}
		w.press(first.ID, 0, 1)
		done := w.call("", "POST", "/v1/requests?wait=30s", body).want(t, http.StatusOK).request(t)
		if done.State != ask.Answered || done.Answers[0].Selected[0] != "SQLite" {
			t.Errorf("got %s", quote(done))
		}
		synctest.Wait()
		if n := len(w.slack.Standing()); n != 1 {
			t.Errorf("%d messages posted", n)
		}
	})
}

func TestIdempotencyKeyOverridesToolCallID(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"tool_call_id":"toolu_01"`)
		one := w.call("", "POST", "/v1/requests", body, "Idempotency-Key: a").want(t, http.StatusCreated).request(t)
		two := w.call("", "POST", "/v1/requests", body, "Idempotency-Key: b").want(t, http.StatusCreated).request(t)
		other := with(oneQuestion, `"tool_call_id":"toolu_02","idempotency_key":"z"`)
		same := w.call("", "POST", "/v1/requests", other, "Idempotency-Key: a").want(t, http.StatusOK).request(t)
		if one.ID == two.ID || one.ID != same.ID {
			t.Errorf("ids %s, %s, %s", one.ID, two.ID, same.ID)
		}
	})
}

func TestTraceParentIsStoredButNotCompared(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"tool_call_id":"toolu_01"`)
		made := w.call("", "POST", "/v1/requests", body, "traceparent: "+parent, "tracestate: rojo=1", "tracestate: congo=2").want(t, http.StatusCreated).request(t)
		again := w.call("", "POST", "/v1/requests", body, "traceparent: "+parent[:36]+"b7ad6b7169203331-01").want(t, http.StatusOK).request(t)
		bad := w.call("", "POST", "/v1/requests", with(oneQuestion, `"tool_call_id":"toolu_02"`), "traceparent: 00-hunter2", "tracestate: rojo=1").want(t, http.StatusCreated).request(t)
		two := w.call("", "POST", "/v1/requests", with(oneQuestion, `"tool_call_id":"toolu_03"`), "traceparent: "+parent, "traceparent: "+parent).want(t, http.StatusCreated).request(t)
		tool := w.call("", "POST", "/v1/ask/claude?session=s2&to=slack:C1", `{"questions":[{"question":"Which?","header":"Which","multiSelect":false,"options":[{"label":"A","description":""},{"label":"B","description":""}]}]}`, "traceparent: "+parent, "tracestate: Rojo=1")
		if again.ID != made.ID {
			t.Errorf("another span made another request: %s and %s", made.ID, again.ID)
		}
		for id, want := range map[string][2]string{made.ID: {parent, "rojo=1,congo=2"}, bad.ID: {}, two.ID: {}, tool.Header.Get("Askbridge-Request-Id"): {parent, ""}} {
			r, err := w.bridge.Load(t.Context(), id)
			if got := [2]string{r.TraceParent, r.TraceState}; err != nil || got != want {
				t.Errorf("request %q is of trace %q, %v; want %q", id, got, err, want)
			}
		}
	})
}

func TestKeyConflict(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		first := w.call("", "POST", "/v1/requests", oneQuestion, "Idempotency-Key: a").request(t)
		p := read[client.Problem](t, w.call("", "POST", "/v1/requests", strings.Replace(oneQuestion, "SQLite", "MySQL", 1), "Idempotency-Key: a").want(t, http.StatusConflict))
		rec, err := w.bridge.Load(t.Context(), first.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.RequestID != first.ID || !strings.Contains(p.Detail, first.ID) || !strings.Contains(p.Detail, rec.Fingerprint) || strings.Count(p.Detail, " is ") != 1 {
			t.Errorf("problem: %+v", p)
		}
	})
}

func TestSubmitReportsAllProblems(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := `{"to":[{"platform":"teams","channel":"C1"}],"responders":[],"expires_in":"soon","questions":[
			{"question":"","options":[{"label":"A"},{"label":"A"}]},{"question":"B?","options":["x"]}]}`
		p := read[client.Problem](t, w.call("", "POST", "/v1/requests", body).want(t, http.StatusUnprocessableEntity))
		if len(p.Errors) == 0 || p.Errors[0].Path != "expires_in" {
			t.Errorf("errors of reading: %+v", p.Errors)
		}
		body = strings.Replace(body, "soon", "30m", 1)
		p = read[client.Problem](t, w.call("", "POST", "/v1/requests", body).want(t, http.StatusUnprocessableEntity))
		var paths []string
		for _, e := range p.Errors {
			paths = append(paths, e.Path)
			if e.Detail == "" {
				t.Errorf("%s without detail", e.Path)
			}
		}
		for _, want := range []string{"questions[0].question", "questions[0].options[1].label", "questions[1].options", "responders", "to[0].platform"} {
			if !strings.Contains(strings.Join(paths, " ")+" ", want+" ") {
				t.Errorf("%s is missing in %q", want, paths)
			}
		}
		if page := read[client.Page](t, w.call("", "GET", "/v1/requests", "")); len(page.Requests) != 0 {
			t.Error("a bad request was stored")
		}
	})
}

func TestUnusualInputIsAcceptedWithRemarks(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := `{"to":[{"platform":"slack","channel":"C0000001","colour":"red"}],"mood":"fine",
			"questions":"[{\"question\":\"Which?\",\"header\":\"A header that is long\",\"multi_select\":\"true\",\"options\":[\"One\",2]}]"}`
		r := w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t)
		if diff := cmp.Diff([]ask.Question{{Text: "Which?", Header: "A header that is long", MultiSelect: true, Options: []ask.Option{{Label: "One"}, {Label: "2"}}}}, r.Questions); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"to[0].colour", "mood"}, r.Ignored); diff != "" {
			t.Error(diff)
		}
		if len(r.Advice) != 1 || r.Advice[0].Path != "questions[0].header" {
			t.Errorf("advice: %+v", r.Advice)
		}
	})
}

func TestRemarkOnRemindersOutsideHours(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := `{"questions":[{"question":"Deploy?","options":["Yes","No"]}],"expires_in":"8h",
			"schedule":{"steps":[{"after":"1h","do":"remind"}],"hours":{"zone":"UTC","days":"mon-thu","from":"22:00","to":"06:00"}}}`
		r := w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t)
		if len(r.Advice) != 1 || r.Advice[0].Path != "schedule.hours" || !strings.Contains(r.Advice[0].Detail, "no reminder or escalation happens") {
			t.Errorf("advice: %+v", r.Advice)
		}
	})
}

func TestTextOnlyQuestionsHaveEmptyOptions(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := w.call("", "POST", "/v1/requests", `{"questions":[{"question":"Why?"}],"expires_in":"never"}`).want(t, http.StatusCreated).body
		if !strings.Contains(body, `"options":[]`) || strings.Contains(body, "null") || strings.Contains(body, "expires_at") {
			t.Error(body)
		}
	})
}

func TestMalformedBodies(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		tests := []struct {
			name, path, body string
			want             int
		}{
			{"nothing", "/v1/requests", "", http.StatusBadRequest},
			{"not JSON", "/v1/requests", "{\"questions\":[", http.StatusBadRequest},
			{"two values", "/v1/requests", "{}{}", http.StatusBadRequest},
			{"not an object", "/v1/requests", "[]", http.StatusUnprocessableEntity},
			{"no questions", "/v1/requests", "{}", http.StatusUnprocessableEntity},
			{"too large", "/v1/requests", `{"x":"` + strings.Repeat("a", MaxRequest) + `"}`, http.StatusRequestEntityTooLarge},
			{"a wait that is none", "/v1/requests?wait=soon", oneQuestion, http.StatusUnprocessableEntity},
			{"a negative wait", "/v1/requests?wait=-3s", oneQuestion, http.StatusUnprocessableEntity},
			{"a reason that is none", "/v1/requests/x/cancel", `{"reason":1}`, http.StatusUnprocessableEntity},
			{"a reason too long", "/v1/requests/x/cancel", `{"reason":"` + strings.Repeat("a", maxReason+1) + `"}`, http.StatusUnprocessableEntity},
			{"nothing to cancel", "/v1/requests/x/cancel", "", http.StatusNotFound},
		}
		for _, test := range tests {
			r := w.call("", "POST", test.path, test.body)
			p := read[client.Problem](t, r)
			if r.StatusCode != test.want || p.Status != test.want || p.Title != http.StatusText(test.want) {
				t.Errorf("%s: %d, want %d: %s", test.name, r.StatusCode, test.want, r.body)
			}
		}
	})
}

// An agent with an empty list of places had the whole default route asked.
func TestEmptyPlacesAreRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		p := read[client.Problem](t, w.call("", "POST", "/v1/requests", `{"questions":[{"question":"Go?"}],"to":[]}`).want(t, http.StatusUnprocessableEntity))
		want := []client.Remark{{Path: "to", Detail: "is empty, so no one would be asked; leave it out for the default or name a place"}}
		if diff := cmp.Diff(want, p.Errors); diff != "" {
			t.Error(diff)
		}
	})
}

// An empty body was refused as invalid JSON at byte 0.
func TestEmptyBodyErrorShowsExpectedForm(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for name, tt := range map[string]struct{ method, path, body, want string }{
			"asking":              {"POST", "/v1/requests", "", `the body is empty; send {"questions":[{"question":"…","options":["…","…"]}]}`},
			"asking with a blank": {"POST", "/v1/requests", " \r\n", `the body is empty; send {"questions":[{"question":"…","options":["…","…"]}]}`},
			"revising":            {"PATCH", "/v1/requests/x", "", `the body is empty; send {"questions":[…]}, {"context":"…"} or both`},
			"half of one":         {"POST", "/v1/requests", "{", "the body is not JSON: it goes wrong at byte 1"},
		} {
			p := read[client.Problem](t, w.call("", tt.method, tt.path, tt.body).want(t, http.StatusBadRequest))
			if p.Detail != tt.want {
				t.Errorf("%s: %s, want %s", name, p.Detail, tt.want)
			}
		}
	})
}

// Decoding errors hid validation errors, which took two more attempts to see.
func TestDecodeAndValidationErrorsAreMerged(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := `{"expires_in":"5 parsecs","policy":"two","to":[{"platform":"irc","channel":"x"}],
			"questions":[{"question":"","options":["A","A"]},{"question":"Which?","options":"A, B"}]}`
		p := read[client.Problem](t, w.call("", "POST", "/v1/requests", body).want(t, http.StatusUnprocessableEntity))
		var at []string
		for _, e := range p.Errors {
			at = append(at, e.Path)
		}
		want := []string{"policy", "expires_in", "questions[1].options", "questions[0].question", "questions[0].options[1].label", "to[0].platform"}
		slices.Sort(at)
		slices.Sort(want)
		if !slices.Equal(at, want) {
			t.Errorf("named are %q, want %q: %+v", at, want, p.Errors)
		}
		for _, none := range []string{`[]`, `{"questions":1}`} { // No other problems for something that is no request.
			p := read[client.Problem](t, w.call("", "POST", "/v1/requests", none).want(t, http.StatusUnprocessableEntity))
			if len(p.Errors) != 1 {
				t.Errorf("%s: %+v", none, p.Errors)
			}
		}
		if r := w.call("", "GET", "/v1/requests", ""); strings.Contains(r.body, `"id"`) {
			t.Errorf("something was asked: %s", r.body)
		}
	})
}

// A request with the misspelled member "responder" could be answered by anyone, which only "ignored" reported.
func TestMisspelledMemberIsRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for body, want := range map[string]client.Remark{
			`"responder":["slack:U0000001"]`:                    {Path: "responder", Detail: "is no member of a request; did you mean responders?"},
			`"expiresIn":"30m"`:                                 {Path: "expiresIn", Detail: "is no member of a request; did you mean expires_in?"},
			`"policy":{"mode":"quorum","need":2,"chnge":false}`: {Path: "policy.chnge", Detail: "is no member of a request; did you mean change?"},
			`"schedule":{"steps":[{"after":"1m","do":"remind","notifi":["slack:U0000001"]}]}`: {Path: "schedule.steps[0].notifi", Detail: "is no member of a request; did you mean notify?"},
		} {
			p := read[client.Problem](t, w.call("", "POST", "/v1/requests", with(oneQuestion, body)).want(t, http.StatusUnprocessableEntity))
			if !slices.Contains(p.Errors, want) {
				t.Errorf("%s: %+v", body, p.Errors)
			}
		}
		if r := w.call("", "GET", "/v1/requests", ""); strings.Contains(r.body, `"id"`) {
			t.Errorf("something was asked: %s", r.body)
		}
	})
}

func TestDuplicateAndUnknownMembersAreRejected(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		path := "/v1/requests/" + w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
		for _, test := range []struct{ to, body, at, is string }{
			{"/cancel", `{"reason":"done","reason":"changed my mind"}`, "reason", "appears twice in its object; send it once"},
			{"/cancel", `{"reson":"done"}`, "reson", "is not known here"},
			{"/reply", `{"text":"Yes","text":"No"}`, "text", "appears twice in its object; send it once"},
			{"/reply", `{"text":"Yes","too":1}`, "too", "is not known here"},
			{"/taken", `{"instead":"a","instead":"b"}`, "instead", "appears twice in its object; send it once"},
		} {
			p := read[client.Problem](t, w.call("", "POST", path+test.to, test.body).want(t, http.StatusUnprocessableEntity))
			if want := []client.Remark{{Path: test.at, Detail: test.is}}; !slices.Equal(p.Errors, want) {
				t.Errorf("%s %s: %+v", test.to, test.body, p)
			}
		}
		if r := w.call("", "GET", path, "").request(t); r.State != ask.Open {
			t.Errorf("the request is %s", r.State)
		}
	})
}

func TestLargestBodyIsAccepted(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		body := with(oneQuestion, `"x":""`)
		body = strings.Replace(body, `"x":""`, `"x":"`+strings.Repeat("a", MaxRequest-len(body))+`"`, 1)
		w.call("", "POST", "/v1/requests", body).want(t, http.StatusCreated)
		w.call("", "POST", "/v1/requests", body+" ").want(t, http.StatusRequestEntityTooLarge)
	})
}

// The log line of the request named the agent that asked, as if that had cancelled it.
func TestAuditNamesCancellingToken(t *testing.T) {
	audit := &noting{}
	o := shellAndBot()
	o.Audit = audit
	bubble(t, o, func(t *testing.T, w *fixture) {
		for _, token := range []string{"token-bot", "token-root"} {
			id := w.call("token-bot", "POST", "/v1/requests", oneQuestion, "Idempotency-Key: "+token).want(t, http.StatusCreated).request(t).ID
			for range 2 { // The second time, the request has ended.
				w.call(token, "POST", "/v1/requests/"+id+"/cancel", "").want(t, http.StatusOK)
			}
			var want []string
			if token == "token-root" {
				want = []string{"request_cancel by root: " + id}
			}
			if !slices.Equal(audit.events, want) {
				t.Errorf("%s: audit trail: %q", token, audit.events)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for body, reason := range map[string]string{"": "", "{}": "", `{"reason":"changed my mind"}`: "changed my mind"} {
			id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
			r := w.call("", "POST", "/v1/requests/"+id+"/cancel", body).want(t, http.StatusOK).request(t)
			if r.State != ask.Cancelled || r.Reason != reason || r.EndedAt.IsZero() || r.By.ID != "" {
				t.Errorf("%q: %s", body, quote(r))
			}
			again := w.call("", "POST", "/v1/requests/"+id+"/cancel", `{"reason":"twice"}`).want(t, http.StatusOK).request(t)
			if again.Reason != reason {
				t.Errorf("reason after the second cancellation: %q", again.Reason)
			}
		}
	})
}

// at formats the end time of a request for a URL.
func at(w *fixture, id string) string {
	return w.call("", "GET", "/v1/requests/"+id, "").request(w.t).EndedAt.UTC().Format(time.RFC3339Nano)
}

func TestListPagination(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		var open, answered, cancelled []string
		for n := range 9 {
			time.Sleep(time.Second)
			id := w.call("", "POST", "/v1/requests", oneQuestion).request(t).ID
			switch n % 3 {
			case 0:
				open = append(open, id)
			case 1:
				w.press(id, 0, 0)
				answered = append(answered, id)
			case 2:
				w.call("", "POST", "/v1/requests/"+id+"/cancel", "").want(t, http.StatusOK)
				cancelled = append(cancelled, id)
			}
		}
		never := w.call("", "POST", "/v1/requests", with(oneQuestion, `"expires_in":"never"`)).request(t).ID
		open = append(open, never)
		ended := []string{answered[0], cancelled[0], answered[1], cancelled[1], answered[2], cancelled[2]}
		for query, want := range map[string][]string{
			"": open, "state=open": open, "state=ended": ended, "state=answered": answered, "state=cancelled": cancelled, "state=expired": nil,
			"state=ended&since=" + at(w, cancelled[0]): ended[1:], "state=answered&since=" + at(w, cancelled[0]): answered[1:], "state=ended&since=2100-01-01T00:00:00Z": nil,
		} {
			for _, limit := range []string{"1", "2", "3", "500"} {
				var got []string
				cursor := ""
				for range 20 {
					page := read[client.Page](t, w.call("", "GET", "/v1/requests?"+query+"&limit="+limit+"&cursor="+cursor, "").want(t, http.StatusOK))
					for _, r := range page.Requests {
						got = append(got, r.ID)
					}
					if cursor = page.Next; cursor == "" {
						break
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s limit %s (-want +got):\n%s", query, limit, diff)
				}
			}
		}
		for _, bad := range []string{"state=closed", "state=ended&since=yesterday", "since=2026-01-01T00:00:00Z", "limit=0", "limit=x", "cursor=x", "state=ended&cursor=" + cursor(bridge.Cursor{ID: never}, false)} {
			w.call("", "GET", "/v1/requests?"+bad, "").want(t, http.StatusUnprocessableEntity)
		}
	})
}

// A query that matches none of many requests must not read them all.
func TestListEffortIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		w := newWorldOn(t, anonymous(), st, &bridge.Options{})
		defer w.stop()
		end := func(r *bridge.Record, now time.Time) error {
			r.Outcome, r.EndedAt = ask.Outcome{State: ask.Cancelled, At: now}, now
			return nil
		}
		for n := range listEffort + 1 {
			r := bridge.Record{ID: fmt.Sprintf("r%05d", n)}
			if _, err := st.Create(t.Context(), r, end); err != nil {
				t.Fatal(err)
			}
		}
		page := read[client.Page](t, w.call("", "GET", "/v1/requests?state=answered&limit=200", "").want(t, http.StatusOK))
		if len(page.Requests) != 0 || page.Next == "" {
			t.Fatalf("%d requests of the first %d, and next %q", len(page.Requests), listEffort, page.Next)
		}
		if last := read[client.Page](t, w.call("", "GET", "/v1/requests?state=answered&limit=200&cursor="+page.Next, "")); len(last.Requests) != 0 || last.Next != "" {
			t.Errorf("after them %s", quote(last))
		}
	})
}

func TestUnknownPathsAndMethodsGetProblems(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for path, want := range map[string]int{"/": 404, "/v1": 404, "/v1/requests/": 404, "/v1/requests/a/b": 404, "/v1/events": 405, "/v1/requests": 405, "/v1/requests/x": 405, "/livez": 405} {
			r := w.call("", "DELETE", path, "")
			if p := read[client.Problem](t, r); r.StatusCode != want || p.Status != want || r.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d %s", path, r.StatusCode, r.body)
			}
			if want == 405 && r.Header.Get("Allow") == "" {
				t.Errorf("%s: no Allow", path)
			}
		}
		if allow := w.call("", "PUT", "/v1/requests", "").Header.Get("Allow"); allow != "POST, GET, HEAD" {
			t.Errorf("Allow: %s", allow)
		}
	})
}
