package mcpserver

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/test/golden"
)

// compile reads a schema with an independent library.
func compile(schema any) (*jsonschema.Schema, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:schema")
}

var outputSchema = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(output()) })

// checkOutput validates structured content against the schema that clients get.
func checkOutput(t testing.TB, data []byte) {
	t.Helper()
	s, err := outputSchema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("the result breaks the schema: %v\n%s", err, data)
	}
	if members, ok := v.(map[string]any); ok {
		for name := range members {
			if s.Properties[name] == nil {
				t.Errorf("the member %q is not in the schema", name)
			}
		}
	}
}

func TestToolsAreDescribed(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, tool := range []*mcp.Tool{askTool(&Options{MaxQuestions: 4, MaxOptions: 4, Routes: []string{"deploys", "legal"}}, askName), waitTool()} {
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if schema == nil {
				continue
			}
			if _, err := compile(schema); err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			}
		}
		data, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
		all.WriteByte('\n')
	}
	golden.Check(t, "testdata/tools.json", all.String())
}

func TestSchemaHasOnlyWhatTheModelMaySet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts Options
		want []string
	}{
		"nothing is left to the agent": {Options{MaxQuestions: 4, MaxOptions: 4}, nil},
		"some routes":                  {Options{MaxQuestions: 4, MaxOptions: 4, Routes: []string{"deploys"}}, []string{"route"}},
		"places of the token":          {Options{MaxQuestions: 4, MaxOptions: 4, ModelMaySet: []string{"to", "route"}}, []string{"route", "to"}},
		"who may answer":               {Options{MaxQuestions: 4, MaxOptions: 4, ModelMaySet: []string{"responders"}}, []string{"responders"}},
		"any place, and routes":        {Options{MaxQuestions: 4, MaxOptions: 4, ModelMaySet: []string{"to", "route"}, Routes: []string{"deploys"}}, []string{"route", "to"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := compile(askTool(&test.opts, askName).InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, member := range []string{"responders", "route", "to"} {
				if s.Properties[member] != nil {
					got = append(got, member)
				}
			}
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("offers %q, want %q", got, test.want)
			}
		})
	}
}

func TestSchemaMatchesDescription(t *testing.T) {
	t.Parallel()
	s, err := compile(askTool(&Options{MaxQuestions: 4, MaxOptions: 4}, askName).InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	for input, ok := range map[string]bool{
		`{"questions":[{"question":"Go?","header":"Go","multiSelect":false,"options":[{"label":"Yes","description":"Now"},{"label":"No","description":"Later"}]}]}`: true,
		`{"questions":[{"question":"Why?"}],"context":"x","expires_in":"2h"}`:                                                                                       true,
		`{"questions":[]}`: false,
		`{}`:               false,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != ok {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// maxListing is the maximum length of the tool list, which hosts send to the model with every request.
const maxListing = 5_000

func TestToolListIsShort(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*Options{
		"default":                  nil,
		"all that a model may set": {ModelMaySet: access.ModelMembers()},
		"with permission prompts":  {ModelMaySet: access.ModelMembers(), Permitters: []string{"anyone"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, opts, func(t *testing.T, w *fixture) {
				tools, err := w.pipes(june2025).session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				data, err := json.Marshal(tools)
				if err != nil {
					t.Fatal(err)
				}
				if len(data) > maxListing {
					t.Errorf("tools/list has %d bytes, more than %d:\n%s", len(data), maxListing, data)
				}
			})
		})
	}
}
