package page

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// galleryCase is one golden case: a message with its forms, for each platform.
type galleryCase struct {
	Name    string          `json:"name"`
	Note    string          `json:"note"`
	Slack   json.RawMessage `json:"slack,omitempty"`
	Discord json.RawMessage `json:"discord,omitempty"`
}

// cases lists the golden cases for the gallery. They are read on each request, so that a reload
// shows the last update.
func (h *handler) cases(w http.ResponseWriter, _ *http.Request) {
	out := []galleryCase{}
	if h.opts.Cases == nil {
		writeJSON(w, out)
		return
	}
	names, err := fs.Glob(h.opts.Cases, "*.txtar")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, name := range names {
		raw, err := fs.ReadFile(h.opts.Cases, name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		c := galleryCase{Name: strings.TrimSuffix(path.Base(name), ".txtar")}
		for file, card := range map[string]*json.RawMessage{"slack.json": &c.Slack, "discord.json": &c.Discord} {
			note, body := section(string(raw), file)
			c.Note = note
			if json.Valid([]byte(body)) {
				*card = []byte(body)
			}
		}
		if c.Slack != nil || c.Discord != nil {
			out = append(out, c)
		}
	}
	writeJSON(w, out)
}

// section returns the leading comment of a txtar archive and one of its files.
func section(archive, file string) (comment, body string) {
	inside := &comment
	for line := range strings.Lines(archive) {
		name, marker := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		name, closed := strings.CutSuffix(name, " --")
		if marker && closed {
			inside = nil
			if name == file {
				inside = &body
			}
			continue
		}
		if inside != nil {
			*inside += line
		}
	}
	return strings.TrimSpace(comment), body
}
