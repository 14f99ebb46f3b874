package slack

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// workspace is the app in one installation: a workspace, or an organization with its workspaces.
// The token, the rate limits and everything that was looked up belong to it and are never shared
// with another one.
type workspace struct {
	api       *webAPI
	self      *identity
	directory *directory
	places    *places
	search    *search
	homes     homes
	// noStatusUntil is when agent statuses are tried again after Slack refused them.
	noStatusUntil atomic.Pointer[time.Time]
}

// newWorkspace returns a workspace with the configured bot token. id is its installation; "" for the
// only one.
func newWorkspace(cfg Config, log *slog.Logger, jobs *jobs, id string) *workspace {
	api := &webAPI{url: cfg.APIURL, client: cfg.HTTPClient, log: log, installation: id}
	api.use(cfg.BotToken)
	self := &identity{api: api, log: log, agent: cfg.AgentStatus, us: home{guests: cfg.Guests != GuestsRefuse}, checked: errNotChecked}
	directory := newDirectory(api, self, cfg.Language, jobs)
	return &workspace{
		api: api, self: self, directory: directory, places: newPlaces(api, directory),
		search: &search{api: api, self: self},
	}
}

// directory looks up people, user groups and workspaces, and caches what it learns.
type directory struct {
	api  *webAPI
	self *identity
	// language is the language for people whose own is unknown.
	language string
	jobs     *jobs // lookups in advance

	groups   *known[members]
	handles  *known[map[string]string] // names of all user groups, under allGroups
	people   *known[account]
	channels *known[string]   // names of channels
	teams    *known[[]string] // workspaces of an organization, under allWorkspaces
	// nameless is the last time Slack refused a name lookup.
	nameless atomic.Pointer[time.Time]
}

func newDirectory(api *webAPI, self *identity, language string, jobs *jobs) *directory {
	most := maxKnown
	if api.installation != "" {
		most = maxKnownEach
	}
	d := &directory{api: api, self: self, language: language, jobs: jobs}
	d.channels = newKnown(d.askChannel, most)
	d.groups, d.people, d.handles, d.teams = newKnown(d.askGroup, most), newKnown(d.askAccount, most), newKnown(d.askHandles, most), newKnown(d.askWorkspaces, most)
	return d
}

// remove deletes a message of the bot.
func (w *workspace) remove(ctx context.Context, ref platform.MessageRef) error {
	return w.api.remove(ctx, ref)
}

// zoneOf returns a person and the time zone of their profile
// (https://docs.slack.dev/reference/objects/user-object).
func (w *workspace) zoneOf(ctx context.Context, user string) (ask.Person, string) {
	return ask.Person{Platform: Name, Installation: w.api.installation, ID: user}, w.directory.look(ctx, user).zone
}
