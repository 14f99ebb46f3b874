package slacksim

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// grant is an approved installation whose code has not been exchanged yet.
type grant struct {
	person, redirect string // redirect is "" if none was sent
	scopes           []string
	made             time.Time
	used             bool
}

// codeLife is the lifetime of an OAuth code.
// https://docs.slack.dev/authentication/installing-with-oauth
const codeLife = 10 * time.Minute

// Authorize approves the installation of the app and returns the code that Slack sends to the
// redirect URI, which may be "" if the app has only one.
func (s *Server) Authorize(person, redirect string, scopes ...string) (code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code = s.newID("code") + "." + s.secretFor(s.newID("grant"))
	s.grants[code] = &grant{person: person, redirect: redirect, scopes: slices.Clone(scopes), made: s.clock.Now()}
	return code
}

// serveAuthorize serves the installation page, on which the first person of the workspace
// approves at once. https://docs.slack.dev/authentication/installing-with-oauth
func (s *Server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	scopes := strings.FieldsFunc(q.Get("scope"), func(c rune) bool { return c == ',' || c == ' ' })
	switch {
	case q.Get("client_id") != s.opts.ClientID:
		http.Error(w, "invalid_client_id", http.StatusBadRequest)
	case err != nil || back.Host == "" || back.Fragment != "":
		http.Error(w, "bad_redirect_uri", http.StatusBadRequest)
	case len(scopes) == 0:
		http.Error(w, "invalid_scope", http.StatusBadRequest)
	default:
		people := s.People()
		i := slices.IndexFunc(people, func(p Person) bool { return !p.Bot && !p.Disabled })
		if i < 0 {
			http.Error(w, "access_denied", http.StatusForbidden)
			return
		}
		answer := back.Query()
		answer.Set("code", s.Authorize(people[i].ID, q.Get("redirect_uri"), scopes...))
		answer.Set("state", q.Get("state"))
		back.RawQuery = answer.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	}
}

// oauthAccess exchanges a code for the bot token, once, and with token rotation one refresh
// token after the other. https://docs.slack.dev/reference/methods/oauth.v2.access
func (s *Server) oauthAccess(c *call) (object, *apiError) {
	g := s.grants[c.args.str("code")]
	kind := c.args.str("grant_type")
	refresh := kind == "refresh_token" && s.opts.TokenRotation
	switch {
	case c.args.str("client_id") != s.opts.ClientID:
		return nil, no("invalid_client_id")
	case c.args.str("client_secret") != s.opts.ClientSecret:
		return nil, no("bad_client_secret")
	case kind != "" && kind != "authorization_code" && !refresh:
		return nil, no("invalid_grant_type")
	case refresh:
		return s.refresh(c)
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
	}
	g.used = true
	bot := s.tokens[s.opts.BotToken]
	for _, scope := range g.scopes { // Scopes accumulate across installations.
		if !slices.Contains(bot.scopes, scope) {
			bot.scopes = append(slices.Clip(bot.scopes), scope)
		}
	}
	out := object{
		"access_token": s.opts.BotToken, "token_type": "bot", "scope": strings.Join(bot.scopes, ","), "bot_user_id": s.opts.BotUser,
		"app_id": s.opts.AppID, "team": object{"id": s.opts.Team, "name": s.opts.TeamName}, "enterprise": nil,
		"is_enterprise_install": s.opts.OrgInstall, "authed_user": object{"id": g.person},
	}
	if s.opts.TokenRotation {
		maps.Copy(out, s.rotate(bot.scopes))
	}
	if s.opts.Enterprise != "" {
		out["enterprise"] = object{"id": s.opts.Enterprise, "name": s.opts.TeamName}
	}
	if s.opts.OrgInstall {
		out["team"] = nil
	}
	return out, nil
}

// tokenLife is the lifetime of a rotated token, and liveTokens the maximum number of valid
// ones. https://docs.slack.dev/authentication/using-token-rotation
const (
	tokenLife  = 12 * time.Hour
	liveTokens = 2
)

// rotate issues a token valid for twelve hours and its refresh token. Beyond liveTokens the
// oldest token is revoked.
func (s *Server) rotate(scopes []string) object {
	t := &token{value: "xoxe.xoxb-1-" + s.secretFor(s.newID("token")), bot: true, scopes: scopes, until: s.clock.Now().Add(tokenLife)}
	s.tokens[t.value] = t
	s.rotated = append(s.rotated, t)
	if len(s.rotated) > liveTokens {
		s.rotated[0].state = "token_expired"
		s.rotated = s.rotated[1:]
	}
	next := "xoxe-1-" + s.secretFor(s.newID("refresh"))
	s.refreshes[next] = false
	return object{"access_token": t.value, "refresh_token": next, "expires_in": int(tokenLife.Seconds())}
}

// refresh exchanges a refresh token for the next pair, once.
// https://docs.slack.dev/reference/methods/oauth.v2.access
func (s *Server) refresh(c *call) (object, *apiError) {
	used, known := s.refreshes[c.args.str("refresh_token")]
	if !known || used {
		s.violate(ruleRefresh, c.method, "the refresh token is unknown or was traded before")
		return nil, no("invalid_refresh_token")
	}
	s.refreshes[c.args.str("refresh_token")] = true
	out := s.rotate(s.tokens[s.opts.BotToken].scopes)
	maps.Copy(out, object{
		"token_type": "bot", "scope": strings.Join(s.tokens[s.opts.BotToken].scopes, ","), "bot_user_id": s.opts.BotUser, "app_id": s.opts.AppID,
		"team": object{"id": s.opts.Team, "name": s.opts.TeamName}, "enterprise": nil, "is_enterprise_install": false,
	})
	return out, nil
}

// over reports whether a rotated token has expired.
func (t *token) over(now time.Time) bool { return !t.until.IsZero() && !now.Before(t.until) }
