package slack

import (
	"sync/atomic"
	"time"
)

// directory looks up people, user groups and workspaces, and caches what it learns.
type directory struct {
	api  *webAPI
	self *identity
	// language is the language for people whose own is unknown.
	language string
	jobs     *jobs // lookups in advance

	groups  *known[members]
	handles *known[map[string]string] // names of all user groups, under allGroups
	people  *known[account]
	teams   *known[[]string] // workspaces of an organization, under allWorkspaces
	// nameless is the last time Slack refused a name lookup.
	nameless atomic.Pointer[time.Time]
}

func newDirectory(api *webAPI, self *identity, language string, jobs *jobs) *directory {
	d := &directory{api: api, self: self, language: language, jobs: jobs}
	d.groups, d.people, d.handles, d.teams = newKnown(d.askGroup), newKnown(d.askAccount), newKnown(d.askHandles), newKnown(d.askWorkspaces)
	return d
}
