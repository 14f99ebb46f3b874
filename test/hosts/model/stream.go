package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// stream writes server-sent events.
type stream struct {
	w http.ResponseWriter
}

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return stream{w}
}

// send writes one event; the name is empty in APIs without event names.
func (s stream) send(name string, data any) {
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", encode(data))
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(value)) // The host may have disconnected.
}

func encode(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic("model: plain values always encode: " + err.Error())
	}
	return data
}

// object is a JSON object of a reply.
type object = map[string]any
