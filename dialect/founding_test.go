package dialect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// These tests hold the five founding documents to their own examples.

func get(tb testing.TB, name string) dialect.Dialect {
	tb.Helper()
	d, ok := dialect.Get(name)
	if !ok {
		tb.Fatalf("no dialect %q", name)
	}
	return d
}

func answered(answers ...ask.Answer) ask.Outcome {
	return ask.Outcome{State: ask.Answered, By: dana, Answers: answers}
}

const springF = `{"questions":[
 {"question":"Which library should we use?","header":"Library","options":[
   {"label":"Moment.js","description":"Large"},{"label":"Day.js","description":"Small"}],"multiSelect":null},
 {"question":"Which features do you want?","header":"Features","options":[
   {"label":"Authentication","description":"Login"},{"label":"Database","description":"PostgreSQL"},{"label":"Caching","description":"Redis"}],"multiSelect":true}]}`

func TestSpringMapsQuestionTextsToLabelsJoinedByCommas(t *testing.T) {
	t.Parallel()
	got := get(t, "spring").Encode([]byte(springF), answered(
		ask.Answer{Index: 0, Selected: []string{"Day.js"}},
		ask.Answer{Index: 1, Selected: []string{"Authentication", "Database"}},
	), nil)
	want := `{"Which library should we use?":"Day.js","Which features do you want?":"Authentication, Database"}`
	if string(got.Body) != want {
		t.Errorf("got %s", got.Body)
	}
}

func TestSpringRequiresEveryAnswerUnlessValidationIsOff(t *testing.T) {
	t.Parallel()
	half := answered(ask.Answer{Index: 0, Selected: []string{"Day.js"}})
	got := get(t, "spring").Encode([]byte(springF), half, nil)
	if !got.IsError || string(got.Body) != `Missing answer for question: "Which features do you want?". All questions must have answers.` {
		t.Errorf("got %s", got.Body)
	}
	got = get(t, "spring").Encode([]byte(springF), half, &dialect.Options{Partial: true})
	if got.IsError || string(got.Body) != `{"Which library should we use?":"Day.js"}` {
		t.Errorf("without validation: %s", got.Body)
	}
}

func TestAgnoErrorsMatchItsDocs(t *testing.T) {
	t.Parallel()
	wrap := func(list string) string {
		in, err := json.Marshal(map[string]string{"questions_json": list})
		if err != nil {
			t.Fatal(err)
		}
		return string(in)
	}
	option := `{"label":"A","description":"a"},{"label":"B","description":"b"}`
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", wrap("invalid json"), "Invalid questions_json format: "},
		{"no JSON at all", "invalid json", "Invalid questions_json format: "},
		{"nothing", `{}`, "Invalid questions_json format: "},
		{"not a list", wrap(`"text"`), "questions_json must be a JSON array of question objects"},
		{"missing members", wrap(`[{"question":"Test?"}]`), "Question 0 missing required fields"},
		{"a long header", wrap(`[{"question":"Q?","header":"Thirteen char","multiSelect":false,"options":[` + option + `]}]`), "Error parsing question 0: Header 'Thirteen char' exceeds 12 character limit"},
		{"one option", wrap(`[{"question":"Q?","header":"H","multiSelect":false,"options":[{"label":"A","description":"a"}]}]`), "Error parsing question 0: Must have 2-4 options, got 1"},
		{"no description", wrap(`[{"question":"Q?","header":"H","multiSelect":false,"options":[{"label":"A"},{"label":"B","description":"b"}]}]`), "Option in question 0 missing 'label' or 'description'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := get(t, "agno")
			_, err := d.Decode([]byte(tt.in), nil)
			if err == nil || !errors.Is(err, ask.ErrInvalid) {
				t.Fatalf("error %v", err)
			}
			var got struct{ Error, Status string }
			r := d.Refuse([]byte(tt.in), err)
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Error, tt.want) || got.Status != "failed" || !r.IsError {
				t.Errorf("got %s", r.Body)
			}
		})
	}
}

func TestAgnoHeadersAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	in := `[{"question":"Q?","header":"🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]`
	if _, err := get(t, "agno").Decode([]byte(in), nil); err != nil {
		t.Errorf("twelve characters: %v", err)
	}
	// Java counts each of them as two.
	if _, err := get(t, "spring").Decode([]byte(in), nil); err == nil || !strings.Contains(err.Error(), "Header must be max 12 characters, got: 24") {
		t.Errorf("error %v", err)
	}
}

