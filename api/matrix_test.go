package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
)

// opens lists the scopes that open each route on their own. It repeats what the routes declare, so that a scope
// changed there by mistake is noticed.
var opens = map[string][]access.Scope{
	"submit": asking, "askTool": asking, "toolSchema": asking, "revise": asking, "reply": asking, "taken": asking, "replay": asking,
	"get": reading, "list": reading, "resultAs": reading, "requestEvents": reading, "events": reading, "listGrants": reading,
	"cancel": cancelling, "resend": cancelling, "revokeGrant": cancelling,
	"answer":  {access.Answer},
	"history": {access.Admin}, "reload": {access.Admin}, "audit": {access.Admin}, "stats": {access.Admin}, "eraseAudit": {access.Admin}, "erase": {access.Admin},
	"backup":     {access.Admin},
	"listTokens": {access.ManageTokens}, "createToken": {access.ManageTokens}, "rotateToken": {access.ManageTokens}, "revokeToken": {access.ManageTokens},
	"self": {access.Ask, access.Read, access.Cancel, access.Admin, access.Answer, access.ManageTokens},
}

var (
	asking     = []access.Scope{access.Ask, access.Admin}
	reading    = []access.Scope{access.Read, access.Admin}
	cancelling = []access.Scope{access.Cancel, access.Admin}
)

// bodyOf returns the body of a call of a route that takes one.
func bodyOf(id string) string {
	switch id {
	case "submit":
		return oneQuestion
	case "revise":
		return `{"context":"Otherwise"}`
	case "reply":
		return `{"text":"Because."}`
	case "answer":
		return `{"answers":[{"index":0,"selected":["Postgres"]}]}`
	case "askTool", "resultAs":
		return `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}],"multiSelect":false}]}`
	}
	return ""
}

// about returns the path of a route for a request.
func about(rt *route, id string) string {
	return strings.NewReplacer("{id}", id, "{dialect}", "claude", "{token}", id, "{grant}", id).Replace(rt.path)
}

func TestEveryRouteChecksScopes(t *testing.T) {
	all := []access.Scope{access.Ask, access.Read, access.Cancel, access.Admin, access.Answer, access.ManageTokens}
	list := []access.Agent{{Name: "asker", Token: "token-asker", Tenant: "team"}}
	for _, s := range all {
		list = append(list, access.Agent{Name: string(s), Token: "token-" + string(s), Tenant: "team", Scopes: []access.Scope{s}})
	}
	bubble(t, agents(list...), func(t *testing.T, w *fixture) {
		seen := 0
		for _, rt := range routes() {
			if rt.open {
				continue
			}
			seen++
			may, listed := opens[rt.id]
			if !listed {
				t.Errorf("%s: no entry in the access matrix", rt.id)
			}
			id := w.call("token-asker", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
			method := rt.method
			if rt.id == "events" || rt.id == "requestEvents" {
				method = http.MethodHead // A stream would go on.
			}
			for _, s := range all {
				got := w.call("token-"+string(s), method, about(&rt, id), bodyOf(rt.id))
				lacks := got.StatusCode == http.StatusForbidden && (method == http.MethodHead || strings.Contains(got.body, "lacks the scope"))
				if lacks == slices.Contains(may, s) {
					t.Errorf("%s with the scope %s alone: %d %s", rt.id, s, got.StatusCode, got.body)
				}
			}
		}
		if seen != len(opens) {
			t.Errorf("%d routes are listed, and there are %d", len(opens), seen)
		}
	})
}

func TestForeignRequestLooksMissingOnEveryRoute(t *testing.T) {
	everything := []access.Scope{access.Ask, access.Read, access.Cancel}
	bubble(t, agents(
		access.Agent{Name: "a", Token: "token-a"},
		access.Agent{Name: "b", Token: "token-b", Scopes: everything},
		access.Agent{Name: "c", Token: "token-c", Scopes: []access.Scope{access.Answer}, Requesters: []string{"slack:U0000001"}},
	), func(t *testing.T, w *fixture) {
		open := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		ended := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		w.press(ended, 0, 0)
		before := w.call("token-a", "GET", "/v1/requests/"+open, "").body
		for _, rt := range routes() {
			if !strings.Contains(rt.path, "{id}") || rt.scope == access.Admin {
				continue
			}
			token := "token-b"
			if rt.scope == access.Answer {
				token = "token-c"
			}
			for _, id := range []string{open, ended} {
				for _, query := range []string{"", "?wait=30s", "?as=claude"} {
					if name, _, _ := strings.Cut(strings.TrimPrefix(query, "?"), "="); name != "" && !slices.Contains(rt.query, name) {
						continue
					}
					none := id[:1] + strings.Repeat("0", len(id)-1)
					got := w.call(token, rt.method, about(&rt, id)+query, bodyOf(rt.id))
					unknown := w.call(token, rt.method, about(&rt, none)+query, bodyOf(rt.id))
					for _, r := range []reply{got, unknown} {
						r.Header.Del(HeaderCallID)
					}
					if got.StatusCode != http.StatusNotFound || got.body != unknown.body || fmt.Sprint(got.Header) != fmt.Sprint(unknown.Header) {
						t.Errorf("%s%s: %d %s%v, and of no request %d %s%v", rt.id, query, got.StatusCode, got.body, got.Header, unknown.StatusCode, unknown.body, unknown.Header)
					}
				}
			}
		}
		if after := w.call("token-a", "GET", "/v1/requests/"+open, "").body; after != before {
			t.Errorf("it was\n%sand is\n%s", before, after)
		}
	})
}
