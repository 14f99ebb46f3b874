package ask_test

import (
	"slices"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestCheckRisk(t *testing.T) {
	t.Parallel()
	options := []ask.Option{{Label: "Drop"}, {Label: "Keep"}}
	one := ask.Question{Text: "Drop it?", Options: options}
	with := func(change func(*ask.Question)) []ask.Question {
		q := one.Clone()
		change(&q)
		return []ask.Question{q}
	}
	for name, tt := range map[string]struct {
		risk      ask.Risk
		questions []ask.Question
		wrong     bool
	}{
		"none":              {"", []ask.Question{one, one}, false},
		"one question":      {ask.HighRisk, []ask.Question{one}, false},
		"unknown":           {"low", []ask.Question{one}, true},
		"several questions": {ask.HighRisk, []ask.Question{one, one}, true},
		"text only":         {ask.HighRisk, []ask.Question{{Text: "Why?"}}, true},
		"multi-select":      {ask.HighRisk, with(func(q *ask.Question) { q.MultiSelect = true }), true},
		"notes":             {ask.HighRisk, with(func(q *ask.Question) { q.Notes = true }), true},
		"optional":          {ask.HighRisk, with(func(q *ask.Question) { q.Optional = true }), true},
		"six options":       {ask.HighRisk, with(func(q *ask.Question) { q.Options = slices.Repeat(options, 3) }), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.risk.Check("risk", tt.questions); (len(got) > 0) != tt.wrong {
				t.Errorf("problems %v", got)
			}
		})
	}
}

func TestDecodeRisk(t *testing.T) {
	t.Parallel()
	r, _, err := ask.DecodeRequest([]byte(`{"questions":[{"question":"Drop it?","options":["Drop","Keep"]}],"risk":"high"}`))
	if err != nil || r.Risk != ask.HighRisk {
		t.Errorf("risk %q, error %v", r.Risk, err)
	}
}
