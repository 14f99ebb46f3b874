package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// chat is the Chat Completions API. https://platform.openai.com/docs/api-reference/chat-streaming
type chat struct{}

func (chat) read(body []byte) (*Request, error) {
	var sent struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Call    string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	r := &Request{stream: sent.Stream}
	for _, tool := range sent.Tools {
		r.Tools = append(r.Tools, tool.Function.Name)
	}
	var texts []string
	for _, message := range sent.Messages {
		switch message.Role {
		case "tool":
			r.Results = append(r.Results, Result{Call: message.Call, Text: contentText(message.Content)})
		case "user", "assistant":
			texts = append(texts, contentText(message.Content))
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}

func (chat) write(w http.ResponseWriter, r *Request, turn Turn) {
	stop := "stop"
	var calls []any
	for n, call := range turn.Calls {
		stop = "tool_calls"
		calls = append(calls, object{"index": n, "id": call.ID, "type": "function", "function": object{"name": call.Tool, "arguments": call.Input}})
	}
	message := object{"role": "assistant", "content": turn.Say}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !r.stream {
		writeJSON(w, object{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted", "usage": usage,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": stop}},
		})
		return
	}
	s := newStream(w)
	chunk := func(delta object, reason any) {
		s.send("", object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}},
		})
	}
	chunk(message, nil)
	chunk(object{}, stop)
	s.send("", object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{}, "usage": usage})
	_, _ = w.Write([]byte("data: [DONE]\n\n")) // The host may have disconnected.
}
