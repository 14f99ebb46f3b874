package dialect_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

const abOptions = `[{"label":"A","description":"a"},{"label":"B","description":"b"}]`

// one returns a set of one question with these options.
func one(options string) string {
	return `{"questions":[{"question":"Which?","header":"H","multiSelect":false,"options":` + options + `}]}`
}

func TestHarmlessOddInputGetsAdvice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, dialect, in, labels, advice string }{
		{"questions as a JSON string", "claude", `{"questions":"[{\"question\":\"Which?\",\"header\":\"H\",\"options\":[\"A\",\"B\"]}]"}`, "A|B", "questions: was JSON inside a string"},
		{"options as a JSON string", "claude", one(`"[\"A\",\"B\"]"`), "A|B", "questions[0].options: was JSON inside a string"},
		{"one question in place of a list", "claude", `{"questions":{"question":"Which?","header":"H","options":` + abOptions + `}}`, "A|B", "questions: was a single question"},
		{"the list without an object", "claude", `[{"question":"Which?","header":"H","options":` + abOptions + `}]`, "A|B", ""},
		{"a boolean in quotes", "claude", `{"questions":[{"question":"Which?","header":"H","multiSelect":"true","options":` + abOptions + `}]}`, "A|B", `multiSelect: was "true"; it was read as true`},
		{"numbers as labels", "claude", one(`[{"label":1,"description":"a"},{"label":2.50,"description":"b"}]`), "1|2.50", "options[0].label: was 1 instead of a string"},
		{"Other at the end", "claude", one(`["A","B","Other"]`), "A|B", `options[2]: "Other" was left out`},
		{"a fifth option that is Other", "askuserquestion-go", one(`["A","B","C","D","Other..."]`), "A|B|C|D", "was left out"},
		{"Other as one of two", "claude", one(`["A","Other"]`), "A|Other", "is an ordinary option here"},
		{"Other where only options count", "agno-native", one(`["A","B","Other"]`), "A|B|Other", ""},
		{"Other of a host with ids", "cursor", `{"questions":[{"id":"q","prompt":"Which?","options":[{"id":"a","label":"A"},{"id":"b","label":"B"},{"id":"o","label":"Other"}]}]}`, "A|B|Other", ""},
		{"a long header", "claude", strings.Replace(one(abOptions), `"H"`, `"🚀 much too long for a chip"`, 1), "A|B", "header: has 26 characters; more than 12"},
		{"no header", "claude", strings.Replace(one(abOptions), `"header":"H",`, ``, 1), "A|B", "header: is required by the host"},
		{"a description of 20 kB", "claude", one(`[{"label":"A","description":"` + strings.Repeat("long ", 4000) + `"},{"label":"B"}]`), "A|B", ""},
		{"a byte order mark", "claude", "\ufeff" + one(abOptions), "A|B", ""},
		{"four options for codex", "codex", `{"questions":[{"id":"q","question":"Which?","header":"H","options":["A","B","C","D"]}]}`, "A|B|C|D", "the host asks for 2 or 3"},
		{"choices under another name", "crush", `{"questions":[{"type":"single_choice","label":"H","question":"Which?","description":"d","options":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}]}`, "A|B", ""},
		{"the name another host uses", "agno", `{"questions":[{"question":"Which?","header":"H","multi_select":false,"options":` + abOptions + `}]}`, "A|B", `was named "questions"`},
		{"a gemini question without a type", "gemini", one(abOptions), "A|B", "type: is required by the host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := get(t, tt.dialect)
			call, err := d.Decode([]byte(tt.in), nil)
			if err != nil {
				t.Fatal(err)
			}
			var labels, advice []string
			for _, o := range call.Request.Questions[0].Options {
				labels = append(labels, o.Label)
			}
			for _, p := range call.Advice {
				advice = append(advice, p.Error())
			}
			if got := strings.Join(labels, "|"); got != tt.labels {
				t.Errorf("labels %s, want %s", got, tt.labels)
			}
			got := strings.Join(advice, "\n")
			if !strings.Contains(got, tt.advice) || tt.advice == "" && got != "" {
				t.Errorf("advice %q, want %q", got, tt.advice)
			}
			r := d.Encode([]byte(tt.in), answered(ask.Answer{Index: 0, Selected: labels[:1]}), nil)
			if r.IsError || !strings.Contains(string(r.Body), labels[0]) && tt.dialect != "crush" && tt.dialect != "cursor" {
				t.Errorf("result is %s", r.Body)
			}
		})
	}
}

