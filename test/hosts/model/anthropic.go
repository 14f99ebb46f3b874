package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// anthropic is the Messages API. https://docs.claude.com/en/api/messages-streaming
type anthropic struct{}

func (anthropic) read(body []byte) (*Request, error) {
	var sent struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	r := &Request{stream: sent.Stream}
	for _, tool := range sent.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	var texts []string
	for _, message := range sent.Messages {
		texts = append(texts, contentText(message.Content))
		var blocks []struct {
			Type    string          `json:"type"`
			Use     string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
			Failed  bool            `json:"is_error"`
		}
		if json.Unmarshal(message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				r.Results = append(r.Results, Result{Call: b.Use, Text: contentText(b.Content), Failed: b.Failed})
			}
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}

func (anthropic) write(w http.ResponseWriter, r *Request, turn Turn) {
	message := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1},
	}
	stop := "end_turn"
	if len(turn.Calls) > 0 {
		stop = "tool_use"
	}
	if !r.stream {
		var blocks []any
		if turn.Say != "" {
			blocks = append(blocks, object{"type": "text", "text": turn.Say})
		}
		for _, call := range turn.Calls {
			blocks = append(blocks, object{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": json.RawMessage(call.Input)})
		}
		message["content"], message["stop_reason"] = blocks, stop
		writeJSON(w, message)
		return
	}
	s := newStream(w)
	s.send("message_start", object{"type": "message_start", "message": message})
	index := 0
	block := func(start, delta object) {
		s.send("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start})
		s.send("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": delta})
		s.send("content_block_stop", object{"type": "content_block_stop", "index": index})
		index++
	}
	if turn.Say != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": turn.Say})
	}
	for _, call := range turn.Calls {
		block(object{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": object{}},
			object{"type": "input_json_delta", "partial_json": call.Input})
	}
	s.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	s.send("message_stop", object{"type": "message_stop"})
}
