package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responses is the Responses API. https://platform.openai.com/docs/api-reference/responses-streaming
type responses struct{}

// separator joins the namespace of a tool and its name in [Request.Tools] and [Call.Tool]. Codex offers the tools
// of each MCP server in a separate namespace.
const separator = "/"

func (responses) read(body []byte) (*Request, error) {
	var sent struct {
		Stream bool `json:"stream"`
		Input  []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Call    string          `json:"call_id"`
			Output  json.RawMessage `json:"output"`
		} `json:"input"`
		Tools []offered `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	r := &Request{stream: sent.Stream, Tools: offeredNames("", sent.Tools)}
	var texts []string
	for _, item := range sent.Input {
		switch item.Type {
		case "function_call_output", "custom_tool_call_output":
			r.Results = append(r.Results, Result{Call: item.Call, Text: contentText(item.Output)})
		case "message", "":
			texts = append(texts, contentText(item.Content))
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}

// offered is a tool, or a namespace of tools.
type offered struct {
	Type  string    `json:"type"`
	Name  string    `json:"name"`
	Tools []offered `json:"tools"`
}

func offeredNames(space string, tools []offered) []string {
	var names []string
	for _, tool := range tools {
		switch {
		case tool.Type == "namespace":
			names = append(names, offeredNames(tool.Name+separator, tool.Tools)...)
		case tool.Name != "":
			names = append(names, space+tool.Name)
		default:
			names = append(names, space+tool.Type)
		}
	}
	return names
}

func (responses) write(w http.ResponseWriter, r *Request, turn Turn) {
	var items []object
	if turn.Say != "" {
		items = append(items, object{
			"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": turn.Say, "annotations": []any{}}},
		})
	}
	for _, call := range turn.Calls {
		item := object{"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID, "name": call.Tool, "arguments": call.Input, "status": "completed"}
		if space, name, ok := strings.Cut(call.Tool, separator); ok {
			item["namespace"], item["name"] = space, name
		}
		items = append(items, item)
	}
	response := object{"id": "resp_1", "object": "response", "status": "completed", "model": "scripted", "output": items, "usage": object{
		"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2,
	}}
	if !r.stream {
		writeJSON(w, response)
		return
	}
	s := newStream(w)
	s.send("response.created", object{"type": "response.created", "response": object{"id": "resp_1", "object": "response", "status": "in_progress", "model": "scripted", "output": []any{}}})
	for n, item := range items {
		s.send("response.output_item.added", object{"type": "response.output_item.added", "output_index": n, "item": item})
		s.send("response.output_item.done", object{"type": "response.output_item.done", "output_index": n, "item": item})
	}
	s.send("response.completed", object{"type": "response.completed", "response": response})
}
