package ask_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func pair(labels ...string) []ask.Option {
	var options []ask.Option
	for _, l := range labels {
		options = append(options, ask.Option{Label: l})
	}
	return options
}

// options is a request with one question and n options.
func options(n int) ask.Request {
	var labels []string
	for i := range n {
		labels = append(labels, fmt.Sprintf("Option %d", i+1))
	}
	return ask.Request{Questions: []ask.Question{{Text: "Which?", Options: pair(labels...)}}}
}

func valid() ask.Request {
	return ask.Request{Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: pair("Postgres", "SQLite")}}}
}

func TestValidateReportsProblemAndPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*ask.Request)
		kind   error
		path   string
	}{
		{"no questions", func(r *ask.Request) { r.Questions = nil }, ask.ErrNoQuestions, "questions"},
		{"five questions", func(r *ask.Request) {
			for range 4 {
				r.Questions = append(r.Questions, r.Questions[0])
			}
		}, ask.ErrTooManyQuestions, "questions"},
		{"empty text", func(r *ask.Request) { r.Questions[0].Text = "" }, ask.ErrEmptyQuestion, "questions[0].question"},
		{"text of zero-width characters", func(r *ask.Request) { r.Questions[0].Text = "\u200b\u2060 \u202e" }, ask.ErrEmptyQuestion, "questions[0].question"},
		{"one option", func(r *ask.Request) { r.Questions[0].Options = pair("A") }, ask.ErrOptionCount, "questions[0].options"},
		{"five options", func(r *ask.Request) { r.Questions[0].Options = pair("A", "B", "C", "D", "E") }, ask.ErrOptionCount, "questions[0].options"},
		{"empty label", func(r *ask.Request) { r.Questions[0].Options[1].Label = " " }, ask.ErrEmptyLabel, "questions[0].options[1].label"},
		{"the same label twice", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Postgres" }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"labels that only look different to a machine", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Post\u200bgres " }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"labels of which one ends in a filler", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Postgres\u3164" }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"labels of which one has a joiner of graphemes", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Post\u034fgres" }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"labels of which one ends in a selector of forms", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Postgres\ufe0f" }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"labels of which one ends in a blank of Braille", func(r *ask.Request) { r.Questions[0].Options[1].Label = "Postgres\u2800" }, ask.ErrDuplicateLabel, "questions[0].options[1].label"},
		{"a label of nothing but a filler", func(r *ask.Request) { r.Questions[0].Options[1].Label = "\u3164" }, ask.ErrEmptyLabel, "questions[0].options[1].label"},
		{"text of nothing but a blank of Braille", func(r *ask.Request) { r.Questions[0].Text = "\u2800" }, ask.ErrEmptyQuestion, "questions[0].question"},
		{"a label of 1,001 characters", func(r *ask.Request) { r.Questions[0].Options[0].Label = strings.Repeat("ä", 1001) }, ask.ErrTooLong, "questions[0].options[0].label"},
		{"a header of 1,001 characters", func(r *ask.Request) { r.Questions[0].Header = strings.Repeat("ä", 1001) }, ask.ErrTooLong, "questions[0].header"},
		{"30,001 characters in all", func(r *ask.Request) { r.Questions[0].Options[0].Description = strings.Repeat("x", 30_000) }, ask.ErrTooLong, "questions"},
		{"a text-only question without text", func(r *ask.Request) { r.Questions[0].Options, r.Questions[0].NoOther = nil, true }, ask.ErrUnanswerable, "questions[0]"},
		{"an empty list of responders", func(r *ask.Request) { r.Responders = []string{} }, ask.ErrResponders, "responders"},
		{"an empty list of places", func(r *ask.Request) { r.To = []ask.Place{} }, ask.ErrTarget, "to"},
		{"a responder without platform", func(r *ask.Request) { r.Responders = []string{"U0000001"} }, ask.ErrResponders, "responders[0]"},
		{"a route and a place", func(r *ask.Request) {
			r.Route, r.To = "deploys", []ask.Place{{Platform: "slack", Channel: "C1"}}
		}, ask.ErrTarget, "route"},
		{"a place without channel or user", func(r *ask.Request) { r.To = []ask.Place{{Platform: "slack"}} }, ask.ErrTarget, "to[0]"},
		{"a place with channel and user", func(r *ask.Request) { r.To = []ask.Place{{Platform: "slack", Channel: "C1", User: "U1"}} }, ask.ErrTarget, "to[0]"},
		{"a place without platform", func(r *ask.Request) { r.To = []ask.Place{{Channel: "C1"}} }, ask.ErrTarget, "to[0].platform"},
		{"the same place twice", func(r *ask.Request) {
			r.To = []ask.Place{{Platform: "slack", Channel: "C1"}, {Platform: "slack", Channel: "C1"}}
		}, ask.ErrTarget, "to[1]"},
		{"a negative expiry", func(r *ask.Request) { r.ExpiresIn = -time.Minute }, ask.ErrExpiry, "expires_in"},
		{"an expiry of two years", func(r *ask.Request) { r.ExpiresIn = 2 * 366 * 24 * time.Hour }, ask.ErrExpiry, "expires_in"},
		{"a session of 257 bytes", func(r *ask.Request) { r.Session = strings.Repeat("x", 257) }, ask.ErrTooLong, "session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := valid()
			tt.change(&r)
			err := r.Validate(nil)
			var invalid *ask.InvalidError
			if !errors.As(err, &invalid) || !errors.Is(err, ask.ErrInvalid) || !errors.Is(err, tt.kind) {
				t.Fatalf("got %v, want an InvalidError that is %v", err, tt.kind)
			}
			if len(invalid.Problems) != 1 || invalid.Problems[0].Path != tt.path || invalid.Problems[0].Detail == "" {
				t.Errorf("got problems %+v, want one at %s", invalid.Problems, tt.path)
			}
			if !strings.Contains(err.Error(), tt.path+": ") {
				t.Errorf("%q does not contain the path %s", err, tt.path)
			}
		})
	}
}

