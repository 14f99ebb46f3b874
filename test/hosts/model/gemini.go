package model

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini is generateContent and its stream. https://ai.google.dev/api/generate-content
type gemini struct {
	stream bool
}

func (g gemini) read(body []byte) (*Request, error) {
	var sent struct {
		Contents []struct {
			Parts []struct {
				Text     string `json:"text"`
				Response *struct {
					ID       string          `json:"id"`
					Name     string          `json:"name"`
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	r := &Request{stream: g.stream}
	for _, tool := range sent.Tools {
		for _, f := range tool.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	var texts []string
	for _, content := range sent.Contents {
		for _, part := range content.Parts {
			if part.Text != "" {
				texts = append(texts, part.Text)
			}
			if part.Response == nil {
				continue
			}
			result := Result{Call: part.Response.ID, Text: string(part.Response.Response)}
			var known struct {
				Output *string `json:"output"`
				Error  *string `json:"error"`
			}
			if json.Unmarshal(part.Response.Response, &known) == nil {
				switch {
				case known.Error != nil:
					result.Text, result.Failed = *known.Error, true
				case known.Output != nil:
					result.Text = *known.Output
				}
			}
			r.Results = append(r.Results, result)
		}
	}
	r.Text = strings.Join(texts, "\n")
	return r, nil
}

func (g gemini) write(w http.ResponseWriter, _ *Request, turn Turn) {
	var parts []any
	if turn.Say != "" {
		parts = append(parts, object{"text": turn.Say})
	}
	for _, call := range turn.Calls {
		parts = append(parts, object{"functionCall": object{"id": call.ID, "name": call.Tool, "args": json.RawMessage(call.Input)}})
	}
	reply := object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  "scripted",
	}
	if !g.stream {
		writeJSON(w, reply)
		return
	}
	newStream(w).send("", reply)
}
