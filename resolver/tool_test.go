package resolver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/resolver"
)

func TestToolDefinitionForHost(t *testing.T) {
	t.Parallel()
	tool := resolver.NewTool(resolver.Static{Answers: []resolver.Answer{{Selected: []string{"In-process"}, Other: "NATS"}}})
	var schema struct {
		Properties struct {
			Questions struct{ MinItems, MaxItems int }
		}
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || schema.Properties.Questions.MinItems != 1 || schema.Properties.Questions.MaxItems != 4 {
		t.Errorf("schema %s, %v", tool.InputSchema, err)
	}
	if tool.Name != "ask_user_question" || tool.Description != resolver.Description() || tool.Description == "" {
		t.Errorf("the model is told of %q: %q", tool.Name, tool.Description)
	}
	// One answer for two questions, and typed text with a label.
	got, err := tool.Run(t.Context(), "call_1", []byte(input))
	if want := (resolver.ToolResult{Text: "Which <queue>?\nNATS"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if name := resolver.NewToolNamed(resolver.SDKToolName, nil).Name; name != "AskUserQuestion" {
		t.Errorf("named %q", name)
	}
}

func TestToolResultWithoutAnswers(t *testing.T) {
	t.Parallel()
	gone, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		resolver resolver.Resolver
		input    string
		ctx      context.Context
		want     resolver.ToolResult
		err      error
	}{
		"a dismissal":         {resolver.Static{Err: resolver.ErrCancelled}, input, t.Context(), resolver.ToolResult{Text: "[cancelled by user]"}, nil},
		"no resolver":         {nil, input, t.Context(), resolver.ToolResult{Text: "resolver error: askuserquestion: no resolver configured", IsError: true}, nil},
		"no questions":        {resolver.Static{}, `{"questions":[]}`, t.Context(), resolver.ToolResult{Text: resolver.ErrNoQuestions.Error(), IsError: true}, nil},
		"a host that stopped": {resolver.Console{In: strings.NewReader("1\n1\n"), Out: io.Discard}, input, gone, resolver.ToolResult{}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resolver.NewTool(c.resolver).Run(c.ctx, "call_1", []byte(c.input))
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestToolLimits(t *testing.T) {
	t.Parallel()
	options := func(n int) []ask.Option {
		all := make([]ask.Option, n)
		for i := range all {
			all[i].Label = strconv.Itoa(i)
		}
		return all
	}
	questions := func(n, of int) []ask.Question {
		all := make([]ask.Question, n)
		for i := range all {
			all[i] = ask.Question{Text: strconv.Itoa(i), Header: strings.Repeat("h", resolver.RecommendedHeaderLen+1), Options: options(of)}
		}
		return all
	}
	for _, c := range []struct {
		questions []ask.Question
		want      error
	}{
		{questions(resolver.MaxQuestions, resolver.MinOptions), nil},
		{questions(resolver.MaxQuestions, resolver.MaxOptions), nil},
		{questions(resolver.MaxQuestions+1, resolver.MinOptions), resolver.ErrTooManyQuestions},
		{questions(1, resolver.MinOptions-1), resolver.ErrOptionCount},
		{questions(1, resolver.MaxOptions+1), resolver.ErrOptionCount},
	} {
		if err := resolver.Validate(c.questions); !errors.Is(err, c.want) {
			t.Errorf("%d questions of %d options: %v, want %v", len(c.questions), len(c.questions[0].Options), err, c.want)
		}
	}
	text := string(resolver.NewTool(nil).InputSchema)
	if want := fmt.Sprintf("at most %d characters", resolver.RecommendedHeaderLen); !strings.Contains(text, want) {
		t.Errorf("a model is not told %q: %s", want, text)
	}
}

func TestToolRuleErrors(t *testing.T) {
	t.Parallel()
	ab := []ask.Option{{Label: "A"}, {Label: "B"}}
	q := func(text, header string, options ...ask.Option) ask.Question {
		return ask.Question{Text: text, Header: header, Options: options}
	}
	for _, c := range []struct {
		want      error
		questions []ask.Question
	}{
		{nil, []ask.Question{q("Q", "a header of more than twelve", ab...)}},
		{resolver.ErrNoQuestions, nil},
		{resolver.ErrTooManyQuestions, []ask.Question{q("1", "h", ab...), q("2", "h", ab...), q("3", "h", ab...), q("4", "h", ab...), q("5", "h", ab...)}},
		{resolver.ErrEmptyQuestion, []ask.Question{q(" ", "h", ab...)}},
		{resolver.ErrEmptyHeader, []ask.Question{q("Q", "", ab...)}},
		{resolver.ErrOptionCount, []ask.Question{q("Q", "h", ab[0])}},
		{resolver.ErrEmptyLabel, []ask.Question{q("Q", "h", ab[0], ask.Option{})}},
		{resolver.ErrDuplicateLabel, []ask.Question{q("Q", "h", ab[0], ab[0])}},
	} {
		err := resolver.Validate(c.questions)
		if !errors.Is(err, c.want) || c.want != nil && err.Error() != c.want.Error() {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if got := resolver.Format([]ask.Question{q("A?", "h", ab...), q("B?", "h", ab...)}, []resolver.Answer{{Selected: []string{"A"}}}); got != "A?\nA" {
		t.Errorf("formatted as %q", got)
	}
}

func TestConsoleLineMatchesSpringExample(t *testing.T) {
	t.Parallel()
	one := ask.Question{Text: "Which?", Header: "Library", Options: []ask.Option{{Label: "Moment.js", Description: "Large"}, {Label: "Day.js", Description: "Small"}}}
	for line, want := range map[string]resolver.Answer{
		"2":          {Selected: []string{"Day.js"}},
		" 1 , 2 ":    {Selected: []string{"Moment.js", "Day.js"}},
		"2,9":        {Selected: []string{"Day.js"}},
		"9":          {Other: "9"},
		"1,other":    {Other: "1,other"},
		"Luxon":      {Other: "Luxon"},
		"1,":         {Selected: []string{"Moment.js"}},
		"1,,2":       {Other: "1,,2"},
		",":          {Other: ","},
		"":           {},
		"-1,2":       {Selected: []string{"Day.js"}},
		"2.0, maybe": {Other: "2.0, maybe"},
	} {
		var out bytes.Buffer
		got, err := resolver.Console{In: strings.NewReader(line + "\n"), Out: &out}.Ask(t.Context(), resolver.Request{Questions: []ask.Question{one}})
		want.Question = one.Text
		if diff := cmp.Diff([]resolver.Answer{want}, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", line, err, diff)
		}
		const shown = "\nLibrary: Which?\n  1. Moment.js - Large\n  2. Day.js - Small\n  (Enter a number, or type custom text)\n"
		if out.String() != shown {
			t.Errorf("shown as %q", out.String())
		}
	}
	many := one
	many.MultiSelect = true
	var out bytes.Buffer
	_, err := resolver.Console{In: strings.NewReader("1\n"), Out: &out}.Ask(t.Context(), resolver.Request{Questions: []ask.Question{many, many}})
	if !errors.Is(err, resolver.ErrCancelled) || !strings.Contains(out.String(), "(Enter numbers separated by commas, or type custom text)") {
		t.Errorf("%v after %q", err, out.String())
	}
}
