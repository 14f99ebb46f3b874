package page

import "net/http"

// Connect describes how bots reach the doubles.
type Connect struct {
	// Variables are the environment variables of a bot.
	Variables map[string]string `json:"variables"`
	// Files are complete example files.
	Files []File `json:"files"`
}

// File is one example file.
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
