package slacksim

import (
	"maps"
	"slices"
)

// teamsPerPage is how many workspaces auth.teams.list returns without a limit.
// https://docs.slack.dev/reference/methods/auth.teams.list
const teamsPerPage = 100

// Organization describes an Enterprise Grid organization to add to an app.
type Organization struct {
	ID     string // E…
	Name   string
	Domain string
	// DeniedScopes are the scopes that the organization allows no app.
	DeniedScopes []string
}

// organization is an organization with workspaces, and with or without an installation for all
// of it.
type organization struct {
	id, name, domain string
	denied           []string
	botUser, botID   string

	// The app's mutex guards the rest.

	inst   *installation   // nil if there never was one
	access map[string]bool // workspaces that an admin has added to inst
}

// AddOrganization adds an organization without workspaces. It panics if its id is taken.
// https://docs.slack.dev/enterprise/developing-for-enterprise-orgs
func (a *App) AddOrganization(o Organization) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(o.ID) < 2 || a.organizations[o.ID] != nil {
		panic("slacksim: the organization " + o.ID + " exists or has no id")
	}
	setDefault(&o.Name, o.ID)
	setDefault(&o.Domain, o.ID+".enterprise")
	org := &organization{id: o.ID, name: o.Name, domain: o.Domain, denied: slices.Clone(o.DeniedScopes), botUser: a.given.BotUser, botID: a.given.BotID}
	setDefault(&org.botUser, "U"+o.ID[1:]+"BOT")
	setDefault(&org.botID, "B"+o.ID[1:])
	a.organizations[o.ID] = org
}

// GrantAccess adds workspaces to an organization-wide installation, as an admin does after the
// installation: until then it may act in none. The app receives team_access_granted. It panics
// for a workspace outside organizations.
// https://docs.slack.dev/reference/events/team_access_granted
func (a *App) GrantAccess(teams ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.access(EventTeamAccessGranted, teams)
}

// RevokeAccess removes workspaces from an organization-wide installation: calls for them fail
// with team_access_not_granted. The app receives team_access_revoked.
// https://docs.slack.dev/reference/events/team_access_revoked
func (a *App) RevokeAccess(teams ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.access(EventTeamAccessRevoked, teams)
}

func (a *App) access(kind string, teams []string) {
	defer a.home.notify()
	changed := map[*organization][]any{}
	for _, id := range teams {
		s := a.teams[id]
		if s == nil || s.org == nil {
			panic("slacksim: no workspace " + id + " in an organization")
		}
		if s.org.access[id] != (kind == EventTeamAccessGranted) {
			changed[s.org] = append(changed[s.org], id)
		}
	}
	for org, ids := range changed {
		if org.access == nil {
			org.access = map[string]bool{}
		}
		for _, id := range ids {
			org.access[id.(string)] = kind == EventTeamAccessGranted
		}
		if org.inst.live() {
			a.home.sendEvents(a.envelope(org.inst, object{"type": kind, "team_ids": ids, "event_ts": a.newTS()}))
		}
	}
}

// JoinOrganization moves a workspace into an organization, as a migration does, or out of all with "". The
// app's installation in the workspace and its tokens stay, and Slack sends no event. It panics if the workspace
// or the organization is unknown.
// https://docs.slack.dev/enterprise/migrating-to-organization-wide-deployment
func (a *App) JoinOrganization(team, org string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.teams[team]
	if s == nil || org != "" && a.organizations[org] == nil {
		panic("slacksim: no workspace " + team + " or no organization " + org)
	}
	s.org, s.opts.Enterprise = a.organizations[org], org
}

// UninstallOrganization removes an organization-wide installation, as an admin does: Server.Uninstall
// for the whole organization. Installations in single workspaces stay.
func (a *App) UninstallOrganization(id string, events ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.home.notify()
	if len(events) == 0 {
		events = leaving()
	}
	a.remove(a.organizations[id].inst, "account_inactive", events)
}

// workspaces returns the organization's workspaces by id, those that the installation may act in
// first.
func (a *App) workspaces(org *organization) []*Server {
	mine := slices.DeleteFunc(a.sortedTeams(), func(s *Server) bool { return s.org != org })
	slices.SortStableFunc(mine, func(x, y *Server) int {
		switch {
		case org.access[x.opts.Team] == org.access[y.opts.Team]:
			return 0
		case org.access[x.opts.Team]:
			return -1
		default:
			return 1
		}
	})
	return mine
}

// has reports whether something that a call names is in the workspace.
func (s *Server) has(given args) bool {
	for _, name := range []string{"channel", "channel_id"} {
		if id := given.str(name); id != "" {
			return s.conversations[id] != nil || s.person(id) != nil
		}
	}
	for _, name := range []string{"user", "user_id", "users"} {
		if id := given.str(name); id != "" {
			return s.person(id) != nil
		}
	}
	return s.triggers[given.str("trigger_id")] != nil || s.views[given.str("view_id")] != nil || s.files[given.str("file")] != nil
}

// aim returns the workspace in which a call acts: that of the token, or, with the token of an
// organization-wide installation, the one that the call names by its id, or by what it is about.
// https://docs.slack.dev/enterprise/developing-for-enterprise-orgs
func (a *App) aim(secret string, given args) (*Server, *apiError) {
	t := a.tokens[secret]
	switch {
	case t == nil || t.of == nil:
		return a.home, nil
	case t.of.team != nil:
		return t.of.team, nil
	}
	org := t.of.org
	id := given.str("team_id")
	if id == "" {
		id = given.str("client_context_team_id")
	}
	for _, s := range a.workspaces(org) {
		if s.opts.Team != id && (id != "" || !s.has(given)) {
			continue
		}
		if !org.access[s.opts.Team] {
			return s, no("team_access_not_granted")
		}
		return s, nil
	}
	all := append(a.workspaces(org), a.home)
	switch {
	case id == "":
		return all[0], nil
	case a.foreseen(id):
		return all[0], no("team_access_not_granted")
	default:
		return all[0], no("team_not_found")
	}
}

// foreseen reports whether an organization has a workspace of which there are only people.
func (a *App) foreseen(team string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(a.teams)), func(s *Server) bool {
		return s.org != nil && slices.ContainsFunc(s.people, func(p Person) bool { return slices.Contains(p.Teams, team) })
	})
}
