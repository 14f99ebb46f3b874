package dialect

import (
	"embed"
	"encoding/json"
)

// The schemas are those of the hosts' own tools, member by member, as far as their documentation or source shows them. The
// descriptions are askbridge's.
//
//go:embed schemas/*.json
var schemas embed.FS

// ToolSchema describes a question tool to a model.
type ToolSchema struct {
	Name        string `json:"name" doc:"The tool's name at that host" example:"AskUserQuestion"`
	Description string `json:"description" doc:"What the tool is for"`
	// InputSchema is a JSON Schema of draft 2020-12.
	InputSchema json.RawMessage `json:"input_schema" doc:"A JSON Schema of the tool's input"`
}

// ToolSchema returns the tool that the host's model calls. It reports false for a dialect that no model writes: a protocol between
// programs, or a tool of the application.
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
