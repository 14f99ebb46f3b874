package mcpserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
)

// decode reads arguments like ask_user.
func decode(o Options, arguments string, m meta) (ask.Request, []string, error) {
	if o.MaxQuestions == 0 {
		o.MaxQuestions = ask.DefaultMaxQuestions
	}
	c := &call{
		s:   &Server{opts: o},
		req: &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Meta: m, Name: askName, Arguments: json.RawMessage(arguments)}},
	}
	return c.request()
}

func TestInputIsReadTheWayModelsWriteIt(t *testing.T) {
	t.Parallel()
	want := []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}}
	for name, arguments := range map[string]string{
		"as described":                `{"questions":[{"question":"Go?","options":[{"label":"Yes"},{"label":"No"}]}]}`,
		"questions as a string":       `{"questions":"[{\"question\":\"Go?\",\"options\":[{\"label\":\"Yes\"},{\"label\":\"No\"}]}]"}`,
		"all of it as a string":       `"{\"questions\":[{\"question\":\"Go?\",\"options\":[\"Yes\",\"No\"]}]}"`,
		"one question, no list":       `{"questions":{"question":"Go?","options":["Yes","No"]}}`,
		"a question on its own":       `{"question":"Go?","options":["Yes","No"]}`,
		"options as a string":         `{"question":"Go?","options":"[\"Yes\",\"No\"]"}`,
		"flags in quotes":             `{"question":"Go?","options":["Yes","No"],"multiSelect":"false"}`,
		"members that mean nothing":   `{"question":"Go?","options":["Yes","No"],"header":null}`,
		"questions wrapped once more": `{"questions":{"questions":[{"question":"Go?","options":["Yes","No"]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ignored, err := decode(Options{}, arguments, nil)
			if err != nil || ignored != nil {
				t.Fatalf("%v, ignored %q", err, ignored)
			}
			if diff := cmp.Diff(want, got.Questions); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSeveralIsReadByWhicheverOfItsNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"multiSelect", "multi_select", "multiselect", "multi-select", "MultiSelect", "multiple", "allowMultiple", "allow_multiple"} {
		for _, arguments := range []string{
			`{"questions":[{"question":"Which?","options":["A","B"],"` + name + `":true}]}`,
			`{"question":"Which?","options":["A","B"],"` + name + `":true}`,
		} {
			got, ignored, err := decode(Options{}, arguments, nil)
			if err != nil || ignored != nil || !got.Questions[0].MultiSelect {
				t.Errorf("%s: %+v, ignored %q, %v", arguments, got.Questions, ignored, err)
			}
		}
	}
	_, _, err := decode(Options{}, `{"question":"Which?","options":["A","B"],"multiSelect":false,"multiple":true}`, nil)
	if err == nil || !strings.Contains(err.Error(), "questions[0].multiple: contradicts multiSelect; send one of them") {
		t.Errorf("two that disagree: %v", err)
	}
}

func TestResultContainsAdvice(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		got := w.pipes(june2025).call(askName, nil, json.RawMessage(`{"question":"Go?","header":"A header that is much too long for a card","options":["A","B"]}`))
		if want := []wrong{{"questions[0].header", "has 41 characters; more than 12 may be cut for display"}}; !slices.Equal(got.Advice, want) {
			t.Errorf("advice %+v, want %+v", got.Advice, want)
		}
	})
}

func TestTraceParentIsStored(t *testing.T) {
	t.Parallel()
	const meta, header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, tt := range map[string]struct {
		meta   mcp.Meta
		header []string
		want   string
	}{
		"in the call":               {mcp.Meta{"traceparent": meta, "tracestate": "rojo=1"}, nil, meta + " rojo=1"},
		"in the header":             {nil, []string{header}, header + " congo=2"},
		"in both: the call's own":   {mcp.Meta{"traceparent": meta}, []string{header}, meta},
		"in two headers: in none":   {nil, []string{header, header}, ""},
		"nowhere":                   {nil, nil, ""},
		"in the call, as no string": {mcp.Meta{"traceparent": 1}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &call{s: &Server{}, req: &mcp.CallToolRequest{
				Params: &mcp.CallToolParamsRaw{Meta: tt.meta, Name: askName, Arguments: json.RawMessage(`{"question":"Go?","options":["Yes","No"]}`)},
			}}
			if tt.header != nil {
				c.req.Extra = &mcp.RequestExtra{Header: http.Header{"Traceparent": tt.header, "Tracestate": {"congo=2"}}}
			}
			r, _, _ := c.request() // A server without a place refuses it as well.
			if got := strings.TrimSpace(r.TraceParent + " " + r.TraceState); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestModelCannotSetStyle(t *testing.T) {
	t.Parallel()
	got, ignored, err := decode(Options{}, `{"question":"Drop the table?","options":[{"label":"Drop","style":"primary"},{"label":"Keep","style":"danger"}]}`, nil)
	if want := []string{"questions[0].options[0].style", "questions[0].options[1].style"}; err != nil || !slices.Equal(ignored, want) {
		t.Errorf("ignored %q, want %q, error %v", ignored, want, err)
	}
	for _, o := range got.Questions[0].Options {
		if o.Style != "" {
			t.Errorf("the model styled %s as %s", o.Label, o.Style)
		}
	}
}

func TestModelCannotSetRisk(t *testing.T) {
	t.Parallel()
	got, ignored, err := decode(Options{}, `{"question":"Drop the table?","options":["Drop","Keep"],"risk":"high"}`, nil)
	if err != nil || got.Risk != "" || !slices.Equal(ignored, []string{"risk"}) {
		t.Errorf("risk %q, ignored %q, error %v", got.Risk, ignored, err)
	}
}

func TestModelCannotSetPolicy(t *testing.T) {
	t.Parallel()
	got, ignored, err := decode(Options{}, `{"question":"Go?","options":["Yes","No"],"policy":{"mode":"quorum","need":1},"notify":["slack:U1"],"replies":"text","hold":"1s","ask_back":"stay","language":"de","receipts":true,"source":{"title":"Run 7","url":"https://ci.example.com/7"},"schedule":{"steps":[{"after":"1m","do":"remind"}]}}`, nil)
	if err != nil || !got.Voting.IsZero() || got.Notify != nil || !slices.Equal(ignored, []string{"policy", "notify", "replies", "hold", "ask_back", "language", "source", "receipts", "schedule"}) || got.Language != "" || !got.Replies.IsZero() || !got.Schedule.IsZero() || !got.Source.IsZero() {
		t.Errorf("the model decides by %+v and rings %q, takes replies %+v, ignored %q, %v", got.Voting, got.Notify, got.Replies, ignored, err)
	}
	if got.Hold != 0 || got.AskBack != "" || got.Receipts {
		t.Errorf("the model holds its answers for %s, lets people ask back (%s), or has receipts (%t)", got.Hold, got.AskBack, got.Receipts)
	}
	if !got.Deaf {
		t.Error("a route with ask-back treats the model as one that gets feedback")
	}
}

func TestWhoAsksIsNotTheAgentsToSay(t *testing.T) {
	for name, o := range map[string]*Options{"by its token": nil, "by the server's options": {Agent: "deployer", ModelMaySet: []string{"responders"}}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, o, func(t *testing.T, w *fixture) {
				who := access.Agent{Name: "deployer", ModelMaySet: []string{"responders"}, Tenant: "acme", Requesters: []string{"slack:U1"}, Terms: ask.Terms{Responders: []string{"slack:U7"}}}
				a := w.webAs(w.caller(who))
				if o != nil {
					a = w.pipes(july2026)
				}
				got := a.call(askName, under("toolu_1"), meta{
					"question": "Go?", "agent": "the boss", "tenant": "other", "requesters": []any{"slack:U9"}, "tool_call_id": "mine",
					"context": "x", "webhook": "https://evil.example", "responders": []any{"slack:U7", "slack:U9"},
				})
				r := w.open()
				if r.Agent != "deployer" || r.ToolCallID != "toolu_1" || r.Context != "x" || r.Webhook != nil {
					t.Errorf("asked as %+v", r)
				}
				if diff := cmp.Diff([]string{"requesters", "tenant", "agent", "webhook"}, got.Ignored); diff != "" {
					t.Error(diff)
				}
				if o != nil {
					return // No more is set there.
				}
				if r.Tenant != "acme" || !slices.Equal(r.Requesters, []string{"slack:U1"}) || r.Policy.String() != "slack:U7" {
					t.Errorf("tenant %q on behalf of %q, answered by %s", r.Tenant, r.Requesters, r.Policy)
				}
			})
		})
	}
	if got, _, _ := decode(Options{Session: "s1"}, `{"question":"Go?","agent":"Ann","session":"s2"}`, nil); got.Agent != "Ann" || got.Session != "s2" {
		t.Errorf("where nothing is set the agent's word counts: %+v", got)
	}
}

func TestOriginIsThatOfTheServer(t *testing.T) {
	t.Parallel()
	const theirs = `{"question":"Go?","origin":{"platform":"slack","channel":"C2"}}`
	origin := func(channel string) ask.Origin {
		return ask.Origin{Place: ask.Place{Platform: "slack", Channel: channel}}
	}
	tests := map[string]struct {
		opts      Options
		arguments string
		want      ask.Origin
		wrong     bool
	}{
		"the server's":            {Options{Origin: origin("C1")}, `{"question":"Go?"}`, origin("C1"), false},
		"the call's, not allowed": {Options{Origin: origin("C1")}, theirs, ask.Origin{}, true},
		"the call's, allowed":     {Options{Origin: origin("C1"), ModelMaySet: []string{"origin"}}, theirs, origin("C2"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := decode(test.opts, test.arguments, nil)
			if diff := cmp.Diff(test.want, got.Origin); (err != nil) != test.wrong || err == nil && diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestPlacesAreGivenAsTheServerAllows(t *testing.T) {
	t.Parallel()
	here, there := []ask.Place{{Platform: "slack", Channel: "C1"}}, []ask.Place{{Platform: "slack", Channel: "C2"}}
	tests := map[string]struct {
		opts      Options
		arguments string
		to        []ask.Place
		route     string
		wrong     []string
	}{
		"unset":                        {Options{}, `{"question":"Go?"}`, nil, "", nil},
		"the server's place":           {Options{To: here}, `{"question":"Go?"}`, here, "", nil},
		"the server's route":           {Options{Route: "deploys"}, `{"question":"Go?"}`, nil, "deploys", nil},
		"a route that may be chosen":   {Options{To: here, Routes: []string{"deploys"}}, `{"question":"Go?","route":"deploys"}`, nil, "deploys", nil},
		"a route that may not":         {Options{Routes: []string{"deploys"}}, `{"question":"Go?","route":"legal"}`, nil, "", []string{"route"}},
		"any route where none may be":  {Options{}, `{"question":"Go?","route":"legal"}`, nil, "", []string{"route"}},
		"a place of the agent's own":   {Options{To: here}, `{"question":"Go?","to":[{"platform":"slack","channel":"C2"}]}`, nil, "", []string{"to"}},
		"any place where that is fine": {Options{To: here, ModelMaySet: []string{"to", "route"}}, `{"question":"Go?","to":[{"platform":"slack","channel":"C2"}]}`, there, "", nil},
		"an empty list of places":      {Options{To: here}, `{"question":"Go?","to":[]}`, nil, "", []string{"to"}},
		"one that the bridge refuses":  {Options{To: here, ModelMaySet: []string{"to", "route"}}, `{"question":"Go?","to":[]}`, []ask.Place{}, "", nil},
		"all of it is wrong at once": {
			Options{},
			`{"questions":[{"question":"","options":["A"]}],"to":5,"route":"legal","expires_in":"soon","responders":[]}`, nil, "",
			[]string{"to", "expires_in", "route", "responders", "questions[0].question", "questions[0].options"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := decode(test.opts, test.arguments, nil)
			if test.wrong == nil {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.to, got.To); diff != "" || got.Route != test.route {
					t.Errorf("route %q %s", got.Route, diff)
				}
				return
			}
			wrong, ok := err.(*ask.InvalidError) //nolint:errorlint // It is what the function promises.
			if !ok {
				t.Fatalf("err = %v", err)
			}
			var paths []string
			for _, p := range wrong.Problems {
				paths = append(paths, p.Path)
			}
			if diff := cmp.Diff(test.wrong, paths); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEverythingWrongIsNamedAtOnce(t *testing.T) {
	overEveryLine(t, func() *Options { return &Options{ModelMaySet: []string{"responders"}} }, func(t *testing.T, w *fixture, a *agent) {
		got := a.call(askName, nil, meta{"questions": []any{
			meta{"question": " ", "options": []any{"A", "A"}},
			meta{"question": "Which?", "options": []any{"A"}},
		}, "responders": []any{"slack:nobody"}, "colour": "red"})
		want := []wrong{
			{"questions[0].question", "must not be empty"},
			{"questions[0].options[1].label", `is the same as options[0].label ("A"); labels must differ within a question`},
			{"questions[1].options", "1 given; give 2 to 4, or none for a text answer"},
			{"responders[0]", `"slack:nobody" is not a person`},
		}
		if diff := cmp.Diff(want, got.Errors); diff != "" || got.State != refused || !got.isError {
			t.Errorf("%+v %s", got, diff)
		}
		for _, e := range want {
			if !strings.Contains(got.text, "\n- "+e.Path+": "+e.Detail) {
				t.Errorf("%q does not name %s", got.text, e.Path)
			}
		}
		if diff := cmp.Diff([]string{"colour"}, got.Ignored); diff != "" {
			t.Error(diff)
		}
		if len(w.slack.Calls()) != 0 {
			t.Error("a question was asked")
		}
	})
}

func TestDuplicateArgumentRejected(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"question":"Go?","question":"Stop?"}`, `"{\"question\":\"Go?\",\"question\":\"Stop?\"}"`,
		`{"question":"Go?","responders":["slack:U1"],"responders":["anyone"]}`,
	} {
		if _, _, err := decode(Options{}, arguments, nil); err == nil || !strings.Contains(err.Error(), "appears twice") {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// BenchmarkArguments reads arguments sent as a string with nested objects, at two sizes: the time for one byte must
// not grow.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 975 << 10} {
		const open, end = `{"questions":`, `}`
		n := size / len(open+end)
		text, err := json.Marshal(strings.Repeat(open, n) + "[]" + strings.Repeat(end, n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%dkB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := decode(Options{}, string(text), nil); err == nil {
					b.Fatal("it was taken")
				}
			}
		})
	}
}