func TestAgnoReadsAnswersByNumberAndReturnsThemByHeader(t *testing.T) {
	t.Parallel()
	in := []byte(`{"questions_json":"[{\"question\":\"Which framework?\",\"header\":\"Framework\",\"multiSelect\":false,\"options\":[{\"label\":\"React\",\"description\":\"r\"},{\"label\":\"Vue\",\"description\":\"v\"}]},{\"question\":\"Which state?\",\"header\":\"State mgmt\",\"multiSelect\":true,\"options\":[{\"label\":\"Redux\",\"description\":\"r\"},{\"label\":\"Zustand\",\"description\":\"z\"}]}]",
	  "user_answers":"{\"question_0\": \"React\", \"question_1\": [\"Zustand\", \"Jotai\"]}"}`)
	d := get(t, "agno")
	call, err := d.Decode(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Answers        map[string][]string
		QuestionsAsked int `json:"questions_asked"`
		Status         string
	}
	if err := json.Unmarshal(d.Encode(in, answered(call.Given...), nil).Body, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"Framework": {"React"}, "State mgmt": {"Zustand", "Jotai"}}
	if diff := cmp.Diff(want, got.Answers); diff != "" || got.QuestionsAsked != 2 || got.Status != "completed" {
		t.Errorf("%+v\n%s", got, diff)
	}
}

var seedFormat = []ask.Question{
	{Text: "Auth method?", Header: "Auth", Options: []ask.Option{{Label: "OAuth"}, {Label: "API key"}}},
	{Text: "Languages?", Header: "Languages", MultiSelect: true, Options: []ask.Option{{Label: "Go"}, {Label: "Rust"}}},
	{Text: "Name?", Header: "Name", Options: []ask.Option{{Label: "Horseman"}, {Label: "Penguin"}}},
}

const seedFormatted = "Auth method?\nOAuth\n\nLanguages?\n- Go\n- Rust\n\nName?\nVincent Adultman"

func TestGoLibraryExampleFormat(t *testing.T) {
	t.Parallel()
	got := ask.Format(seedFormat, []ask.Answer{
		{Index: 0, Selected: []string{"OAuth"}},
		{Index: 1, Selected: []string{"Go", "Rust"}},
		{Index: 2, Other: "Vincent Adultman"},
	})
	if got != seedFormatted {
		t.Errorf("ask.Format: %q", got)
	}
	got = dialect.FormatTool(seedFormat, []dialect.ToolAnswer{
		{Selected: []string{"OAuth"}}, {Selected: []string{"Go", "Rust"}}, {Other: "Vincent Adultman"},
	})
	if got != seedFormatted {
		t.Errorf("FormatTool: %q", got)
	}
}

func TestGoLibraryFormatEdgeCases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		answers []dialect.ToolAnswer
		want    string
	}{
		{"nothing", nil, ""},
		{"text replaces labels", []dialect.ToolAnswer{{}, {Selected: []string{"Go"}, Other: "Zig"}}, "Auth method?\n\nLanguages?\nZig"},
		{"blank text does not", []dialect.ToolAnswer{{Selected: []string{"OAuth"}, Other: "  "}}, "Auth method?\nOAuth"},
		{"several labels on one pick", []dialect.ToolAnswer{{Selected: []string{"OAuth", "API key"}}}, "Auth method?\n- OAuth\n- API key"},
		{"missing answers at the end are dropped", []dialect.ToolAnswer{{Selected: []string{"OAuth"}}}, "Auth method?\nOAuth"},
		{"more answers than questions", []dialect.ToolAnswer{{}, {}, {}, {Other: "x"}}, "Auth method?\n\nLanguages?\n\nName?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := dialect.FormatTool(seedFormat, tt.answers); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestGoLibraryErrorsMatchSentinels(t *testing.T) {
	t.Parallel()
	ab := []ask.Option{{Label: "A"}, {Label: "B"}}
	for _, tt := range []struct {
		name      string
		questions []ask.Question
		want      []error
	}{
		{"none", nil, []error{dialect.ErrNoQuestions, ask.ErrNoQuestions}},
		{"five", []ask.Question{{Text: "1", Header: "h", Options: ab}, {Text: "2", Header: "h", Options: ab}, {Text: "3", Header: "h", Options: ab}, {Text: "4", Header: "h", Options: ab}, {Text: "5", Header: "h", Options: ab}}, []error{dialect.ErrTooManyQuestions}},
		{"all of it at once", []ask.Question{{Text: " ", Header: "\t", Options: []ask.Option{{Label: ""}}}, {Text: "Q", Header: "h", Options: []ask.Option{{Label: "A"}, {Label: "A"}}}}, []error{dialect.ErrEmptyQuestion, dialect.ErrEmptyHeader, dialect.ErrOptionCount, dialect.ErrEmptyLabel, dialect.ErrDuplicateLabel, ask.ErrDuplicateLabel}},
		{"labels differ in case only", []ask.Question{{Text: "Q", Header: "much longer than twelve", Options: []ask.Option{{Label: "a"}, {Label: "A"}}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := dialect.ValidateTool(tt.questions)
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("error %v", err)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) {
					t.Errorf("%v does not match %v", err, want)
				}
			}
		})
	}
}