func TestUnknownMembersAreNamed(t *testing.T) {
	t.Parallel()
	in := []byte(`{"questions":[{"question":"Which?","header":"H","icon":"x","options":[{"label":"A","description":"a","color":"red"},{"label":"B","description":"b"}]}],"title":"t"}`)
	call, err := get(t, "claude").Decode(in, nil)
	if err != nil || fmt.Sprint(call.Ignored) != "[questions[0].options[0].color questions[0].icon title]" {
		t.Errorf("ignored %v, %v", call.Ignored, err)
	}
	_, err = get(t, "claude").Decode(in, &dialect.Options{Strict: true})
	for _, path := range []string{"questions[0].options[0].color", "questions[0].icon", "title"} {
		if err == nil || !strings.Contains(err.Error(), path+": is not a member") {
			t.Errorf("strict: %v", err)
		}
	}
}

func TestStrictTurnsAdviceIntoErrors(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"questions":"[{\"question\":\"Which?\",\"header\":\"H\",\"options\":[\"A\",\"B\"]}]"}`,
		`{"questions":[{"question":"Which?","header":"H","multiSelect":"yes","options":` + abOptions + `}]}`,
		one(`["A","B","Other"]`),
		one(`[{"label":1},{"label":2}]`),
		one(`[]`),
	} {
		if _, err := get(t, "claude").Decode([]byte(in), nil); err != nil {
			t.Errorf("refused: %v", err)
		}
		if _, err := get(t, "claude").Decode([]byte(in), &dialect.Options{Strict: true}); !errors.Is(err, ask.ErrInvalid) {
			t.Errorf("strict: %v for %s", err, in)
		}
	}
}

func TestErrorsNameEveryProblem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, dialect, in string
		want              []string
	}{
		{"no JSON", "claude", `{"questions":`, []string{"the tool input is not valid JSON"}},
		{"nothing", "claude", ``, []string{"the tool input is not valid JSON"}},
		{
			"a member sent twice", "claude", `{"questions":[{"question":"Delete nothing?","question":"Delete all?","options":["Yes","No"]}]}`,
			[]string{"questions[0].question: appears twice in its object"},
		},
		{
			"a member sent twice inside a string", "opencode", `{"questions":"[{\"question\":\"Q?\",\"header\":\"a\",\"header\":\"b\",\"options\":[]}]"}`,
			[]string{"questions[0].header: appears twice in its object"},
		},
		{"a schema with a repeated member", "mcp", `{"message":"Q?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"number"}}}}`, []string{"requestedSchema.properties.a: appears twice"}},
		{"a number", "claude", `7`, []string{"must be a list of questions"}},
		{"null", "opal", `null`, []string{"must be a JSON object"}},
		{"too large", "claude", `"` + strings.Repeat("x", dialect.MaxInput) + `"`, []string{"bytes; at most"}},
		{
			"several faults at once", "claude", `{"questions":[{"question":" ","options":["A","A"]},{"question":"Q?","options":["1","2","3","4","5"]},{"question":"R?","multiSelect":"perhaps"}]}`,
			[]string{"questions[0].question: must not be empty", "questions[0].options[1].label: is the same as", "questions[1].options: 5 given", "questions[2].multiSelect: must be true or false"},
		},
		{"one question text twice", "claude", `{"questions":[{"question":"Q?","options":["A","B"]},{"question":"Q?","options":["A","B"]}]}`, []string{"questions[1].question: is the same as in question 1"}},
		{"one header twice, where headers identify answers", "vscode", `{"questions":[{"header":"h","question":"Q?"},{"header":"h","question":"R?"}]}`, []string{"questions[1].header: is the same as in question 1"}},
		{"descriptions of 40 kB", "claude", one(`[{"label":"A","description":"` + strings.Repeat("long ", 8000) + `"},{"label":"B"}]`), []string{"at most 30000 are allowed"}},
		{"a thousand options", "claude", one("[" + strings.TrimSuffix(strings.Repeat(`"A",`, 1000), ",") + "]"), []string{"1000 given"}},
		{"a hundred questions", "claude", `{"questions":[` + strings.TrimSuffix(strings.Repeat(`{"question":"Q?"},`, 100), ",") + `]}`, []string{"has 100 questions; give 1 to 4"}},
		{"an object as a label", "claude", one(`[{"label":{"text":"A"}},{"label":"B"}]`), []string{"questions[0].options[0].label: must be a string"}},
		{"another tool's hook", "claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, []string{`tool_name: is "Bash"`}},
		{"a form by URL", "mcp", `{"mode":"url","message":"Log in","url":"https://example.org"}`, []string{`mode: is "url"`}},
		{"a released spring host still wants texts", "spring", `{"questions":[{"question":"Q?","header":" ","options":["A","B"]}]}`, []string{"Header cannot be null or blank"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := get(t, tt.dialect)
			_, err := d.Decode([]byte(tt.in), nil)
			var input *dialect.InputError
			var invalid *ask.InvalidError
			if !errors.As(err, &input) || !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
				t.Fatalf("error %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
			if len(err.Error()) > 3000 {
				t.Errorf("the error for the model has %d bytes", len(err.Error()))
			}
			if r := d.Encode([]byte(tt.in), picked, nil); !r.IsError && len(r.Body) > 0 {
				t.Errorf("result is %s", r.Body)
			}
		})
	}
}

func TestHookForAnotherToolDecidesNothing(t *testing.T) {
	t.Parallel()
	in := []byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	d := get(t, "claude")
	_, err := d.Decode(in, nil)
	if r := d.Refuse(in, err); len(r.Body) != 0 || r.IsError {
		t.Errorf("hook result is %s", r.Body)
	}
}

func TestEchoedInputKeepsItsBytes(t *testing.T) {
	t.Parallel()
	// The input has escapes, a lone surrogate, markup and spaces that a decoder would lose.
	in := `{ "questions" : [ {"question":"Deploy \u0041 \ud83d <b>&amp;<\/b>?","header":"\u00e9","options":[{"label":"a\u0301 \u003c"},{"label":"B"}],"multiSelect":true} ], "metadata":{"source" : "x"} }`
	got := get(t, "claude").Encode([]byte(in), answered(ask.Answer{Index: 0, Selected: []string{"a\u0301 <", "B"}}), nil)
	want := `{"behavior":"allow","updatedInput":` + strings.TrimSuffix(in, " }") +
		`,"answers":{"Deploy \u0041 \ud83d <b>&amp;<\/b>?":["a\u0301 \u003c","B"]}}}`
	if string(got.Body) != want {
		t.Errorf("got  %s\nwant %s", got.Body, want)
	}
	got = get(t, "spring").Encode([]byte(strings.NewReplacer(`"label":"a\u0301 \u003c"`, `"label":"a\u0301 \u003c","description":"d"`).Replace(in)), answered(ask.Answer{Index: 0, Selected: []string{"a\u0301 <", "B"}}), nil)
	if want := `{"Deploy \u0041 \ud83d <b>&amp;<\/b>?":"a\u0301 \u003c, B"}`; string(got.Body) != want {
		t.Errorf("got  %s\nwant %s", got.Body, want)
	}
}

func TestEarlierAnswersAreReplaced(t *testing.T) {
	t.Parallel()
	in := `{"answers":{"Which?":"Z"},"questions":[{"question":"Which?","header":"H","options":["A","B"]}],"metadata":{}}`
	got := get(t, "claude").Encode([]byte(in), answered(ask.Answer{Index: 0, Selected: []string{"A"}}), nil)
	want := `{"behavior":"allow","updatedInput":{"metadata":{},"questions":[{"question":"Which?","header":"H","options":["A","B"]}],"answers":{"Which?":"A"}}}`
	if string(got.Body) != want {
		t.Errorf("got %s", got.Body)
	}
}

func TestMismatchedRecordIsNotEncodedAsAnswer(t *testing.T) {
	t.Parallel()
	for _, d := range []string{"claude", "spring", "opencode", "acp"} {
		in, out := setF, answered(ask.Answer{Index: 0, Selected: []string{"Kafka"}})
		if d == "acp" {
			in = `{"options":[{"optionId":"a","name":"Allow"},{"optionId":"b","name":"Reject"}]}`
			out = answered(ask.Answer{Index: 0, Other: "perhaps"})
		}
		got := get(t, d).Encode([]byte(in), out, nil)
		if strings.Contains(string(got.Body), "Kafka") || strings.Contains(string(got.Body), "perhaps") || strings.Contains(string(got.Body), "selected") {
			t.Errorf("%s: %s", d, got.Body)
		}
	}
}

func TestHookNamesEveryVoter(t *testing.T) {
	t.Parallel()
	on := func(platform string, names ...string) ask.Outcome {
		out := ask.Outcome{State: ask.Answered, By: ask.Person{Platform: platform, ID: "0", Name: "Robin"}}
		for i, a := range picked.Answers {
			if i < len(names) {
				a.By = ask.Person{Platform: platform, ID: fmt.Sprint(i + 1), Name: names[i]}
			}
			out.Answers = append(out.Answers, a)
		}
		return out
	}
	for want, out := range map[string]ask.Outcome{
		`"additionalContext":"Answered by Dana and Sam Smith on Discord."}}`: on("discord", "Dana", "Sam\nSmith"),
		`"additionalContext":"Answered by Dana on Slack."}}`:                 on("slack", "Dana", "Dana"),
		`"additionalContext":"Answered by Robin on Slack."}}`:                on("slack"),
		`"additionalContext":"Answered by Dana."}}`:                          on("", "", "Dana"),
		`"additionalContext":"Answered by dana-shell over the API."}}`:       on("api", "dana-shell", "dana-shell"),
		`"Unit tests, Race detector"}}}}`:                                    on("slack", "", ""),
	} {
		if got := get(t, "claude").Encode([]byte(hookF), out, nil); !strings.HasSuffix(string(got.Body), want) {
			t.Errorf("got %s, want …%s", got.Body, want)
		}
	}
}

func TestNotesAreEncodedWhereHostSupportsThem(t *testing.T) {
	t.Parallel()
	out := answered(ask.Answer{Index: 0, Selected: []string{"A"}, Notes: "only on weekdays"})
	got := get(t, "claude").Encode([]byte(one(abOptions)), out, nil)
	if !strings.HasSuffix(string(got.Body), `"answers":{"Which?":"A"},"annotations":{"Which?":{"notes":"only on weekdays"}}}}`) {
		t.Errorf("got %s", got.Body)
	}
}

func TestReplyDismissedIsNotADismissal(t *testing.T) {
	t.Parallel()
	by := ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}
	for name, tt := range map[string]struct {
		outcome ask.Outcome
		want    dialect.Ending
	}{
		"a reply":                         {ask.Replying(by, ask.Dismissed), dialect.Replied},
		"a dismissal":                     {ask.Dismissal(by), dialect.Declined},
		"a dismissal of an older version": {ask.Outcome{State: ask.Cancelled, By: by, Reason: ask.Dismissed}, dialect.Declined},
		"a reply to an older version":     {ask.Outcome{State: ask.Cancelled, By: by, Reason: "not now"}, dialect.Replied},
		"an agent that cancels with it":   {ask.Outcome{State: ask.Cancelled, Reason: ask.Dismissed}, dialect.Cancelled},
	} {
		if got := dialect.EndingOf(tt.outcome, 1); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
