package ask_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

const deployJSON = `{"tool_call_id":"toolu_01","session":"s1","agent":"deploy-bot","context":"Deploying 4.2",
 "to":[{"platform":"slack","channel":"C0000001","thread":""}],
 "responders":["slack:U0000001"],"expires_in":"30m",
 "questions":[{"question":"Which database?","header":"Database","multiSelect":false,
   "options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}]}]}`

func TestDecodeRequestDocumentedForm(t *testing.T) {
	t.Parallel()
	got, ignored, err := ask.DecodeRequest([]byte(deployJSON))
	if err != nil || len(ignored) != 0 {
		t.Fatalf("error %v, ignored %v", err, ignored)
	}
	want := ask.Request{
		ToolCallID: "toolu_01", Session: "s1", Agent: "deploy-bot", Context: "Deploying 4.2",
		To:         []ask.Place{{Platform: "slack", Channel: "C0000001"}},
		Responders: []string{"slack:U0000001"}, ExpiresIn: 30 * time.Minute,
		Questions: []ask.Question{{
			Text: "Which database?", Header: "Database",
			Options: []ask.Option{{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRequestVariants(t *testing.T) {
	t.Parallel()
	ab := []ask.Option{{Label: "A"}, {Label: "B"}}
	for _, tt := range []struct {
		name, in string
		want     []ask.Question
		ignored  []string
	}{
		{
			"questions as a JSON string", `"[{\"question\":\"Q?\",\"options\":[{\"label\":\"A\"},{\"label\":\"B\"}]}]"`,
			[]ask.Question{{Text: "Q?", Options: ab}},
			nil,
		},
		{
			"a single question object", `{"question":"Q?","options":["A","B"]}`,
			[]ask.Question{{Text: "Q?", Options: ab}},
			nil,
		},
		{
			"an object around the questions", `{"questions":[{"question":"Q?"}]}`,
			[]ask.Question{{Text: "Q?"}},
			nil,
		},
		{
			"multi_select in snake case", `[{"question":"Q?","multi_select":true,"options":["A","B"]}]`,
			[]ask.Question{{Text: "Q?", MultiSelect: true, Options: ab}},
			nil,
		},
		{
			"the names of other hosts for several", `[{"question":"Q?","multiple":true,"options":["A","B"]},{"question":"Q?","allow-multiple":true,"options":["A","B"]}]`,
			[]ask.Question{{Text: "Q?", MultiSelect: true, Options: ab}, {Text: "Q?", MultiSelect: true, Options: ab}},
			nil,
		},
		{
			"multi-select under two names that agree", `[{"question":"Q?","multiSelect":true,"multi_select":true,"options":["A","B"]}]`,
			[]ask.Question{{Text: "Q?", MultiSelect: true, Options: ab}},
			nil,
		},
		{
			"a byte order mark", "\ufeff" + `[{"question":"Q?","options":["A","B"]}]`,
			[]ask.Question{{Text: "Q?", Options: ab}},
			nil,
		},
		{
			"booleans in quotes", `[{"question":"Q?","multiSelect":"true","options":["A","B"]}]`,
			[]ask.Question{{Text: "Q?", MultiSelect: true, Options: ab}},
			nil,
		},
		{
			"numbers as labels", `[{"question":"How many?","options":[{"label":1},2.50]}]`,
			[]ask.Question{{Text: "How many?", Options: []ask.Option{{Label: "1"}, {Label: "2.50"}}}},
			nil,
		},
		{
			"options as a JSON string", `[{"question":"Q?","options":"[\"A\",\"B\"]"}]`,
			[]ask.Question{{Text: "Q?", Options: ab}},
			nil,
		},
		{
			"nulls", `[{"question":"Q?","header":null,"multiSelect":null,"options":null}]`,
			[]ask.Question{{Text: "Q?"}},
			nil,
		},
		{
			"a yes/no question", `[{"question":"Deploy?","type":"yes_no"}]`,
			[]ask.Question{ask.YesNo("Deploy?")},
			nil,
		},
		{
			"unknown members", `[{"question":"Q?","colour":"red","options":[{"label":"A","icon":"x"},"B"]}]`,
			[]ask.Question{{Text: "Q?", Options: ab}},
			[]string{"questions[0].options[0].icon", "questions[0].colour"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ignored, err := ask.DecodeQuestions([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.ignored, ignored); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRequestReportsEveryError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		paths    []string
	}{
		{"not JSON", `nonsense`, []string{"body"}},
		{"an array in place of the body", `[]`, []string{"body"}},
		{"null", `null`, []string{"body"}},
		{"two names for several that disagree", `{"questions":[{"question":"Q?","multiSelect":false,"multiple":true}]}`, []string{"questions[0].multiple"}},
		{"half a character of UTF-16", "\xff\xfe{", []string{"body"}},
		{"questions as a number", `{"questions":7}`, []string{"questions"}},
		{"questions as plain text", `{"questions":"which one?"}`, []string{"questions"}},
		{
			"several at once",
			`{"session":{},"expires_in":"soon","responders":"slack:U1","to":7,"questions":[{"question":[],"multiSelect":"maybe","options":7}]}`,
			[]string{"session", "to", "responders", "expires_in", "questions[0].question", "questions[0].multiSelect", "questions[0].options"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := ask.DecodeRequest([]byte(tt.in))
			var invalid *ask.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %v", err)
			}
			var paths []string
			for _, p := range invalid.Problems {
				paths = append(paths, p.Path)
			}
			if diff := cmp.Diff(tt.paths, paths); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseExpiry(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "24h": 24 * time.Hour, "2d": 48 * time.Hour, "never": ask.Never, "1h30m": 90 * time.Minute,
	} {
		if got, err := ask.ParseExpiry(in); err != nil || got != want {
			t.Errorf("ParseExpiry(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "soon", "0s", "-5m", "0d", "-1d", "99999999999999999999d", "5"} {
		if got, err := ask.ParseExpiry(in); !errors.Is(err, ask.ErrExpiry) {
			t.Errorf("ParseExpiry(%q) = %v, %v, want ErrExpiry", in, got, err)
		}
	}
}

func FuzzDecodeRequest(f *testing.F) {
	f.Add([]byte(deployJSON))
	f.Add([]byte(`{"questions":"[{\"question\":\"Q?\"}]","to":{"platform":"slack","channel":"C1"}}`))
	f.Add([]byte(`{"questions":[{"question":1,"options":[true,null,{"label":{}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := ask.DecodeRequest(data)
		if err != nil {
			if !errors.Is(err, ask.ErrInvalid) {
				t.Fatalf("decoding failed with %v, want ErrInvalid", err)
			}
			return
		}
		if r.Validate(nil) != nil {
			return
		}
		again, err := json.Marshal(r.Questions)
		if err != nil {
			t.Fatal(err)
		}
		questions, ignored, err := ask.DecodeQuestions(again)
		if err != nil || len(ignored) > 0 {
			t.Fatalf("marshaled request does not decode: %v, ignored %v", err, ignored)
		}
		for i := range questions {
			if len(questions[i].Options) == 0 {
				questions[i].Options, r.Questions[i].Options = nil, nil
			}
		}
		if diff := cmp.Diff(r.Questions, questions); diff != "" {
			t.Error(diff)
		}
	})
}