func TestGoLibraryToolRunsResolver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		answers  []dialect.ToolAnswer
		err      error
		want     string
		isError  bool
		goError  error
	}{
		{"answers", setF, []dialect.ToolAnswer{{Selected: []string{"In-process"}}, {Selected: []string{"Lint"}}}, nil, "Which queue should the workers use?\nIn-process\n\nWhich checks gate a release?\n- Lint", false, nil},
		{"a dismissal", setF, nil, dialect.ErrResolverCancelled, "[cancelled by user]", false, nil},
		{"another failure", setF, nil, errors.New("no terminal"), "resolver error: no terminal", true, nil},
		{"a closed session", setF, nil, context.Canceled, "", false, context.Canceled},
		{"wrong input", `{"questions":[]}`, nil, nil, "askuserquestion: questions must be a non-empty array", true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked string
			r := dialect.ResolverFunc(func(_ context.Context, req dialect.ToolRequest) ([]dialect.ToolAnswer, error) {
				asked = req.ToolCallID
				return tt.answers, tt.err
			})
			got, err := dialect.RunTool(t.Context(), []byte(tt.in), "call_1", r)
			if !errors.Is(err, tt.goError) || string(got.Body) != tt.want || got.IsError != tt.isError {
				t.Errorf("got %q, error result %v, error %v", got.Body, got.IsError, err)
			}
			if tt.in == setF && asked != "call_1" {
				t.Errorf("resolver got call %q", asked)
			}
		})
	}
}

