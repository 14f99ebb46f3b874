package dialect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

// form returns an elicitation of these properties.
func form(properties, required string) []byte {
	return []byte(`{"message":"Deploy","requestedSchema":{"type":"object","properties":{` + properties + `},"required":[` + required + `]}}`)
}

// A form once had the text fields "phone" and "phone_other": the second was required and never asked.
func TestOtherFieldBelongsToItsChoice(t *testing.T) {
	t.Parallel()
	const text = `"q_other":{"type":"string"}`
	for _, c := range []struct {
		name, properties, required string
		// asked lists the texts of the questions, with … after those that accept typed text.
		// A single question has the message of the form as its text.
		asked []string
	}{
		{"other belongs to a choice", `"q":{"type":"string","enum":["a","b"]},` + text, ``, []string{"Deploy…"}},
		{"other belongs to a choice with titles", `"q":{"type":"string","oneOf":[{"const":"a","title":"A"}]},` + text, ``, []string{"Deploy…"}},
		{"other belongs to a choice of several", `"q":{"type":"array","items":{"anyOf":[{"const":"a"},{"const":"b"}]}},` + text, ``, []string{"Deploy…"}},
		{"other comes before its choice", text + `,"q":{"type":"string","enum":["a","b"]}`, ``, []string{"Deploy…"}},
		{"a text has no other", `"q":{"type":"string"},` + text, `"q_other"`, []string{"q…", "q_other…"}},
		{"a number has no other", `"q":{"type":"integer"},` + text, ``, []string{"q (a whole number)…", "q_other…"}},
		{"a boolean has no other", `"q":{"type":"boolean"},` + text, `"q","q_other"`, []string{"q", "q_other…"}},
		{"other without a field", text, ``, []string{"Deploy…"}},
		{"a required other is a question", `"q":{"type":"string","enum":["a","b"]},` + text, `"q","q_other"`, []string{"q", "q_other…"}},
		{"other is a number", `"q":{"type":"string","enum":["a","b"]},"q_other":{"type":"number"}`, ``, []string{"q", "q_other (a number)…"}},
		{"other is a boolean", `"q":{"type":"string","enum":["a","b"]},"q_other":{"type":"boolean"}`, ``, []string{"q", "q_other"}},
		{"other is a choice", `"q":{"type":"string","enum":["a","b"]},"q_other":{"type":"string","enum":["c","d"]}`, ``, []string{"q", "q_other"}},
	} {
		call, err := get(t, "mcp").Decode(form(c.properties, c.required), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var asked []string
		for _, q := range call.Request.Questions {
			if !q.NoOther {
				q.Text += "…"
			}
			asked = append(asked, q.Text)
		}
		if diff := cmp.Diff(c.asked, asked); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	in := form(`"q":{"type":"boolean"},`+text, `"q","q_other"`)
	got := get(t, "mcp").Encode(in, answered(ask.Answer{Index: 0, Selected: []string{"Yes"}}, ask.Answer{Index: 1, Other: "eu"}), nil)
	if want := `{"action":"accept","content":{"q":true,"q_other":"eu"}}`; string(got.Body) != want {
		t.Errorf("result is %s", got.Body)
	}
}

// An answer typed where the form requires a choice was refused by the server, and lost.
func TestRequiredChoiceTakesNoTypedText(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]string{
		"one":     `"q":{"type":"string","enum":["a","b"]}`,
		"several": `"q":{"type":"array","items":{"enum":["a","b"]}}`,
	} {
		in := form(q+`,"q_other":{"type":"string"}`, `"q"`)
		call, err := get(t, "mcp").Decode(in, nil)
		if err != nil || len(call.Request.Questions) != 1 || !call.Request.Questions[0].NoOther || len(call.Advice) != 1 {
			t.Errorf("%s: %+v, %v", name, call, err)
		}
		got := get(t, "mcp").Encode(in, answered(ask.Answer{Selected: []string{}, Other: "c"}), nil)
		if want := `{"action":"cancel"}`; string(got.Body) != want {
			t.Errorf("%s: result for typed text is %s", name, got.Body)
		}
	}
}

// A server refused "tomorrow", typed where its form required a date.
func TestFormDescribesExpectedInput(t *testing.T) {
	t.Parallel()
	for property, want := range map[string]string{
		`{"type":"string"}`:                                             "Deploy",
		`{"type":"string","format":"date"}`:                             "Deploy (a date, as in 2026-11-26)",
		`{"type":"string","format":"date-time"}`:                        "Deploy (a date and time, as in 2026-11-26T15:04:05Z)",
		`{"type":"string","format":"email"}`:                            "Deploy (an e-mail address)",
		`{"type":"string","format":"uri"}`:                              "Deploy (an address, as in https://example.org/)",
		`{"type":"string","format":"of their own"}`:                     "Deploy",
		`{"type":"integer","minimum":1,"maximum":10}`:                   "Deploy (a whole number from 1 to 10)",
		`{"type":"integer","minimum":0}`:                                "Deploy (a whole number, at least 0)",
		`{"type":"number","maximum":0.5}`:                               "Deploy (a number, at most 0.5)",
		`{"type":"string","format":"date","enum":["2026-11-26","now"]}`: "Deploy",
	} {
		call, err := get(t, "mcp").Decode(form(`"q":`+property, ``), nil)
		if err != nil || call.Request.Questions[0].Text != want {
			t.Errorf("%s: questions are %+v, %v", property, call.Request.Questions, err)
		}
	}
}

func TestSecretNextToChoiceIsRefused(t *testing.T) {
	t.Parallel()
	_, err := get(t, "mcp").Decode(form(`"q":{"type":"string","enum":["a","b"]},"q_other":{"type":"string","format":"password"}`, ``), nil)
	if err == nil || !strings.Contains(err.Error(), "requestedSchema.properties.q_other: asks for a secret") {
		t.Errorf("got %v", err)
	}
}

// An option with a title and no value once led to a result that was not valid JSON.
func TestChoiceWithoutValueIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ property, path string }{
		"one of":              {`{"type":"string","oneOf":[{"const":"a","title":"A"},{"title":"B"}]}`, ".oneOf[1].const"},
		"any of":              {`{"type":"string","anyOf":[{"title":"A"},{"const":"b"}]}`, ".anyOf[0].const"},
		"several":             {`{"type":"array","items":{"anyOf":[{"const":"a"},{"title":"B"}]}}`, ".items.anyOf[1].const"},
		"a text or nothing":   {`{"anyOf":[{"type":"string","title":"A text"}]}`, ".anyOf[0].const"},
		"its value is null":   {`{"oneOf":[{"const":null,"title":"None"},{"const":"b","title":"B"}]}`, ""},
		"its value is a text": {`{"type":"string","oneOf":[{"const":"","title":"None"},{"const":"b","title":"B"}]}`, ""},
	} {
		in := form(`"q":`+c.property, ``)
		call, err := get(t, "mcp").Decode(in, nil)
		if c.path == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := get(t, "mcp").Encode(in, answered(ask.Answer{Selected: []string{call.Request.Questions[0].Options[0].Label}}), nil)
			if !json.Valid(got.Body) || got.IsError {
				t.Errorf("%s: result is %s", name, got.Body)
			}
			continue
		}
		var invalid *ask.InvalidError
		if !errors.As(err, &invalid) || len(invalid.Problems) != 1 || invalid.Problems[0].Path != "requestedSchema.properties.q"+c.path {
			t.Errorf("%s: %v", name, err)
		}
	}
}
