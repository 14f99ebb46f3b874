package slacksim

import (
	"slices"
	"time"
)

// The events of an installation. They need no scope. https://docs.slack.dev/reference/events
const (
	EventAppUninstalled    = "app_uninstalled"
	EventTokensRevoked     = "tokens_revoked"
	EventTeamAccessGranted = "team_access_granted"
	EventTeamAccessRevoked = "team_access_revoked"
)

// installation is the app in one workspace, or in a whole organization. It outlives its tokens:
// one that was removed answers their calls with an error of its own.
type installation struct {
	team *Server       // nil if the organization is set
	org  *organization // nil if the team is set

	botUser, botID string
	scopes         []string
	token          *token   // a token that does not expire; nil with token rotation
	rotated        []*token // valid tokens that expire, oldest first
	removed        bool
}

// token is one credential.
type token struct {
	value     string
	of        *installation // nil for the app-level token
	scopes    []string      // of the app-level token
	until     time.Time     // expiry of a rotated token
	exchanged bool          // by oauth.v2.exchange
	state     string        // Slack's error code for an invalid token; "" for a valid one
}

// granted returns the scopes of a token.
func (t *token) granted() []string {
	if t.of != nil {
		return t.of.scopes
	}
	return t.scopes
}

// over reports whether a rotated token has expired.
func (t *token) over(now time.Time) bool { return !t.until.IsZero() && !now.Before(t.until) }

// live reports whether the app still receives what happens in the installation.
func (i *installation) live() bool {
	return i != nil && !i.removed && (i.token == nil || i.token.state == "")
}

// wide reports whether the installation is organization-wide.
func (i *installation) wide() bool { return i != nil && i.org != nil }

// covers reports whether the installation's tokens may act in a workspace.
func (i *installation) covers(s *Server) bool {
	return i.team == s || i.org != nil && i.org == s.org && i.org.access[s.opts.Team]
}

// installed returns the installation that acts in the workspace: its own one, or that of its
// organization if an admin has added the workspace. It is nil if there is none.
func (s *Server) installed() *installation {
	switch {
	case s.inst != nil && !s.inst.removed:
		return s.inst
	case s.org != nil && s.org.inst != nil && !s.org.inst.removed && s.org.access[s.opts.Team]:
		return s.org.inst
	default:
		return nil
	}
}

// wide reports whether the app acts in the workspace by an installation of its organization.
func (s *Server) wide() bool { return s.installed().wide() }

// preinstall installs the app as New does, without OAuth.
func (s *Server) preinstall() {
	var i *installation
	if s.opts.OrgInstall {
		i = s.install(nil, s.org, s.opts.BotScopes)
		s.org.access = map[string]bool{s.opts.Team: true}
	} else {
		i = s.install(s, nil, s.opts.BotScopes)
	}
	i.token = s.issue(i, s.opts.BotToken, time.Time{})
}

// install installs the app in a workspace or in an organization, or adds scopes to the
// installation that there is: scopes accumulate.
// https://docs.slack.dev/authentication/installing-with-oauth
func (a *App) install(team *Server, org *organization, scopes []string) *installation {
	at := &installation{team: team, org: org}
	var place **installation
	if org != nil {
		place, at.botUser, at.botID = &org.inst, org.botUser, org.botID
	} else {
		place, at.botUser, at.botID = &team.inst, team.opts.BotUser, team.opts.BotID
	}
	if *place == nil || (*place).removed {
		*place = at
	}
	i := *place
	for _, scope := range scopes {
		if !slices.Contains(i.scopes, scope) {
			i.scopes = append(slices.Clip(i.scopes), scope)
		}
	}
	return i
}

// issue issues a token. One without an expiry does not expire.
func (a *App) issue(i *installation, value string, until time.Time) *token {
	t := &token{value: value, of: i, until: until}
	a.tokens[value] = t
	return t
}

