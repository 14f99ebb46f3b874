package dialect_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// bare has inputs as models write them, for dialects whose archived input has an envelope.
var bare = map[string]string{
	"spring":             springF,
	"agno":               `{"questions_json":"[{\"question\":\"Which?\",\"header\":\"H\",\"multiSelect\":false,\"options\":[{\"label\":\"A\",\"description\":\"a\"},{\"label\":\"B\",\"description\":\"b\"}]}]"}`,
	"agno-native":        `{"questions":[{"question":"Which?","header":"H","multi_select":true,"options":[{"label":"A"},{"label":"B","description":"b"}]}]}`,
	"askuserquestion-go": setF,
	"req-auq":            `{"questions":[{"question":"Which?","header":"H","multiSelect":false,"options":[{"label":"A"},{"label":"B"}]}]}`,
	"opal":               `{"question":"Which?","choices":["A","B"]}`,
	"claude":             setF,
	"codex":              `{"questions":[{"id":"which","header":"H","question":"Which?","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`,
	"opencode":           `{"questions":[{"question":"Which?","header":"H","multiple":true,"custom":false,"options":[{"label":"A","description":"a"}]}]}`,
	"gemini":             `{"questions":[{"type":"yesno","question":"Go?","header":"H"},{"type":"text","question":"Why?","header":"W","placeholder":"since"}]}`,
	"qwen":               setF,
	"kimi":               `{"questions":[{"question":"Which?","multi_select":true,"options":[{"label":"A"},{"label":"B"}]}]}`,
	"crush":              `{"questions":[{"type":"single_choice","label":"H","question":"Which?","description":"d","choices":[{"id":"a","label":"A"},{"id":"b","label":"B"}]},{"type":"free_text","question":"Why?","description":"d"}]}`,
	"vscode":             `{"questions":[{"header":"size","question":"How big?","message":"It costs.","allowFreeformInput":true,"options":[{"label":"Small","recommended":true}]}]}`,
	"copilot":            `{"question":"Which?","choices":["A"],"allowFreeform":false}`,
	"cline":              `{"question":"Which?","options":["A","B"]}`,
	"roo":                `{"question":"Which?","follow_up":[{"text":"A"},{"text":"B","mode":"code"}]}`,
}

// programs lists dialects that only programs use, and models never see.
var programs = []string{"cursor", "pydantic-ai", "langgraph", "ag-ui", "a2a", "mcp", "acp"}

// archived returns the input from the archive of a dialect.
func archived(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "input.json" {
			return string(f.Data)
		}
	}
	t.Fatalf("testdata/%s.txtar: missing input.json", name)
	return ""
}

func TestToolSchemaMatchesHost(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			tool, ok := d.ToolSchema()
			if slices.Contains(programs, d.Name) {
				if ok {
					t.Errorf("%s has a tool schema: %+v", d.Name, tool)
				}
				return
			}
			if !ok || tool.Name != d.Tool || tool.Description == "" {
				t.Fatalf("%+v, %v", tool, ok)
			}
			schema := compiled(t, tool.InputSchema)
			in := cmp.Or(bare[d.Name], bare[d.Family], archived(t, d.Name))
			if in == "" {
				t.Fatal("no input of a model in bare or in the archive")
			}
			if err := schema.Validate(parsed(t, in)); err != nil {
				t.Errorf("schema refuses the model's input: %v", err)
			}
			if call, err := d.Decode([]byte(in), nil); err != nil || len(call.Ignored) > 0 {
				t.Errorf("dialect refuses the model's input: %+v, %v", call.Ignored, err)
			}
			for _, wrong := range []string{`{}`, strings.Replace(in, `"question`, `"nonsense`, 1)} {
				if schema.Validate(parsed(t, wrong)) == nil {
					t.Errorf("schema accepts %s", wrong)
				}
			}
			// The dialect enforces the limits of its schema.
			if most := d.Limits.MaxQuestions; most > 1 && d.Name != "agno" {
				many := repeated(t, in, most+1)
				if schema.Validate(parsed(t, many)) == nil {
					t.Errorf("schema accepts %d questions", most+1)
				}
			}
		})
	}
}