func TestWaitForUnknownRequest(t *testing.T) {
	bubble(t, &Options{}, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		for name, test := range map[string]struct {
			args  any
			state state
		}{
			"an unknown ID": {meta{"id": "nosuch"}, unknown},
			"no id":         {meta{}, refused},
			"a number":      {meta{"id": 7}, refused},
			"blanks":        {meta{"id": " "}, refused},
		} {
			if got := a.call(waitName, nil, test.args); got.State != test.state || !got.isError || !strings.Contains(got.text, `"pending"`) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

func TestAnotherTenantsRequestIsNotThere(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		mine, rival := w.webAs(w.caller(access.Agent{Name: "acme"})), w.webAs(w.caller(access.Agent{Name: "rival"}))
		admin := w.webAs(w.caller(access.Agent{Name: "ops", Scopes: []access.Scope{access.Admin}}))
		id := mine.call(askName, nil, database()).ID
		if got := rival.call(waitName, nil, meta{"id": id}); got.State != unknown {
			t.Errorf("a rival sees %+v", got)
		}
		if got := admin.call(waitName, nil, meta{"id": id}); got.State != pending {
			t.Errorf("an admin sees %+v", got)
		}
	})
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"questions":[{"question":"Go?","options":["A","B"]}]}`, `{"question":"Go?"}`, `"{}"`, `[]`, `null`, ``, `{"questions":"["}`,
		`{"request_id":5,"question":{}}`, `{"":0,"":{}}`, `"\"{}\""`, `{"question":"Go?","options":["A","B"],"multiple":true,"multi-select":"yes"}`, "\ufeff{}", "\"\ufeff{}\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := decode(Options{ModelMaySet: []string{"to", "route"}}, string(data), nil)
		if r.Tenant != "" || len(r.Requesters) != 0 || !reflect.ValueOf(r.Token).IsZero() || r.Unbound {
			t.Errorf("%s became the request of %q", data, r.Tenant)
		}
		if err == nil {
			return
		}
		wrong, ok := err.(*ask.InvalidError) //nolint:errorlint // It is what the function promises.
		if !ok || len(wrong.Problems) == 0 {
			t.Fatalf("%s: %v", data, err)
		}
		for _, p := range wrong.Problems {
			if p.Path == "" || p.Detail == "" {
				t.Errorf("%s: a problem without words: %+v", data, p)
			}
		}
	})
}
