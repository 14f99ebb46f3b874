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
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// Options are what a host may add. The zero value is fine.
type Options struct {
	// Title stands at the top of the page. The default is "askbridge simulator".
	Title string
	// Traffic is what passed between agents and the program, shown beside the chat, live.
	Traffic *chatsim.Traffic
	// Agent lets the page ask the program; nil leaves that away.
	Agent *Agent
	// Controls are what the page lets one do to the program beside the faults of the platforms.
	Controls []Control
	// Connect is how bots reach the doubles; nil where the program is started beside them.
	Connect *Connect
	// Cases holds *.txtar files with a slack.json, a discord.json or both, which /gallery draws.
	Cases fs.FS
	// Names are what accounts, roles and channels of the cases are called, by id.
	Names map[string]string
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

// Agent is how the page asks the program something, as an agent does.
type Agent struct {
	// API is the program's own: what the page sends to agent/… arrives there as /….
	API http.Handler
	// URL is where agents reach the same API, for what is copied from the page.
	URL string
	// Forms are what can be sent. The first one is offered first.
	Forms []Form
	// Scenes are requests to start from.
	Scenes []Scene
	// Test writes a test that plays a scene, for "Copy as test"; nil leaves that away.
	Test func(scene string) string
}

// Form is a kind of request that the program takes.
type Form struct {
	Name  string `json:"name"`
	Label string `json:"label"` // what people call it
	Path  string `json:"path"`  // where it is posted to, such as "/v1/requests"
	Hint  string `json:"hint,omitempty"`
}

// Scene is a request to start from, and what there is to see in it.
type Scene struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Form  string `json:"form"`
	Body  string `json:"body"`
	Hint  string `json:"hint"` // what to do when the card is there
}

type handler struct {
	opts  Options
	chats []Chat

	mu         sync.Mutex
	controlled []moment // what was done with controls of the host
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
	if h.opts.Traffic == nil {
		h.opts.Traffic = &chatsim.Traffic{}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("index.html"))
	mux.HandleFunc("GET /gallery", file("gallery.html"))
	mux.HandleFunc("GET /{name}", func(w http.ResponseWriter, r *http.Request) { file(r.PathValue("name"))(w, r) })
	for pattern, do := range h.operations() {
		mux.HandleFunc(pattern, strictly(pattern, do))
	}
	if a := h.opts.Agent; a != nil {
		mux.Handle("/agent/", http.StripPrefix("/agent", a.API))
	}
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
	type agent struct {
		URL    string  `json:"url"`
		Forms  []Form  `json:"forms"`
		Scenes []Scene `json:"scenes"`
		Test   bool    `json:"test"`
	}
	out := struct {
		Title   string `json:"title"`
		Chats   []chat `json:"chats"`
		Gallery bool   `json:"gallery"`
		Agent   *agent `json:"agent,omitempty"`

		Names map[string]string `json:"names,omitempty"`
	}{Title: h.opts.Title, Chats: []chat{}, Gallery: h.opts.Cases != nil, Names: h.opts.Names}
	if a := h.opts.Agent; a != nil {
		out.Agent = &agent{a.URL, a.Forms, a.Scenes, a.Test != nil}
	}
	for _, c := range h.chats {
		out.Chats = append(out.Chats, chat{Platform: c.Platform(), People: c.People()})
	}
	writeJSON(w, out)
}

// act does what somebody did on the page. How it went is in the body: an app that does not answer is no failure of the
// page.
func (h *handler) act(w http.ResponseWriter, r *http.Request) {
	var a Action
	if !readAction(w, r, &a) {
		return
	}
	c := h.chat(a.Platform)
	if c == nil {
		http.Error(w, "There is no such platform.", http.StatusNotFound)
		return
	}
	person, err := who(c, a.Person)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	a.Person = person.ID
	// What a person did is done, even if they close the page.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
	defer cancel()
	err = c.Act(ctx, a)
	if errors.Is(err, errVerb) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	word, says := outcome(err)
	writeJSON(w, map[string]string{"outcome": word, "says": says})
}

func isJSON(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "application/json"
}

func (h *handler) chat(platform string) Chat {
	i := slices.IndexFunc(h.chats, func(c Chat) bool { return c.Platform() == platform })
	if i < 0 {
		return nil
	}
	return h.chats[i]
}

func writeJSON(w http.ResponseWriter, v any) { writeStatus(w, http.StatusOK, v) }

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // The browser may have gone.
}