func TestModelErrorIsFirstErrorOfItsHost(t *testing.T) {
	t.Parallel()
	q := func(text, header, options string) string {
		return `{"question":"` + text + `","header":"` + header + `","multiSelect":false,"options":[` + options + `]}`
	}
	const ab, bare = `{"label":"A","description":"a"},{"label":"B","description":"b"}`, `{"label":"A"},{"label":"B"}`
	choice := func(text, options string) string {
		return strings.Replace(q(text, "H", options), "{", `{"type":"choice",`, 1)
	}
	for _, tt := range []struct {
		name, dialect string
		opts          *dialect.Options
		questions     []string
		want          string
	}{
		{"no questions", "askuserquestion-go", nil, nil, "askuserquestion: questions must be a non-empty array"},
		{"five questions, of which one has no text", "askuserquestion-go", nil, []string{q("", "H", ab), q("2", "H", ab), q("3", "H", ab), q("4", "H", ab), q("5", "H", ab)}, "askuserquestion: maximum 4 questions allowed"},
		{"blank text and header", "askuserquestion-go", nil, []string{q(" ", " ", ab)}, "askuserquestion: each question must have non-empty question text"},
		{"a blank header, and one option", "askuserquestion-go", nil, []string{q("Q", "", `{"label":""}`)}, "askuserquestion: each question must have a non-empty header"},
		{"one option, without a label", "askuserquestion-go", nil, []string{q("Q", "H", `{"label":""}`)}, "askuserquestion: each question must have 2-4 options"},
		{"a blank label and a second question without text", "askuserquestion-go", nil, []string{q("Q", "H", `{"label":"A"},{"label":" "}`), q("", "H", ab)}, "askuserquestion: each option must have a non-empty label"},
		{"one label twice", "askuserquestion-go", nil, []string{q("Q", "H", `{"label":"A"},{"label":"A"}`)}, "askuserquestion: option labels within a question must be unique"},
		{"a question that is null", "spring", nil, []string{"null", q("", "", ab)}, "Question at index 0 is null"},
		{"a blank label in a question without text", "spring", nil, []string{q("", "", `{"label":"","description":""},{"label":"B","description":"b"}`)}, "Option label cannot be null or blank"},
		{"options that are not described, as released", "spring", &dialect.Options{Released: true}, []string{q("", "H", bare)}, "Option description cannot be null or blank"},
		{"options that are not described, refused on demand", "spring", &dialect.Options{Strict: true}, []string{q("Q?", "H", bare)}, "Option description cannot be null or blank"},
		{"five questions, as released", "spring", &dialect.Options{Released: true}, []string{q("1?", "H", ab), q("2?", "H", ab), q("3?", "H", ab), q("4?", "H", ab), q("5?", "H", ab)}, "Questions list must contain 1-4 questions, got: 5"},
		{"eleven questions", "spring", nil, slices.Repeat([]string{q("1?", "H", ab)}, 11), "Questions list must contain 1-10 questions, got: 11"},
		{"no text and no header", "spring", nil, []string{q("", "", ab)}, "Question text cannot be null or blank"},
		{"five questions", "agno", nil, slices.Repeat([]string{q("Q?", "H", ab)}, 5), `{"error":"Must ask 1-4 questions, got 5","status":"failed"}`},
		{"no members", "agno", nil, []string{`{"question":"Test?"}`, q("Q?", "Thirteen char", ab)}, `{"error":"Question 0 missing required fields","status":"failed"}`},
		{"nothing", "gemini", nil, nil, "params/questions must NOT have fewer than 1 items"},
		{"five questions", "gemini", nil, slices.Repeat([]string{choice("Q?", ab)}, 5), "params/questions must NOT have more than 4 items"},
		{"no text", "gemini", nil, []string{`{"header":"H"}`}, "params/questions/0 must have required property 'question'"},
		{"no type and no options", "gemini", nil, []string{choice("Q?", ab), `{"question":"Pick one?","header":"Choice"}`}, "params/questions/1 must have required property 'type'"},
		{"no type and one option", "gemini", nil, []string{q("Q?", "H", `{"label":""}`)}, "params/questions/0 must have required property 'type'"},
		{"no type, refused on demand", "gemini", &dialect.Options{Strict: true}, []string{q("Q?", "H", ab)}, "params/questions/0 must have required property 'type'"},
		{"no header, refused on demand", "gemini", &dialect.Options{Strict: true}, []string{`{"type":"text","question":"Q?"}`}, "params/questions/0 must have required property 'header'"},
		{"a type of another host", "gemini", nil, []string{strings.Replace(choice("Q?", ab), "choice", "multi_choice", 1)}, "params/questions/0/type must be equal to one of the allowed values"},
		{"one option of a choice, and a second question without a type", "gemini", nil, []string{choice("Q?", `{"label":"","description":"a"}`), `{"question":"R?","header":"H"}`}, "params/questions/1 must have required property 'type'"},
		{"one option of a choice", "gemini", nil, []string{choice("Q?", `{"label":"","description":"a"}`)}, "Question 1: type='choice' requires 'options' array with 2-4 items."},
		{"a blank label", "gemini", nil, []string{choice("Q?", `{"label":" ","description":"a"},{"label":"B","description":"b"}`)}, "Question 1, option 1: 'label' is required and must be a non-empty string."},
		{"an option without a label", "gemini", nil, []string{choice("Q?", `{"description":"a"},{"label":"B","description":"b"}`)}, "params/questions/0/options/0 must have required property 'label'"},
		{"an option that is not described, refused on demand", "gemini", &dialect.Options{Strict: true}, []string{choice("Q?", bare)}, "params/questions/0/options/0 must have required property 'description'"},
		{"a lone option", "vscode", nil, []string{q("Q?", "size", `{"label":"A"}`), q("", "size", bare)}, `Question "size" must have at least two options, or set allowFreeformInput when providing a single option, or omit options for free text input.`},
	} {
		t.Run(tt.dialect+": "+tt.name, func(t *testing.T) {
			t.Parallel()
			d := get(t, tt.dialect)
			in := []byte(`{"questions":[` + strings.Join(tt.questions, ",") + `]}`)
			_, err := d.Decode(in, tt.opts)
			wrong, ok := errors.AsType[*dialect.InputError](err)
			if !ok || len(wrong.Problems) == 0 || wrong.Problems[0].Path == "" {
				t.Fatalf("error %+v", err)
			}
			r := d.Refuse(in, err)
			var got bytes.Buffer
			if json.Compact(&got, r.Body) != nil {
				got = *bytes.NewBuffer(r.Body)
			}
			if got.String() != tt.want || !r.IsError {
				t.Errorf("got %s\nwant %s", &got, tt.want)
			}
		})
	}
}

