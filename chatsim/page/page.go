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

// Options configure the page. The zero value is valid.
type Options struct {
	// Title is the page title. The default is "askbridge simulator".
	Title string
	// Traffic is the traffic between agents and the program, shown live next to the chat.
	Traffic *chatsim.Traffic
	// Agent lets the page send requests to the program; nil disables it.
	Agent *Agent
	// Controls are operations on the program, offered along with the platforms' faults.
	Controls []Control
	// Connect describes how bots reach the doubles; nil if the program runs together with them.
	Connect *Connect
	// Workspaces lets the page add workspaces of the Slack app, and show any of them.
	Workspaces bool
	// Cases contains *.txtar files with a slack.json, a discord.json or both, which /gallery
	// draws.
	Cases fs.FS
	// Names are the names of the accounts, roles and channels in the cases, by id.
	Names map[string]string
}

//go:embed web
var web embed.FS

// contentTypes are the types of the page's own files. The system's table is not used because it
// differs between machines.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

const (
	// maxAction limits the body of an action; a form has up to ten fields of 3,000 characters.
	maxAction = 256 << 10
	// actTime limits an action; a platform times out after three seconds.
	actTime = 15 * time.Second
)

// Agent lets the page send requests to the program as an agent.
type Agent struct {
	// API is the program's own API: a request to agent/… is forwarded as /….
	API http.Handler
	// URL is the API's URL for agents, shown on the page.
	URL string
	// Forms are the kinds of requests. The first one is the default.
	Forms []Form
	// Scenes are example requests.
	Scenes []Scene
	// Test generates a test that plays a scene, for "Copy as test"; nil disables it.
	Test func(scene string) string
}

// Form is a kind of request that the program accepts.
type Form struct {
	Name  string `json:"name"`
	Label string `json:"label"` // displayed name
	Path  string `json:"path"`  // path to post to, such as "/v1/requests"
	Hint  string `json:"hint,omitempty"`
}

// Scene is an example request with its explanation.
type Scene struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Form  string `json:"form"`
	Body  string `json:"body"`
	Hint  string `json:"hint"` // what to do once the card is shown
}

type handler struct {
	opts  Options
	chats []Chat
	// workspaces are those of the Slack app; nil for one. team is the one of this page; "" for the
	// first one.
	workspaces *workspaces
	team       string

	mu         sync.Mutex
	controlled []moment // uses of the host's controls
}

// Handler serves the page with a pane for each chat. Mount it at the root of its own loopback
// listener. Streams end when their request's context does: use a BaseContext that is cancelled
// before Shutdown.
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
	if h.opts.Workspaces {
		h.workspaces = newWorkspaces(h.opts, chats)
	}
	return guard(h.mux())
}

// mux serves the page and the control API.
func (h *handler) mux() http.Handler {
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
	if h.workspaces != nil && h.team == "" {
		mux.Handle(workspacesPath+"{team}/", h.workspaces)
	}
	return mux
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
		_, _ = w.Write(body) // The browser may have disconnected.
	}
}

// setup returns the page's configuration.
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
		// Skips move the program's clock.
		Skips []Control `json:"skips,omitempty"`

		Names map[string]string `json:"names,omitempty"`
	}{Title: h.opts.Title, Chats: []chat{}, Gallery: h.opts.Cases != nil, Names: h.opts.Names, Skips: h.controls(true)}
	if a := h.opts.Agent; a != nil {
		out.Agent = &agent{a.URL, a.Forms, a.Scenes, a.Test != nil}
	}
	for _, c := range h.chats {
		out.Chats = append(out.Chats, chat{Platform: c.Platform(), People: c.People()})
	}
	writeJSON(w, out)
}

// act performs an action of the page's visitor. The body contains its result: an app that does
// not respond is not an HTTP error.
func (h *handler) act(w http.ResponseWriter, r *http.Request) {
	var a Action
	if !readAction(w, r, &a) {
		return
	}
	c := h.chat(a.Platform)
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	person, err := who(c, a.Person)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	a.Person = person.ID
	// An action continues even if the page is closed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actTime)
	defer cancel()
	err = c.Act(ctx, a)
	if errors.Is(err, errVerb) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	code, message := outcome(err)
	writeJSON(w, map[string]string{"outcome": code, "says": message})
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
	_ = json.NewEncoder(w).Encode(v) // The browser may have disconnected.
}
