package page

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"time"
)

// Options are what a host may add. The zero value is fine.
type Options struct {
	// Title stands at the top of the page. The default is "askbridge simulator".
	Title string
	// Notes is shown beside the chat, live.
	Notes *Log
	// Cases holds *.txtar files with a slack.json, a discord.json or both, which /gallery draws.
	Cases fs.FS
}

//go:embed web
var web embed.FS

// contentTypes are those of the page's own files; the system's table is not asked, for it differs between machines.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

const (
	// maxAction bounds the body of an action; a form has ten fields of 3,000 characters at most.
	maxAction = 256 << 10
	// actTime bounds an action; a platform gives up on an app after three seconds.
	actTime = 15 * time.Second
)

type handler struct {
	opts  Options
	chats []Chat
}

// Handler serves the page with a pane for each chat. It belongs at the root of a listener of its own, on loopback.
// Streams end when the context of their request does: give the server a BaseContext that ends before Shutdown is called.
func Handler(opts *Options, chats ...Chat) http.Handler {
	h := &handler{chats: chats}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Title == "" {
		h.opts.Title = "askbridge simulator"
	}
	if h.opts.Notes == nil {
		h.opts.Notes = &Log{}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("index.html"))
	mux.HandleFunc("GET /gallery", file("gallery.html"))
	mux.HandleFunc("GET /{name}", func(w http.ResponseWriter, r *http.Request) { file(r.PathValue("name"))(w, r) })
	mux.HandleFunc("GET /api/setup", h.setup)
	mux.HandleFunc("GET /api/events", h.stream)
	mux.HandleFunc("GET /api/cases", h.cases)
	mux.HandleFunc("POST /api/act", h.act)
	return guard(mux)
}

// file serves one of the page's own files.
func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := fs.ReadFile(web, "web/"+name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
		_, _ = w.Write(body) // The browser may have gone.
	}
}

// setup tells the page what it is to show.
func (h *handler) setup(w http.ResponseWriter, _ *http.Request) {
	type chat struct {
		Platform string   `json:"platform"`
		People   []Person `json:"people"`
	}
	out := struct {
		Title   string `json:"title"`
		Chats   []chat `json:"chats"`
		Gallery bool   `json:"gallery"`
	}{Title: h.opts.Title, Chats: []chat{}, Gallery: h.opts.Cases != nil}
	for _, c := range h.chats {
		out.Chats = append(out.Chats, chat{Platform: c.Platform(), People: c.People()})
	}
	writeJSON(w, out)
}

// act does what somebody did on the page. How it went is in the body: an app that does not answer is no failure of the
// page.
func (h *handler) act(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		http.Error(w, "An action is application/json.", http.StatusUnsupportedMediaType)
		return
	}
	var a Action
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAction)).Decode(&a); err != nil {
		http.Error(w, "An action is a JSON object of at most 256 KiB.", http.StatusBadRequest)
		return
	}
	c := h.chat(a.Platform)
	if c == nil || !slices.ContainsFunc(c.People(), func(p Person) bool { return p.ID == a.Person }) {
		http.Error(w, "There is no such platform or person.", http.StatusNotFound)
		return
	}
	// What a person did is done, even if they close the page.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
	defer cancel()
	err := c.Act(ctx, a)
	if errors.Is(err, errDeed) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	word, says := outcome(err)
	writeJSON(w, map[string]string{"outcome": word, "says": says})
}

func (h *handler) chat(platform string) Chat {
	i := slices.IndexFunc(h.chats, func(c Chat) bool { return c.Platform() == platform })
	if i < 0 {
		return nil
	}
	return h.chats[i]
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v) // The browser may have gone.
}