// remove removes an installation: its tokens fail with a word from now on. The app receives the
// given events, one after the other.
// https://docs.slack.dev/reference/events/app_uninstalled
// https://docs.slack.dev/reference/events/tokens_revoked
func (a *App) remove(i *installation, word string, events []string) {
	if i == nil || i.removed {
		return
	}
	if i.removed = true; i.org != nil {
		i.org.access = nil // The next installation begins in no workspace.
	}
	for _, t := range a.tokens {
		if t.of == i && t.state == "" {
			t.state = word
		}
	}
	for _, r := range a.refreshes {
		if r.of == i {
			r.used = true
		}
	}
	bodies := []object{}
	for _, kind := range events {
		event := object{"type": kind, "event_ts": a.newTS()}
		if kind == EventTokensRevoked { // Ids of users and bots, not tokens.
			event["tokens"] = object{"oauth": []any{}, "bot": []any{i.botUser}}
		}
		bodies = append(bodies, a.envelope(i, event))
	}
	a.placeOf(i).sendEvents(bodies...)
}

// placeOf returns the workspace that records what happens to an installation.
func (a *App) placeOf(i *installation) *Server {
	if i.team != nil {
		return i.team
	}
	return a.home
}

// leaving are the events of an uninstallation, in the order that Slack documents. It promises
// none.
func leaving() []string { return []string{EventAppUninstalled, EventTokensRevoked} }

// Uninstall removes the app from the workspace, as an admin does: its tokens fail with
// account_inactive, people's presses reach it no longer, and it receives app_uninstalled and
// then tokens_revoked, if it is subscribed to them. Name the events for another order, or for
// fewer. An organization-wide installation only loses its access to the workspace.
func (s *Server) Uninstall(events ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if s.inst == nil || s.inst.removed {
		s.access(EventTeamAccessRevoked, []string{s.opts.Team})
		return
	}
	if len(events) == 0 {
		events = leaving()
	}
	s.remove(s.inst, "account_inactive", events)
}

// Installed reports whether the app is installed in the workspace, by itself or by its
// organization.
func (s *Server) Installed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.installed() != nil
}

// Tokens returns the valid bot tokens that act in the workspace, oldest first.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.valid(s.installed())
}

// valid returns the values of an installation's valid tokens, oldest first.
func (a *App) valid(i *installation) []string {
	out := []string{}
	if i == nil {
		return out
	}
	for _, t := range append([]*token{i.token}, i.rotated...) {
		if t != nil && t.state == "" && !t.over(a.clock.Now()) {
			out = append(out, t.value)
		}
	}
	return out
}

// authRevoke revokes a token. Without token rotation the whole installation ends with it.
// https://docs.slack.dev/reference/methods/auth.revoke
// https://docs.slack.dev/authentication/using-token-rotation
func (s *Server) authRevoke(c *call) (object, *apiError) {
	if c.args.flag("test", false) {
		return object{"revoked": false}, nil
	}
	if i := c.token.of; i.token == c.token {
		s.remove(i, "token_revoked", leaving())
	} else {
		c.token.state = "token_revoked"
	}
	return object{"revoked": true}, nil
}

// appsUninstall removes the token's installation.
// https://docs.slack.dev/reference/methods/apps.uninstall
func (s *Server) appsUninstall(c *call) (object, *apiError) {
	switch {
	case c.args.str("client_id") == "" || c.args.str("client_secret") == "":
		s.violate(ruleArguments, c.method, "no client_id or no client_secret")
		return nil, no("invalid_arguments")
	case c.args.str("client_id") != s.App.opts.ClientID:
		return nil, no("client_id_token_mismatch")
	case c.args.str("client_secret") != s.App.opts.ClientSecret:
		return nil, no("bad_client_secret")
	}
	s.remove(c.token.of, "account_inactive", leaving())
	return object{}, nil
}

// Revoke makes a token fail with token_revoked.
func (a *App) Revoke(token string) { a.spoil(token, "token_revoked") }

// Restore makes a revoked or disabled token valid again.
func (a *App) Restore(token string) { a.spoil(token, "") }

// Expire makes a token fail with token_expired, as a rotated one does after twelve hours.
// https://docs.slack.dev/authentication/using-token-rotation
func (a *App) Expire(token string) { a.spoil(token, "token_expired") }

// Disable makes a token fail with account_inactive.
func (a *App) Disable(token string) { a.spoil(token, "account_inactive") }

func (a *App) spoil(value, word string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.tokens[value]; t != nil {
		t.state = word
	}
}

// Grant replaces the scopes of a token, and of the others of its installation.
func (a *App) Grant(token string, scopes ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch t := a.tokens[token]; {
	case t == nil:
	case t.of != nil:
		t.of.scopes = scopes
	default:
		t.scopes = scopes
	}
}
