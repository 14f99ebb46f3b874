package slacksim

import (
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// authorizePath is the path of the installation page.
const authorizePath = "/oauth/v2/authorize"

// botScopes are the scopes of bot tokens. https://docs.slack.dev/reference/scopes
var botScopes = strings.Fields(`app_mentions:read app_configurations:read assistant:write bookmarks:read bookmarks:write
	calls:read calls:write canvases:read canvases:write channels:history channels:join channels:manage channels:read
	channels:write.invites channels:write.topic chat:write chat:write.customize chat:write.public commands conversations.connect:manage
	conversations.connect:read conversations.connect:write dnd:read emoji:read files:read files:write groups:history
	groups:read groups:write groups:write.invites groups:write.topic im:history im:read im:write incoming-webhook
	links.embed:write links:read links:write lists:read lists:write metadata.message:read mpim:history mpim:read mpim:write
	mpim:write.topic pins:read pins:write reactions:read reactions:write reminders:read reminders:write remote_files:read
	remote_files:share remote_files:write search:read.files search:read.public team.billing:read team.preferences:read team:read
	usergroups:read usergroups:write users.profile:read users:read users:read.email users:write workflow.steps:execute`)

// authorization is a request for an installation, as the app's link to the installation page
// states it.
type authorization struct {
	App      string
	Scopes   []string
	Choices  []choice // where to install: workspaces and organizations
	back     *url.URL
	redirect string // as sent; "" if it was not
	state    string
}

// choice is a workspace or an organization on the installation page.
type choice struct{ ID, Name string }

// page is the installation page. A scripted browser presses a button by its name and value; a
// plain form post sends decision=allow or decision=cancel, and team and person, with the members
// of the page's address.
func (asked *authorization) page() string {
	app := html.EscapeString(asked.App)
	var choices, scopes strings.Builder
	for _, c := range asked.Choices {
		choices.WriteString(`<option value="` + html.EscapeString(c.ID) + `">` + html.EscapeString(c.Name) + `</option>`)
	}
	for _, scope := range asked.Scopes {
		scopes.WriteString("<li>" + html.EscapeString(scope) + "</li>")
	}
	return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Install ` + app + `</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}button,select{font:inherit;padding:.4rem 1rem}</style>
<h1>` + app + ` is requesting permission to access a Slack workspace</h1>
<form method="post">
<p><label>Install in <select name="team">` + choices.String() + `</select></label></p>
<p>` + app + ` will be able to use:</p>
<ul>` + scopes.String() + `</ul>
<p><button name="decision" value="cancel">Cancel</button> <button name="decision" value="allow">Allow</button></p>
</form></html>
`
}

// serveAuthorize serves the installation page, on which a person allows or cancels the
// installation. https://docs.slack.dev/authentication/installing-with-oauth
func (a *App) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	asked, word := a.readAuthorization(r)
	a.mu.Unlock()
	if word != "" {
		a.refuseAuthorization(w, word)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, asked.page()) // The person may have left.
		return
	}
	answer := asked.back.Query()
	if asked.state != "" {
		answer.Set("state", asked.state)
	}
	if r.PostFormValue("decision") == "allow" {
		a.mu.Lock()
		code, word := a.allow(asked, r.PostFormValue("team"), r.FormValue("person"))
		a.mu.Unlock()
		if word != "" {
			a.refuseAuthorization(w, word)
			return
		}
		answer.Set("code", code)
	} else {
		answer.Set("error", "access_denied")
	}
	asked.back.RawQuery = answer.Encode()
	http.Redirect(w, r, asked.back.String(), http.StatusFound)
}

// refuseAuthorization shows an error on the installation page. The person does not come back to
// the app.
func (a *App) refuseAuthorization(w http.ResponseWriter, word string) {
	http.Error(w, "Something went wrong when authorizing this app.\n\nError details\n"+word, http.StatusBadRequest)
}

// readAuthorization checks the link to the installation page and returns Slack's code for what is
// wrong with it.
func (a *App) readAuthorization(r *http.Request) (asked authorization, word string) {
	q := r.URL.Query()
	asked = authorization{App: a.opts.BotName, redirect: q.Get("redirect_uri"), state: q.Get("state")}
	to := asked.redirect
	if to == "" && len(a.opts.RedirectURLs) > 0 {
		to = a.opts.RedirectURLs[0]
	}
	back, err := url.Parse(to)
	asked.Scopes = strings.FieldsFunc(q.Get("scope"), func(c rune) bool { return c == ',' || c == ' ' })
	asked.back, asked.Choices = back, a.choices(q.Get("team"))
	switch {
	case q.Get("client_id") != a.opts.ClientID:
		return asked, "invalid_client_id"
	case err != nil || !a.registered(back):
		return asked, "bad_redirect_uri"
	case len(asked.Scopes) == 0:
		return asked, "no_scopes"
	case slices.ContainsFunc(asked.Scopes, func(scope string) bool { return !slices.Contains(botScopes, scope) }):
		return asked, "invalid_scope"
	case len(asked.Choices) == 0 && a.opts.Undistributed:
		return asked, "invalid_team_for_non_distributed_app"
	case len(asked.Choices) == 0:
		return asked, "invalid_team"
	}
	return asked, ""
}

// registered reports whether people may be sent back to a URL: it must be HTTPS, except on this
// machine, have no fragment, and be equal to or below a registered one.
// https://docs.slack.dev/authentication/installing-with-oauth
func (a *App) registered(back *url.URL) bool {
	local := back.Hostname() == "localhost" || back.Hostname() == "127.0.0.1"
	if back.Host == "" || back.Fragment != "" || back.Scheme != "https" && !local {
		return false
	}
	plain := *back
	plain.RawQuery = ""
	return len(a.opts.RedirectURLs) == 0 || slices.ContainsFunc(a.opts.RedirectURLs, func(known string) bool {
		return plain.String() == known || strings.HasPrefix(plain.String(), strings.TrimSuffix(known, "/")+"/")
	})
}

// choices lists where a person can install the app: the workspace or organization that the link
// names, or else all.
func (a *App) choices(only string) []choice {
	var out []choice
	for _, s := range a.sortedTeams() {
		out = append(out, choice{s.opts.Team, s.opts.TeamName})
		if a.opts.Undistributed { // Only in the workspace that owns it.
			break
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.organizations)) {
		if !a.opts.Undistributed {
			out = append(out, choice{id, a.organizations[id].name + " (the whole organization)"})
		}
	}
	return slices.DeleteFunc(out, func(c choice) bool { return only != "" && c.ID != only })
}

// allow issues the code of an installation that a person allows, and returns Slack's word if it
// is not possible there. Without a person it is the first one of the workspace.
func (a *App) allow(asked authorization, at, person string) (code, word string) {
	if at == "" {
		at = asked.Choices[0].ID
	}
	if !slices.ContainsFunc(asked.Choices, func(c choice) bool { return c.ID == at }) {
		return "", "invalid_team"
	}
	g := &grant{team: a.teams[at], org: a.organizations[at], redirect: asked.redirect, scopes: asked.Scopes}
	org, within := g.org, []*Server{g.team}
	if g.team != nil {
		org = g.team.org
	} else {
		within = a.workspaces(org)
	}
	var installer *Person
	for _, s := range within {
		i := slices.IndexFunc(s.people, func(p Person) bool { return (p.ID == person || person == "") && !p.Bot && !p.Disabled })
		if i >= 0 && installer == nil {
			installer = &s.people[i]
		}
	}
	switch {
	case installer == nil:
		return "", "invalid_user"
	case installer.Guest != NoGuest:
		return "", "user_is_restricted"
	case org != nil && slices.ContainsFunc(asked.Scopes, func(scope string) bool { return slices.Contains(org.denied, scope) }):
		return "", "scope_not_allowed_on_enterprise"
	case g.team != nil && g.team.needsApproval:
		return "", "unapproved_scope"
	}
	g.person = installer.ID
	return a.approve(g), ""
}
