package dialect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

// An answered card shows only the header and the text of each question.
func TestElicitationCardKeepsItsQuestion(t *testing.T) {
	t.Parallel()
	const options = `"oneOf":[{"const":"p","title":"Postgres","description":"On our servers"},{"const":"s","title":"SQLite"}]`
	shown := []ask.Option{{Label: "Postgres", Description: "On our servers"}, {Label: "SQLite"}}
	for name, tt := range map[string]struct {
		form, context string
		want          []ask.Question
	}{
		"one question of Kimi": {
			form: `{"message":"Which database?","requestedSchema":{"properties":{"q0":{"type":"string","title":"Database",` + options + `}}}}`,
			want: []ask.Question{{Text: "Which database?", Header: "Database", Options: shown, NoOther: true}},
		},
		"several questions of Kimi": {
			form: `{"message":"Which database?\nWhich checks?","requestedSchema":{"properties":{"q0":{"type":"string","title":"Database",` + options + `},` +
				`"q1":{"type":"array","title":"Checks","items":{"anyOf":[{"const":"a","title":"Smoke","description":"A minute"}]}}}}}`,
			want: []ask.Question{
				{Text: "Which database?", Header: "Database", Options: shown, NoOther: true},
				{Text: "Which checks?", Header: "Checks", Options: []ask.Option{{Label: "Smoke", Description: "A minute"}}, NoOther: true, MultiSelect: true},
			},
		},
		"several questions with a line that belongs to none": {
			form:    `{"message":"Before I begin:\nWhich database?\nWhich checks?","requestedSchema":{"properties":{"q0":{"type":"string","title":"Database"},"q1":{"type":"string","title":"Checks"}}}}`,
			context: "Before I begin:\nWhich database?\nWhich checks?",
			want:    []ask.Question{{Text: "Database"}, {Text: "Checks"}},
		},
		"two lines above two values with other names": {
			form:    `{"message":"Where to?\nRead the plan first.","requestedSchema":{"properties":{"region":{"type":"string","title":"Region"},"size":{"type":"string","title":"Size"}}}}`,
			context: "Where to?\nRead the plan first.",
			want:    []ask.Question{{Text: "Region"}, {Text: "Size"}},
		},
		"one value with a description": {
			form: `{"message":"Where to?","requestedSchema":{"properties":{"region":{"type":"string","title":"Region","description":"As in eu-west-1"}}}}`,
			want: []ask.Question{{Text: "Where to?\nAs in eu-west-1", Header: "Region"}},
		},
		"one value described by the message": {
			form: `{"message":"Which database?","requestedSchema":{"properties":{"q0":{"type":"string","title":"Database","description":"Which database?"}}}}`,
			want: []ask.Question{{Text: "Which database?", Header: "Database"}},
		},
		"one value without a title": {
			form: `{"message":"Where to?","requestedSchema":{"properties":{"region":{"type":"string"}}}}`,
			want: []ask.Question{{Text: "Where to?"}},
		},
		"one value without a message": {
			form: `{"requestedSchema":{"properties":{"region":{"type":"string","title":"Region"}}}}`,
			want: []ask.Question{{Text: "Region"}},
		},
	} {
		for _, dialect := range []string{"acp", "mcp"} {
			t.Run(dialect+", "+name, func(t *testing.T) {
				t.Parallel()
				call, err := get(t, dialect).Decode([]byte(tt.form), nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, call.Request.Questions); diff != "" {
					t.Error(diff)
				}
				if call.Request.Context != tt.context {
					t.Errorf("context %q, want %q", call.Request.Context, tt.context)
				}
			})
		}
	}
}