func TestValidateReportsAllProblems(t *testing.T) {
	t.Parallel()
	r := ask.Request{
		Responders: []string{},
		Questions: []ask.Question{
			{Text: "", Options: pair("A", "A")},
			{Text: "Ok?", Options: pair("", "B", "C", "D", "E")},
		},
	}
	var invalid *ask.InvalidError
	if !errors.As(r.Validate(nil), &invalid) {
		t.Fatal("accepted")
	}
	var paths []string
	for _, p := range invalid.Problems {
		paths = append(paths, p.Path)
	}
	want := []string{"questions[0].question", "questions[0].options[1].label", "questions[1].options", "questions[1].options[0].label", "responders"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	ten := valid()
	for range 9 {
		ten.Questions = append(ten.Questions, ten.Questions[0])
	}
	for _, tt := range []struct {
		name  string
		r     ask.Request
		rules *ask.Rules
	}{
		{"an ordinary set", valid(), nil},
		{"ten questions where the caller may", ten, &ask.Rules{MaxQuestions: 10}},
		{"never more than ten, whatever the rules say", ten, &ask.Rules{MaxQuestions: 50}},
		{"one option where the caller may", options(1), &ask.Rules{MinOptions: 1}},
		{"five options where the caller may", options(5), &ask.Rules{MaxOptions: 5}},
		{"25 options where the caller may", options(25), &ask.Rules{MinOptions: 1, MaxOptions: 100}},
		{"a text-only question", ask.Request{Questions: []ask.Question{{Text: "Why?"}}}, nil},
		{"a yes/no question", ask.Request{Questions: []ask.Question{ask.YesNo("Deploy?")}}, nil},
		{"a long header", ask.Request{Questions: []ask.Question{{Text: "Q?", Header: "Far longer than twelve", Options: pair("A", "B")}}}, nil},
		{"a request that waits for ever", ask.Request{ExpiresIn: ask.Never, Questions: valid().Questions}, nil},
		{"labels that differ only in case", ask.Request{Questions: []ask.Question{{Text: "Q?", Options: pair("C", "c")}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.r.Validate(tt.rules); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRulesLimitOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n     int
		rules *ask.Rules
		want  string
	}{
		{1, nil, "1 given; give 2 to 4"},
		{5, &ask.Rules{}, "5 given; give 2 to 4"},
		{6, &ask.Rules{MaxOptions: 5}, "6 given; give 2 to 5"},
		{2, &ask.Rules{MinOptions: 3, MaxOptions: 5}, "2 given; give 3 to 5"},
		{26, &ask.Rules{MinOptions: 1, MaxOptions: 100}, "26 given; give 1 to 25"},
		{3, &ask.Rules{MinOptions: 9, MaxOptions: 2}, "3 given; give 2 to 2"},
	} {
		r := options(tt.n)
		if err := r.Validate(tt.rules); !errors.Is(err, ask.ErrOptionCount) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d options: %v, want %q", tt.n, err, tt.want)
		}
	}
}

func TestLongHeaderIsAdvisory(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{{Text: "Q?", Header: "twelve chars"}, {Text: "Q?", Header: "thirteen char"}}
	advice := ask.Advise(questions)
	if len(advice) != 1 || advice[0].Path != "questions[1].header" {
		t.Errorf("got %+v, want advice only on questions[1].header", advice)
	}
}

func TestOptionStyles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		styles []ask.Style
		want   string
	}{
		"none":           {[]ask.Style{"", ""}, ""},
		"one of each":    {[]ask.Style{ask.Primary, ask.Danger}, ""},
		"two dangerous":  {[]ask.Style{ask.Danger, ask.Danger}, ""},
		"two primary":    {[]ask.Style{ask.Primary, ask.Primary}, "questions[0].options[1].style"},
		"an unknown one": {[]ask.Style{"", "success"}, "questions[0].options[1].style"},
	} {
		q := ask.Question{Text: "Go?"}
		for n, style := range tt.styles {
			q.Options = append(q.Options, ask.Option{Label: string(rune('A' + n)), Style: style})
		}
		r := ask.Request{To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Questions: []ask.Question{q}}
		got := ""
		if invalid, ok := errors.AsType[*ask.InvalidError](r.Validate(nil)); ok {
			got = invalid.Problems[0].Path
		}
		if got != tt.want {
			t.Errorf("%s: problem at %q, want %q", name, got, tt.want)
		}
	}
}
