package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Account is an account in the control API. Members that a platform does not have are omitted.
type Account struct {
	Platform string   `json:"platform,omitempty"`
	ID       string   `json:"id"`
	Name     string   `json:"name"`      // the user name
	RealName string   `json:"real_name"` // the displayed name
	Roles    []string `json:"roles,omitempty"`
	Bot      bool     `json:"bot,omitempty"`
	Locale   string   `json:"locale,omitempty"` // locale, such as "es-ES"

	Team     string `json:"team,omitempty"`     // Slack: the home workspace if it is another one
	Guest    string `json:"guest,omitempty"`    // Slack: "multi_channel" or "single_channel"
	Email    string `json:"email,omitempty"`    // Slack
	Zone     string `json:"zone,omitempty"`     // Slack: such as "Europe/Berlin"
	Away     bool   `json:"away,omitempty"`     // Slack
	Disabled bool   `json:"disabled,omitempty"` // Slack

	Outside  bool `json:"outside,omitempty"`   // Discord: not a member of the guild
	ClosedDM bool `json:"closed_dm,omitempty"` // Discord: rejects direct messages from the app
}

// Channel is a conversation in the control API.
type Channel struct {
	Platform string   `json:"platform,omitempty"`
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Members  []string `json:"members,omitempty"`
	Archived bool     `json:"archived,omitempty"`
	Direct   bool     `json:"direct,omitempty"` // the bot's direct message with a person; read-only

	Private bool `json:"private,omitempty"` // Slack

	Parent   string `json:"parent,omitempty"`    // Discord: parent of a thread
	Locked   bool   `json:"locked,omitempty"`    // Discord: for a thread
	Forum    bool   `json:"forum,omitempty"`     // Discord
	NeedsTag bool   `json:"needs_tag,omitempty"` // Discord: for a forum
	Denied   uint64 `json:"denied,omitempty"`    // Discord: the bot's denied permission bits

	// Messages are the messages as the platform's API renders them; read-only.
	Messages []map[string]any `json:"messages,omitempty"`
}

// Role is a Slack user group or a Discord role.
type Role struct {
	Platform    string   `json:"platform,omitempty"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Members     []string `json:"members,omitempty"`     // Slack; on Discord, people list their roles
	Mentionable bool     `json:"mentionable,omitempty"` // Discord
}

// State is the complete state of one platform.
type State struct {
	Platform string    `json:"platform"`
	Now      time.Time `json:"now"`
	People   []Account `json:"people"`
	Channels []Channel `json:"channels"`
	Roles    []Role    `json:"roles"`
	// Delivery contains the delivery URLs by kind; a missing kind is sent over the program's
	// own connection.
	Delivery map[string]string `json:"delivery"`
	Sockets  int               `json:"sockets"` // the program's open connections
	Waiting  []string          `json:"waiting"` // pending faults
}

// Interactions and Events are the kinds of deliveries to the program.
const (
	Interactions = "interactions"
	Events       = "events"
)

// errKind means that the platform does not post this kind of delivery.
var errKind = errors.New("the platform does not post deliveries of this kind")

func (h *handler) state(w http.ResponseWriter, _ *http.Request) {
	out := struct {
		Platforms []State `json:"platforms"`
	}{[]State{}}
	for _, c := range h.chats {
		s := c.State()
		s.Platform, s.Now, s.Sockets, s.Waiting = c.Platform(), c.Now().UTC(), c.Sockets(), c.WaitingFaults()
		out.Platforms = append(out.Platforms, s)
	}
	writeJSON(w, out)
}

// putting returns the handler that adds one kind of entity to a platform.
func putting[T any](h *handler, platform func(T) string, put func(Chat, T) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var what T
		if !readAction(w, r, &what) {
			return
		}
		c := h.chat(platform(what))
		if c == nil {
			http.Error(w, "No such platform.", http.StatusNotFound)
			return
		}
		id, err := put(c, what)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, map[string]string{"id": id})
	}
}

func (h *handler) deliver(w http.ResponseWriter, r *http.Request) {
	var want struct{ Platform, Kind, URL string }
	if !readAction(w, r, &want) {
		return
	}
	c := h.chat(want.Platform)
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	if err := CheckDelivery(want.URL); err != nil {
		http.Error(w, "url "+err.Error()+".", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), actTime)
	defer cancel()
	if err := c.Deliver(ctx, want.Kind, want.URL); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, map[string]string{"url": want.URL})
}

// CheckDelivery returns nil for "" or a URL that deliveries can be posted to, or else an error
// that describes a valid one.
func CheckDelivery(address string) error {
	if to, err := url.Parse(address); address != "" && (err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https") {
		return fmt.Errorf("must be a URL such as http://127.0.0.1:3000/interactions, not %q", address)
	}
	return nil
}

// clock moves the time of all platforms forward.
func (h *handler) clock(w http.ResponseWriter, r *http.Request) {
	var want struct{ Advance string }
	if !readAction(w, r, &want) {
		return
	}
	d, err := time.ParseDuration(want.Advance)
	if err != nil || d < 0 {
		http.Error(w, `advance must be a duration such as "31m" or "2h", not negative.`, http.StatusBadRequest)
		return
	}
	out := map[string]time.Time{}
	for _, c := range h.chats {
		c.Advance(d)
		out[c.Platform()] = c.Now().UTC()
	}
	if d > 0 {
		h.note("time passes " + d.String())
	}
	writeJSON(w, map[string]any{"now": out})
}

// reset restores the initial state of all platforms.
func (h *handler) reset(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	h.controlled = nil
	h.mu.Unlock()
	h.opts.Traffic.Clear() // Before the platforms, whose reset makes open pages reload the full state.
	for _, c := range h.chats {
		c.Reset()
	}
	writeJSON(w, map[string]bool{"reset": true})
}

// who finds a person by id or name.
func who(c Chat, name string) (Person, error) {
	all := c.Everybody()
	i := slices.IndexFunc(all, func(p Person) bool { return p.ID == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(p Person) bool { return strings.EqualFold(p.Name, name) })
	}
	if i < 0 {
		return Person{}, fmt.Errorf("no person %q on %s", name, c.Platform())
	}
	return all[i], nil
}
