package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// silence is the maximum time without an event of an OpenCode server, which sends a
// heartbeat every ten seconds.
const silence = time.Minute

// OpenCodeOptions are the settings of [OpenCode].
type OpenCodeOptions struct {
	Options
	// Username and Password are the credentials of the server
	// (OPENCODE_SERVER_PASSWORD); without a password none are sent.
	Username, Password string
	// Directory is the project, for a server with several.
	Directory string
	// Permissions asks permission prompts in chat too, in addition to OpenCode's own
	// screen. It requires an authenticated bridge, and Responders or Anyone.
	Permissions bool
	// Anyone lets everyone who sees a card decide about permissions.
	Anyone bool
	// HTTP makes the calls; nil means a client of its own. It must not have a
	// timeout.
	HTTP *http.Client
}

// OpenCode answers the questions of an OpenCode server from chat, and optionally its
// permission prompts. It subscribes to the server's events, asks over the bridge, and
// posts the reply or the rejection.
//
// It has no state: after a restart it finds pending questions, and answers that were
// given meanwhile.
//
// The routes and events are those of https://opencode.ai/docs/server.
type OpenCode struct {
	*asker

	host        *host
	permissions bool
	anyone      bool
	// sessions are the sessions of open questions by ID. Only the reader of the events uses it.
	sessions map[string]string
	// place is the agent's folder, read when a stream begins.
	place atomic.Pointer[openCodePlace]
}

// openCodePlace is what GET /path returns: the folder of the project, and the home directory of the
// person on the server's machine.
type openCodePlace struct {
	Folder string `json:"directory"`
	Home   string `json:"home"`
}

// Why permissions are not asked in chat.
var (
	// ErrWhoever means that neither Responders nor Anyone is set.
	ErrWhoever = errors.New("connect: who may allow what the agent wants to do? name responders, or say that anyone may")
	// ErrUnsure means that the client cannot authenticate the bridge, because it has no
	// token or does not seal it. See [client.Options.Sealed].
	ErrUnsure = errors.New("connect: permissions need a token, by which the bridge can prove that it speaks")
)

// NewOpenCode returns the client of the server at an address such as
// "http://127.0.0.1:4096".
func NewOpenCode(bridge *client.Client, address string, opts *OpenCodeOptions) (*OpenCode, error) {
	if opts == nil {
		opts = &OpenCodeOptions{}
	}
	h, err := newHost("OpenCode", address, "http://127.0.0.1:4096", opts.HTTP)
	if err != nil {
		return nil, err
	}
	switch {
	case !opts.Permissions:
	case len(opts.Responders) == 0 && !opts.Anyone:
		return nil, ErrWhoever
	case !bridge.Proves():
		return nil, ErrUnsure
	}
	set := *opts
	if set.Username == "" {
		set.Username = "opencode"
	}
	h.sign = func(r *http.Request) {
		if set.Directory != "" {
			r.URL.RawQuery = "directory=" + url.QueryEscape(set.Directory)
		}
		if set.Password != "" {
			r.SetBasicAuth(set.Username, set.Password)
		}
	}
	o := &OpenCode{
		asker: newAsker(bridge, set.Options), host: h, permissions: set.Permissions, anyone: set.Anyone, sessions: map[string]string{},
	}
	o.place.Store(&openCodePlace{Folder: set.Directory})
	return o, nil
}

// Run answers questions until ctx ends. It survives restarts of the server and of
// the bridge. Open questions remain open, also in chat.
func (o *OpenCode) Run(ctx context.Context) {
	defer o.all.Wait()
	o.again(ctx, o.host.name, func(ctx context.Context) error {
		err := o.host.follow(ctx, "/event", silence,
			func(during context.Context) error { return o.catchUp(during, ctx) },
			func(data []byte) { o.hear(ctx, data) })
		if errors.Is(err, syscall.ECONNREFUSED) {
			err = fmt.Errorf("%w; start OpenCode with opencode --port %s, or opencode serve: without a port it does not listen", err, o.host.base.Port())
		}
		return err
	})
}

