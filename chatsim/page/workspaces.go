package page

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// workspaces serves the page of each Slack workspace of the app at its own path. The first one is
// served at the root, too.
type workspaces struct {
	opts  Options
	chats []Chat
	home  *slackChat // nil without Slack

	mu    sync.Mutex // one addition at a time
	pages map[*slacksim.Server]http.Handler
}

// workspacesPath is the path of the pages of workspaces.
const workspacesPath = "/workspaces/"

var teamID = regexp.MustCompile(`^T[A-Z0-9]{2,20}$`)

// newWorkspaces returns the workspaces of the app on a page, or nil if there is no Slack.
func newWorkspaces(opts Options, chats []Chat) *workspaces {
	for _, c := range chats {
		if home, ok := c.(*slackChat); ok {
			return &workspaces{opts: opts, chats: chats, home: home, pages: map[*slacksim.Server]http.Handler{}}
		}
	}
	return nil
}

// otherWorkspace is a workspace that was added to the app.
type otherWorkspace struct {
	*slackChat

	home *slackChat
}

// Reset restores the app's first state, in which this workspace does not exist.
func (o otherWorkspace) Reset() { o.home.Reset() }

// ServeHTTP serves the page and the control API of the workspace in the path.
func (ws *workspaces) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	team := r.PathValue("team")
	page := ws.page(team)
	if page == nil {
		http.Error(w, "No such workspace.", http.StatusNotFound)
		return
	}
	http.StripPrefix(workspacesPath+team, page).ServeHTTP(w, r)
}

// page returns the page of a workspace, or nil.
func (ws *workspaces) page(team string) http.Handler {
	sim := ws.home.Workspace(team)
	if sim == nil {
		return nil
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if known := ws.pages[sim]; known != nil {
		return known
	}
	maps.DeleteFunc(ws.pages, func(old *slacksim.Server, _ http.Handler) bool { // Those before a reset.
		id, _ := old.Team()
		return ws.home.Workspace(id) != old
	})
	h := &handler{opts: ws.opts, workspaces: ws, team: team}
	for _, c := range ws.chats {
		if c == Chat(ws.home) && sim != ws.home.Server {
			c = otherWorkspace{&slackChat{Server: sim, cast: cast{first: ws.home.first}}, ws.home}
		}
		h.chats = append(h.chats, c)
	}
	ws.pages[sim] = h.mux()
	return ws.pages[sim]
}

// workspace is a Slack workspace in the control API.
type workspace struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Path      string `json:"path"` // of its page and control API
	Installed bool   `json:"installed"`
	Current   bool   `json:"current,omitempty"` // the one of this page
}

// listWorkspaces lists the workspaces.
func (h *handler) listWorkspaces(w http.ResponseWriter, _ *http.Request) {
	out := []workspace{}
	if h.workspaces != nil {
		for _, sim := range h.workspaces.home.Workspaces() {
			team, name := sim.Team()
			out = append(out, workspace{
				ID: team, Name: name, Path: workspacesPath + team + "/", Installed: sim.Installed(),
				Current: team == h.team || h.team == "" && sim == h.workspaces.home.Server,
			})
		}
	}
	writeJSON(w, map[string]any{"workspaces": out})
}

// addWorkspace adds a workspace in which the app is not installed.
func (h *handler) addWorkspace(w http.ResponseWriter, r *http.Request) {
	var want struct{ ID, Name string }
	if !readAction(w, r, &want) {
		return
	}
	if h.workspaces == nil {
		http.Error(w, errNoSlack.Error(), http.StatusNotFound)
		return
	}
	id, err := h.workspaces.add(want.ID, want.Name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.note(fmt.Sprintf("# The workspace %s is added. A scene has no such step.", id))
	writeJSON(w, map[string]string{"id": id})
}

var errNoSlack = errors.New("only Slack has workspaces, and it is not on this page")

func (ws *workspaces) add(id, name string) (string, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if id != "" && !teamID.MatchString(id) {
		return "", fmt.Errorf("id must look like T0000002, not %q", id)
	}
	if id != "" && ws.home.Workspace(id) != nil {
		return "", fmt.Errorf("the workspace %s exists", id)
	}
	id, _ = ws.home.AddWorkspace(slacksim.Workspace{Team: id, Name: strings.TrimSpace(name)}).Team()
	return id, nil
}

// uninstall removes the app from a workspace, as an admin does.
func (h *handler) uninstall(w http.ResponseWriter, r *http.Request) {
	var want struct{ Workspace string }
	if !readAction(w, r, &want) {
		return
	}
	sim, err := h.workspaceOf(want.Workspace)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if !sim.Installed() {
		http.Error(w, "The app is not installed there.", http.StatusBadRequest)
		return
	}
	sim.Uninstall()
	id, _ := sim.Team()
	h.note(fmt.Sprintf("# The app is uninstalled from %s. A scene has no such step.", id))
	writeJSON(w, map[string]string{"id": id})
}

// workspaceOf finds a workspace by its id; "" is the one of the page.
func (h *handler) workspaceOf(team string) (*slacksim.Server, error) {
	if h.workspaces == nil {
		return nil, errNoSlack
	}
	if team == "" && h.team == "" {
		return h.workspaces.home.Server, nil
	}
	if team == "" {
		team = h.team
	}
	if sim := h.workspaces.home.Workspace(team); sim != nil {
		return sim, nil
	}
	return nil, fmt.Errorf("no workspace %q", team)
}