func TestVSCodeAcceptsOneOptionWithTypedText(t *testing.T) {
	t.Parallel()
	d := get(t, "vscode")
	in := []byte(`{"questions":[{"header":"size","question":"How big?","message":"It costs.","allowFreeformInput":true,"options":[{"label":"Small"}]}]}`)
	call, err := d.Decode(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if q := call.Request.Questions[0]; q.Text != "How big?\nIt costs." || len(q.Options) != 1 || q.NoOther {
		t.Errorf("question is %+v", q)
	}
	if err := call.Request.Validate(call.Request.Rules); err != nil {
		t.Error(err)
	}
	if got := d.Encode(in, answered(ask.Answer{Other: "Huge"}), nil); string(got.Body) != `{"answers":{"size":{"selected":[],"freeText":"Huge","skipped":false}}}` {
		t.Errorf("result is %s", got.Body)
	}
	if _, err := d.Decode([]byte(strings.Replace(string(in), "true", "false", 1)), nil); err == nil {
		t.Error("one option without typed text was accepted")
	}
}

func TestSubAgentsAreRefusedOnlyByHostsThatForbidThem(t *testing.T) {
	t.Parallel()
	sub := &dialect.Options{SubAgent: true}
	for name, want := range map[string]string{
		"spring":  "only with main agents",
		"req-auq": "Only parent conversations can ask",
	} {
		d := get(t, name)
		_, err := d.Decode([]byte(setF), sub)
		if !errors.Is(err, dialect.ErrSubAgent) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if r := d.Refuse([]byte(setF), err); !r.IsError || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: the refusal is %s", name, r.Body)
		}
	}
	if _, err := get(t, "claude").Decode([]byte(setF), sub); err != nil {
		t.Errorf("claude: %v", err)
	}
}

func TestOpalSubAgentAsksThroughParent(t *testing.T) {
	t.Parallel()
	d, sub := get(t, "opal"), &dialect.Options{SubAgent: true}
	in := []byte(`{"jsonrpc":"2.0","id":7,"method":"client/ask_user","params":{"session_id":"parent","question":"Which queue should the workers use?","choices":["Redis Streams","In-process"]}}`)
	call, err := d.Decode(in, sub)
	if err != nil || call.Request.Session != "parent" || call.Request.Context == "" {
		t.Fatalf("%+v, %v", call, err)
	}
	if got := d.Encode(in, picked, sub); string(got.Body) != `{"jsonrpc":"2.0","id":7,"result":{"answer":"Redis Streams"}}` {
		t.Errorf("got %s", got.Body)
	}
	if got := d.Encode([]byte(oneChoice), declined, sub); !got.IsError || string(got.Body) != "Question failed: Dana cancelled the questions." {
		t.Errorf("got %s", got.Body)
	}
	for _, text := range []string{`{"question":"Why?"}`, `{"question":"Why?","choices":[]}`} {
		call, err := d.Decode([]byte(text), nil)
		if err != nil || !call.Request.Questions[0].TextOnly() {
			t.Errorf("%s: %+v, %v", text, call, err)
		}
	}
	if _, err := d.Decode([]byte(`{}`), nil); err == nil || err.Error() != "Missing required parameter: question" {
		t.Errorf("error %v", err)
	}
}