// hear handles an event. Questions use life as their context, since the stream may
// break while people think.
func (o *OpenCode) hear(life context.Context, data []byte) {
	var e struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	if strictjson.Decode(data, &e) != nil {
		return
	}
	switch e.Type {
	case "question.asked":
		o.asked(life, e.Properties, false)
	case "permission.asked":
		if o.permissions {
			o.asked(life, e.Properties, true)
		}
	case "question.replied", "question.rejected", "permission.replied":
		var about struct {
			ID string `json:"requestID"`
		}
		if strictjson.Decode(e.Properties, &about) == nil {
			o.drop(about.ID, elsewhere(o.host.name))
			delete(o.sessions, about.ID)
		}
	case "session.idle":
		// An aborted session becomes idle without cancelling its questions, which remain in the lists of the
		// server.
		var about struct {
			Session string `json:"sessionID"`
		}
		if strictjson.Decode(e.Properties, &about) == nil {
			o.dropAll(func(id string) bool { return o.sessions[id] == about.Session }, turnEnded())
			maps.DeleteFunc(o.sessions, func(_, session string) bool { return session == about.Session })
		}
	}
}

// catchUp begins questions that were asked before the stream began, and drops those
// that are not pending any more.
func (o *OpenCode) catchUp(ctx, life context.Context) error {
	if o.permissions {
		o.locate(ctx)
	}
	there := map[string]bool{}
	for _, of := range []struct {
		route      string
		permission bool
	}{{"/question", false}, {"/permission", true}} {
		if of.permission && !o.permissions {
			continue
		}
		var pending []json.RawMessage
		if err := o.host.read(ctx, http.MethodGet, of.route, nil, &pending); err != nil {
			return err
		}
		for _, p := range pending {
			there[o.asked(life, p, of.permission)] = true
		}
	}
	o.dropAll(func(id string) bool { return !there[id] }, elsewhere(o.host.name))
	maps.DeleteFunc(o.sessions, func(id, _ string) bool { return !there[id] })
	return nil
}

// locate asks the server for the agent's folder. If that fails the card shows the option
// Directory, or none.
func (o *OpenCode) locate(ctx context.Context) {
	var place openCodePlace
	if err := o.host.read(ctx, http.MethodGet, "/path", nil, &place); err != nil || place.Folder == "" {
		o.log.Debug("opencode did not say where it works", "error", err)
		return
	}
	o.place.Store(&place)
}

// asked begins a question or a permission prompt, and returns its ID.
func (o *OpenCode) asked(life context.Context, input json.RawMessage, permission bool) string {
	var q struct {
		ID      string `json:"id"`
		Session string `json:"sessionID"`
	}
	if strictjson.Decode(input, &q) != nil || q.ID == "" {
		o.log.Warn("opencode asked something without an id")
		return ""
	}
	place := o.place.Load()
	route, call := "/question/", client.ToolCall{Dialect: "opencode", Request: ask.Request{Session: q.Session, Key: "opencode/" + q.ID}}
	if permission {
		// OpenCode omits the agent's folder.
		route, input = "/permission/", strictjson.Add(strictjson.Add(input, "cwd", place.Folder), "home", place.Home)
	}
	call.Input = input
	route += url.PathEscape(q.ID)
	o.sessions[q.ID] = q.Session
	o.begin(life, question{
		id:     q.ID,
		anyone: permission && o.anyone,
		folder: place.Folder,
		call:   call,
		tell:   func(ctx context.Context, r *client.ToolResult) error { return o.reply(ctx, route, r) },
	})
	return q.ID
}

// reply posts a result to the path that it contains, if that is below the route of the question.
// Other routes run commands, and the bridge may be another program at its address.
func (o *OpenCode) reply(ctx context.Context, route string, r *client.ToolResult) error {
	method, path, _ := strings.Cut(r.Send, " ")
	if method != http.MethodPost || path != route+"/reply" && path != route+"/reject" {
		return fmt.Errorf("connect: the bridge does not say where to reply: %q", r.Send)
	}
	return insist(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		resp, err := o.host.call(ctx, method, path, r.Body)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}
