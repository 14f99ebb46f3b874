package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestAnswerFlagsSkipAndNote(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{
		{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}, Notes: true},
		{Text: "Which checks?", Header: "Checks", Options: []ask.Option{{Label: "Unit"}, {Label: "Lint"}}, Optional: true},
		{Text: "Which ticket?", Header: "Ticket", Optional: true},
	}
	for name, tt := range map[string]struct {
		d       deciding
		want    []client.GivenAnswer
		problem string
	}{
		"an optional question may be left": {
			deciding{answers: []string{"1=Postgres"}}, []client.GivenAnswer{{Selected: []string{"Postgres"}}}, "",
		},
		"a question is skipped by its name or number": {
			deciding{answers: []string{"Database=SQLite"}, skip: []string{"Checks", "3"}},
			[]client.GivenAnswer{{Selected: []string{"SQLite"}}, {Index: 1, Skip: true}, {Index: 2, Skip: true}},
			"",
		},
		"a note with its answer": {
			deciding{answers: []string{"1=Postgres"}, notes: []string{"Database=only = for the beta"}},
			[]client.GivenAnswer{{Selected: []string{"Postgres"}, Notes: "only = for the beta"}},
			"",
		},
		"a question that is not optional needs an answer": {deciding{skip: []string{"Checks"}}, nil, `there is no --answer for "Database"`},
		"nor is it skipped":                      {deciding{skip: []string{"Database"}}, nil, `"Database" is not optional`},
		"a question is not answered and skipped": {deciding{answers: []string{"1=Postgres", "2=Unit"}, skip: []string{"2"}}, nil, "answered twice"},
		"a note needs an answer":                 {deciding{answers: []string{"1=Postgres"}, notes: []string{"2=x"}}, nil, "no answer to this question"},
		"a note with a reply":                    {deciding{reply: "Not today.", notes: []string{"1=x"}}, nil, "excludes --reply"},
		"an unknown question is named":           {deciding{skip: []string{"Colour"}}, nil, `no question "Colour"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.d.body(questions, nil)
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("got %v, want an error about %q", err, tt.problem)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got.Answers); err != nil || diff != "" {
				t.Errorf("%v, %s", err, diff)
			}
		})
	}
}

func TestAnswerErrorsNameQuestions(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{
		{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}, NoOther: true},
		{Text: "Which zone?", Header: "Zone", Options: []ask.Option{{Label: "Here"}, {Label: "There"}}},
	}
	for want, d := range map[string]deciding{
		`there is no question "Colour"; there are: 1 "Which database?", 2 "Zone"`: {answers: []string{"Colour=red"}},
		`the question "Which database?" is answered twice`:                        {answers: []string{"1=Postgres", "which database?=SQLite"}},
		`the question "Which database?" is not optional`:                          {skip: []string{"1"}},
		`there is no question ""`:                                                 {skip: []string{""}},
		`there is no --answer for "Which database?"`:                              {answers: []string{"Zone=Here"}},
		`"Redis" is not an option of "Which database?"`:                           {answers: []string{"1=Redis"}},
	} {
		if _, err := d.body(questions, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}
