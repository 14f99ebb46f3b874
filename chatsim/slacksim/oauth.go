package slacksim

import (
	"slices"
	"strings"
	"time"
)

// grant is an approved installation whose code has not been exchanged yet.
type grant struct {
	team             *Server       // nil if org is set
	org              *organization // nil if team is set
	person, redirect string        // redirect is "" if none was sent
	scopes           []string
	made             time.Time
	used             bool
}

// refresh is a refresh token.
type refresh struct {
	of   *installation
	used bool
}

// codeLife is the lifetime of an OAuth code.
// https://docs.slack.dev/authentication/installing-with-oauth
const codeLife = 10 * time.Minute

// Authorize approves the installation of the app in the workspace and returns the code that Slack
// sends to the redirect URI, which may be "" if the app has only one.
func (s *Server) Authorize(person, redirect string, scopes ...string) (code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.approve(&grant{team: s, person: person, redirect: redirect, scopes: slices.Clone(scopes)})
}

// AuthorizeOrganization is Authorize for the whole organization.
func (a *App) AuthorizeOrganization(id, person, redirect string, scopes ...string) (code string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.approve(&grant{org: a.organizations[id], person: person, redirect: redirect, scopes: slices.Clone(scopes)})
}

func (a *App) approve(g *grant) (code string) {
	code = a.newID("code") + "." + a.secretFor(a.newID("grant"))
	g.made = a.clock.Now()
	a.grants[code] = g
	return code
}

// credentials checks the app's credentials. https://docs.slack.dev/reference/methods/oauth.v2.access
func (a *App) credentials(c *call) *apiError {
	switch {
	case c.args.str("client_id") != a.opts.ClientID:
		return no("invalid_client_id")
	case c.args.str("client_secret") != a.opts.ClientSecret:
		return no("bad_client_secret")
	}
	return nil
}

// oauthAccess exchanges a code for the bot token, once, and with token rotation one refresh
// token after the other. https://docs.slack.dev/reference/methods/oauth.v2.access
func (s *Server) oauthAccess(c *call) (object, *apiError) {
	if refused := s.credentials(c); refused != nil {
		return nil, refused
	}
	g := s.grants[c.args.str("code")]
	kind := c.args.str("grant_type")
	refresh := kind == "refresh_token" && s.App.opts.TokenRotation
	switch {
	case kind != "" && kind != "authorization_code" && !refresh:
		return nil, no("invalid_grant_type")
	case refresh:
		return s.refresh(c)
	case c.args.has("code_verifier"):
		return nil, no("pkce_not_allowed")
	case g == nil:
		return nil, no("invalid_code")
	case g.used:
		s.violate(ruleCode, c.method, "the code was traded before")
		return nil, no("invalid_code")
	case s.clock.Since(g.made) >= codeLife:
		s.violate(ruleCode, c.method, "the code is %v old", s.clock.Since(g.made))
		return nil, no("invalid_code")
	case c.args.str("redirect_uri") != g.redirect:
		return nil, no("bad_redirect_uri")
	case g.team != nil && g.team.org != nil && g.team.org.inst.live():
		return nil, no("cannot_install_an_org_installed_app")
	}
	g.used = true
	i := s.install(g.team, g.org, g.scopes)
	out := s.tokenFor(i)
	out["authed_user"] = object{"id": g.person}
	s.placeOf(i).notify()
	return out, nil
}

// tokenFor describes an installation as oauth.v2.access does, with a new token if tokens expire.
func (a *App) tokenFor(i *installation) object {
	out := object{
		"token_type": "bot", "scope": strings.Join(i.scopes, ","), "bot_user_id": i.botUser, "app_id": a.opts.AppID,
		"team": nil, "enterprise": nil, "is_enterprise_install": i.wide(),
	}
	org := i.org
	if i.team != nil {
		org, out["team"] = i.team.org, object{"id": i.team.opts.Team, "name": i.team.opts.TeamName}
	}
	if org != nil {
		out["enterprise"] = object{"id": org.id, "name": org.name}
	}
	if a.opts.TokenRotation {
		out["access_token"], out["refresh_token"] = a.rotate(i)
		out["expires_in"] = int(tokenLife.Seconds())
		return out
	}
	if i.token == nil || i.token.state != "" {
		i.token = a.issue(i, "xoxb-"+a.secretFor(a.newID("token")), time.Time{})
	}
	out["access_token"] = i.token.value
	return out
}

// tokenLife is the lifetime of a rotated token, and liveTokens the maximum number of valid ones
// of an installation. https://docs.slack.dev/authentication/using-token-rotation
const (
	tokenLife  = 12 * time.Hour
	liveTokens = 2
)

// rotate issues a token valid for twelve hours and its refresh token. Beyond liveTokens the
// oldest token is revoked.
func (a *App) rotate(i *installation) (value, next string) {
	t := a.issue(i, "xoxe.xoxb-1-"+a.secretFor(a.newID("token")), a.clock.Now().Add(tokenLife))
	i.rotated = append(i.rotated, t)
	if len(i.rotated) > liveTokens {
		i.rotated[0].state = "token_expired"
		i.rotated = slices.Clone(i.rotated[1:])
	}
	next = "xoxe-1-" + a.secretFor(a.newID("refresh"))
	a.refreshes[next] = &refresh{of: i}
	return t.value, next
}

// refresh exchanges a refresh token for the next pair, once. A token that was exchanged for the
// first pair dies with it. https://docs.slack.dev/reference/methods/oauth.v2.access
func (s *Server) refresh(c *call) (object, *apiError) {
	r := s.refreshes[c.args.str("refresh_token")]
	if r == nil || r.used {
		s.violate(ruleRefresh, c.method, "the refresh token is unknown or was traded before")
		return nil, no("invalid_refresh_token")
	}
	r.used = true
	if old := r.of.token; old != nil && old.exchanged {
		old.state, r.of.token = "token_revoked", nil
	}
	return s.tokenFor(r.of), nil
}

// oauthExchange trades a token that does not expire for the first pair of one that does and its
// refresh token, once. https://docs.slack.dev/reference/methods/oauth.v2.exchange
func (s *Server) oauthExchange(c *call) (object, *apiError) {
	if refused := s.credentials(c); refused != nil {
		return nil, refused
	}
	t := c.token
	switch {
	case !s.App.opts.TokenRotation:
		return nil, no("token_rotation_not_enabled")
	case t == nil || t.of == nil || !t.until.IsZero():
		return nil, no("invalid_token")
	case t.exchanged:
		return nil, no("token_already_exchanged")
	case t.state != "":
		return nil, no("authorization_not_found")
	}
	t.exchanged = true
	return s.tokenFor(t.of), nil
}
