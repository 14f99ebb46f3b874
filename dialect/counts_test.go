package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// questionsOf returns n plain questions.
func questionsOf(n int) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(`{"question":"Number N?","header":"HN","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}`, "N", string(rune('a'+i))))
	}
	return `{"questions":[` + strings.Join(list, ",") + `]}`
}

func TestQuestionLimits(t *testing.T) {
	t.Parallel()
	released := &dialect.Options{Released: true}
	for _, tt := range []struct {
		name, dialect string
		opts          *dialect.Options
		n             int
		want          string // "" means accepted
	}{
		{"spring takes ten as documented", "spring", nil, 10, ""},
		{"spring refuses eleven as documented", "spring", nil, 11, "Questions list must contain 1-10 questions, got: 11"},
		{"spring takes four as released", "spring", released, 4, ""},
		{"spring refuses five as released", "spring", released, 5, "Questions list must contain 1-4 questions, got: 5"},
		{"spring takes the caller's limit", "spring", &dialect.Options{MaxQuestions: 6}, 7, "Questions list must contain 1-6 questions, got: 7"},
		{"spring needs one", "spring", nil, 0, "Questions list must contain 1-10 questions, got: 0"},
		{"agno takes four", "agno", nil, 4, ""},
		{"agno refuses five", "agno", nil, 5, "Must ask 1-4 questions, got 5"},
		{"the go library takes four", "askuserquestion-go", nil, 4, ""},
		{"the go library refuses five", "askuserquestion-go", nil, 5, dialect.ErrTooManyQuestions.Error()},
		{"req-auq refuses five", "req-auq", nil, 5, "give 1 to 4"},
		{"a caller may allow claude more", "claude", &dialect.Options{MaxQuestions: 10}, 10, ""},
		{"eleven is more than a caller can allow", "claude", &dialect.Options{MaxQuestions: 40}, 11, "give 1 to 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := get(t, tt.dialect).Decode([]byte(questionsOf(tt.n)), tt.opts)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// optionsOf returns one question with n options in the format of a host.
func optionsOf(host string, n int) string {
	var list []string
	for i := range n {
		switch name := fmt.Sprintf("Choice %d", i+1); host {
		case "crush":
			list = append(list, fmt.Sprintf(`{"id":"c%d","label":%q}`, i+1, name))
		case "acp":
			list = append(list, fmt.Sprintf(`{"optionId":"c%d","name":%q}`, i+1, name))
		case "mcp", "cline", "copilot":
			list = append(list, fmt.Sprintf("%q", name))
		default:
			list = append(list, fmt.Sprintf(`{"id":"c%d","label":%q,"description":"d"}`, i+1, name))
		}
	}
	options := "[" + strings.Join(list, ",") + "]"
	switch host {
	case "acp":
		return `{"toolCall":{"title":"Go on"},"options":` + options + `}`
	case "cline":
		return `{"question":"Which?","options":` + options + `}`
	case "copilot":
		return `{"question":"Which?","choices":` + options + `}`
	case "mcp":
		return `{"message":"Which?","requestedSchema":{"type":"object","properties":{"q0":{"type":"string","enum":` + options + `}}}}`
	case "agno":
		return `[{"question":"Which?","header":"H","multiSelect":false,"options":` + options + `}]`
	case "crush":
		return `{"questions":[{"type":"single_choice","label":"H","question":"Which?","description":"d","choices":` + options + `}]}`
	}
	return `{"questions":[{"id":"q0","type":"choice","question":"Which?","prompt":"Which?","header":"H","options":` + options + `}]}`
}

func TestOptionLimits(t *testing.T) {
	t.Parallel()
	const most = ask.MaxOptions
	for _, tt := range []struct {
		dialect string
		opts    *dialect.Options
		takes   []int
		refuses map[int]string
	}{
		{"spring", nil, []int{2, 4}, map[int]string{1: "Options must have 2-4 items", 5: "Options must have 2-4 items"}},
		{"spring", &dialect.Options{Released: true}, []int{1, 5, 10, most}, nil},
		{"agno", nil, []int{2, 4}, map[int]string{1: "Must have 2-4 options, got 1", 5: "Must have 2-4 options, got 5"}},
		{"agno-native", nil, []int{1, 5, most}, nil},
		{"askuserquestion-go", nil, []int{2, 4}, map[int]string{1: dialect.ErrOptionCount.Error(), 5: dialect.ErrOptionCount.Error()}},
		{"req-auq", nil, []int{2, 4}, map[int]string{1: "each question needs 2-4 options, not 1", 5: "each question needs 2-4 options, not 5"}},
		{"claude", nil, []int{2, 4}, map[int]string{1: "1 given; give 2 to 4", 5: "5 given; give 2 to 4"}},
		{"codex", nil, []int{1, 4, 5}, map[int]string{0: "requires non-empty options"}},
		{"opencode", nil, []int{1, 5, 10, most}, map[int]string{most + 1: "at most 25 can be shown"}},
		{"gemini", nil, []int{2, 4}, map[int]string{1: "array with 2-4 items", 5: "must have at most 4 items"}},
		{"qwen", nil, []int{2, 4}, map[int]string{1: "between 2 and 4 options", 5: "between 2 and 4 options"}},
		{"crush", nil, []int{2, 5}, map[int]string{1: "requires at least 2 choices", 6: "question 1: [H]: choices exceed maximum of 5 (got 6)"}},
		{"vscode", nil, []int{2, 5, most}, map[int]string{1: "must have at least two options"}},
		{"copilot", nil, []int{1, 5, most}, nil},
		{"cursor", nil, []int{1, 5, most}, nil},
		{"cline", nil, []int{2, 5}, map[int]string{1: "1 given; the host asks for 2 to 5", 6: "6 given; the host asks for 2 to 5"}},
		{"mcp", nil, []int{1, 5, most}, map[int]string{most + 1: "26 given; give 1 to 25"}},
		{"acp", nil, []int{1, 5, most}, map[int]string{most + 1: "at most 25 can be shown"}},
	} {
		d := get(t, tt.dialect)
		for _, n := range tt.takes {
			in := []byte(optionsOf(tt.dialect, n))
			call, err := d.Decode(in, tt.opts)
			if err != nil {
				t.Errorf("%s refuses %d options: %v", tt.dialect, n, err)
				continue
			}
			if err := call.Request.Validate(call.Request.Rules); err != nil || len(call.Request.Questions[0].Options) != n {
				t.Errorf("%s reads %d options as %d: %v", tt.dialect, n, len(call.Request.Questions[0].Options), err)
			}
			last := call.Request.Questions[0].Options[n-1].Label
			r := d.Encode(in, answered(ask.Answer{Index: 0, Selected: []string{last}}), tt.opts)
			if body := string(r.Body); r.IsError || !strings.Contains(body, last) && !strings.Contains(body, fmt.Sprintf(`"c%d"`, n)) {
				t.Errorf("%s: last of %d options is encoded as %s", tt.dialect, n, body)
			}
		}
		for n, want := range tt.refuses {
			if _, err := d.Decode([]byte(optionsOf(tt.dialect, n)), tt.opts); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %d options: %v, want %q", tt.dialect, n, err, want)
			}
		}
	}
}
