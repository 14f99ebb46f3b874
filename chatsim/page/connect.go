package page

import "net/http"

// Connect is how bots reach the doubles.
type Connect struct {
	// Variables are what a bot reads from its environment.
	Variables map[string]string `json:"variables"`
	// Files are texts that work as they stand.
	Files []File `json:"files"`
}

// File is one of them.
type File struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Text  string `json:"text"`
}

func (h *handler) connect(w http.ResponseWriter, _ *http.Request) {
	out := Connect{Variables: map[string]string{}, Files: []File{}}
	if h.opts.Connect != nil {
		out = *h.opts.Connect
	}
	writeJSON(w, out)
}
