package slacksim

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// grant is what somebody allowed on the page of an installation, until the app trades its code.
type grant struct {
	person, redirect string // redirect is "" where none was sent
	scopes           []string
	made             time.Time
	used             bool
}

// codeLife is how long a code can be traded.
// https://docs.slack.dev/authentication/installing-with-oauth
const codeLife = 10 * time.Minute

// Authorize is what somebody does who allows the app to be installed: it returns the code that Slack sends to the
// redirect URI, which may be "" where the app has only one.
func (s *Server) Authorize(person, redirect string, scopes ...string) (code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code = s.newID("code") + "." + s.secretFor(s.newID("grant"))
	s.grants[code] = &grant{person: person, redirect: redirect, scopes: slices.Clone(scopes), made: s.clock.Now()}
	return code
}

// serveAuthorize is the page of an installation, on which the first person of the workspace agrees at once.
// https://docs.slack.dev/authentication/installing-with-oauth
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

// oauthAccess trades a code for the bot's token, once. Tokens are not rotated here.
// https://docs.slack.dev/reference/methods/oauth.v2.access
func (s *Server) oauthAccess(c *call) (object, *apiError) {
	g := s.grants[c.args.str("code")]
	switch kind := c.args.str("grant_type"); {
	case c.args.str("client_id") != s.opts.ClientID:
		return nil, no("invalid_client_id")
	case c.args.str("client_secret") != s.opts.ClientSecret:
		return nil, no("bad_client_secret")
	case kind != "" && kind != "authorization_code":
		return nil, no("invalid_grant_type")
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
	for _, scope := range g.scopes { // Scopes only ever add up.
		if !slices.Contains(bot.scopes, scope) {
			bot.scopes = append(slices.Clip(bot.scopes), scope)
		}
	}
	out := object{
		"access_token": s.opts.BotToken, "token_type": "bot", "scope": strings.Join(bot.scopes, ","), "bot_user_id": s.opts.BotUser,
		"app_id": s.opts.AppID, "team": object{"id": s.opts.Team, "name": s.opts.TeamName}, "enterprise": nil,
		"is_enterprise_install": s.opts.OrgInstall, "authed_user": object{"id": g.person},
	}
	if s.opts.Enterprise != "" {
		out["enterprise"] = object{"id": s.opts.Enterprise, "name": s.opts.TeamName}
	}
	if s.opts.OrgInstall {
		out["team"] = nil
	}
	return out, nil
}