func compiled(t *testing.T, schema json.RawMessage) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", parsed(t, string(schema))); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tool.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// repeated returns the set with its first question n times.
func repeated(t *testing.T, in string, n int) string {
	t.Helper()
	var set struct {
		Questions []json.RawMessage `json:"questions"`
	}
	if err := json.Unmarshal([]byte(in), &set); err != nil {
		t.Fatal(err)
	}
	set.Questions = slices.Repeat(set.Questions[:1], n)
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(set); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestUnsupportedVariantsAreRefused(t *testing.T) {
	t.Parallel()
	const set = `{"questions":[{"question":"Which library?","header":"Library","options":[{"label":"Moment.js","description":"Large"},{"label":"Day.js","description":"Small"}]}]}`
	for name, want := range map[string]string{"spring": "notes", "claude": "", "req-auq": "partial notes", "agno-native": "partial notes"} {
		d, _ := dialect.Get(name)
		var refused []string
		for _, variant := range []string{"partial", "notes"} {
			var o dialect.Options
			if err := o.Vary(variant); err != nil {
				t.Fatal(err)
			}
			call, err := d.Decode([]byte(set), &o)
			if err != nil {
				if !strings.Contains(err.Error(), variant+" does not fit "+name) {
					t.Errorf("%s, %s: %v", name, variant, err)
				}
				refused = append(refused, variant)
				continue
			}
			if q := call.Request.Questions[0]; q.Optional != (variant == "partial") || q.Notes != (variant == "notes") {
				t.Errorf("%s, %s: question is %+v", name, variant, q)
			}
		}
		if got := strings.Join(refused, " "); got != want {
			t.Errorf("%s refuses %q, want %q", name, got, want)
		}
	}
}

func TestPermissionCannotBeSkipped(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Get("claude")
	call, err := d.Decode([]byte(`{"hook_event_name":"PreToolUse","tool_name":"ExitPlanMode","tool_use_id":"t1","tool_input":{"plan":"Ship it."}}`), &dialect.Options{Partial: true, Notes: true})
	if err != nil || ask.Partial(call.Request.Questions) {
		t.Errorf("questions are %+v, %v", call.Request.Questions, err)
	}
}

func TestSchemaMarksSkippableQuestions(t *testing.T) {
	t.Parallel()
	d, _ := dialect.Get("mcp")
	call, err := d.Decode([]byte(`{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"nick":{"type":"string"}},"required":["name"]}}`), &dialect.Options{Partial: true})
	if err != nil || call.Request.Questions[0].Optional || !call.Request.Questions[1].Optional {
		t.Errorf("questions are %+v, %v", call.Request.Questions, err)
	}
}

func TestUnknownVariantsAreRefused(t *testing.T) {
	t.Parallel()
	var o dialect.Options
	if err := o.Vary("released", "partial", "strict"); err != nil || o != (dialect.Options{Strict: true, Released: true, Partial: true}) {
		t.Errorf("%+v, %v", o, err)
	}
	o = dialect.Options{}
	err := o.Vary("relaesed", "strict", "")
	wrong, ok := errors.AsType[*ask.InvalidError](err)
	if !ok || len(wrong.Problems) != 2 || wrong.Problems[0].Path != "variant[0]" || wrong.Problems[1].Path != "variant[2]" || o != (dialect.Options{}) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOpalHasNoDeadlineAndLogsTheQuestion(t *testing.T) {
	t.Parallel()
	d := get(t, "opal")
	for question, want := range map[string]string{
		"Why?":                            "Why?",
		strings.Repeat("Which one? ", 10): strings.Repeat("Which one? ", 5) + "Which",
		strings.Repeat("🚀", 70):           strings.Repeat("🚀", 60),
	} {
		in, _ := json.Marshal(map[string]string{"question": question})
		call, err := d.Decode(in, nil)
		if err != nil || call.Line != want || !call.Request.Rules.NoDeadline {
			t.Errorf("%s: %+v, %v", question, call, err)
		}
	}
}

func TestAgnoAdvisesShortLabels(t *testing.T) {
	t.Parallel()
	in := []byte(`[{"question":"Q?","header":"H","multiSelect":false,"options":[{"label":"One that goes on and on","description":"a"},{"label":"B","description":"b"}]}]`)
	call, err := get(t, "agno").Decode(in, nil)
	if err != nil || len(call.Advice) != 1 || call.Advice[0].Error() != "questions_json[0].options[0].label: has 6 words; keep it to 1-5" {
		t.Errorf("%+v, %v", call.Advice, err)
	}
}
