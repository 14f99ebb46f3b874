package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// Request is one request of a host, reduced to what every API has.
type Request struct {
	// Path is the path of the API that the host called.
	Path string
	// Body is the request as it arrived.
	Body json.RawMessage
	// Tools are the names of the tools that the host offers to the model.
	Tools []string
	// Results are the results of all tool calls so far, in the order of the conversation.
	Results []Result
	// Text is the text of the conversation, without tool results and the system prompt.
	Text string

	stream bool
}

// Result is what the model reads as the result of one tool call.
type Result struct {
	// Call is the id of the tool call, see [Call.ID].
	Call string
	// Text is the whole text of the result.
	Text string
	// Failed reports whether the host marked the result as an error, if its API has such a mark.
	Failed bool
}

// result finds the result of a call.
func (r *Request) result(call string) (Result, bool) {
	n := slices.IndexFunc(r.Results, func(found Result) bool { return found.Call == call })
	if n < 0 {
		return Result{}, false
	}
	return r.Results[n], true
}

// contentText joins the texts of a content member, which every API allows to be a string or a list of parts.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
