package dialect

import (
	"embed"
	"encoding/json"
)

// The schemas are those of the hosts' own tools, member by member, as far as
// their documents or sources tell them; the descriptions are ours.
//
//go:embed schemas/*.json
var schemas embed.FS

// ToolSchema is a question tool as a model is told of it.
type ToolSchema struct {
	Name        string `json:"name" doc:"The tool's name at that host" example:"AskUserQuestion"`
	Description string `json:"description" doc:"What the tool is for"`
	// InputSchema is a JSON Schema of draft 2020-12.
	InputSchema json.RawMessage `json:"input_schema" doc:"A JSON Schema of the tool's input"`
}

// ToolSchema returns the tool that the host's model calls, in the form in which
// that model writes its input. It reports false for a dialect that no model
// speaks: a protocol between programs, or a tool of the application's own.
func (d Dialect) ToolSchema() (ToolSchema, bool) {
	for _, name := range []string{d.Name, d.Family} {
		data, err := schemas.ReadFile("schemas/" + name + ".json")
		if err != nil {
			continue
		}
		s := ToolSchema{Name: d.Tool}
		return s, json.Unmarshal(data, &s) == nil
	}
	return ToolSchema{}, false
}
