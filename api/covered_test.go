package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// grantingEverywhere lets people grant the bot's calls in every session.
func grantingEverywhere() *settings {
	o := shellAndBot()
	o.Agents[0].Grants = ask.Grants{Scope: ask.SameAgent, For: 8 * time.Hour}
	return o
}

// prompted submits a permission prompt and returns its request.
func (w *fixture) prompted(t testing.TB, dialect, prompt string) *client.Request {
	t.Helper()
	id := w.call("token-bot", "POST", "/v1/ask/"+dialect+toSlack+"&responders=slack:U0000001", prompt).Header.Get(client.HeaderRequestID)
	return w.call("token-bot", "GET", "/v1/requests/"+id, "").want(t, http.StatusOK).request(t)
}

// allow presses the option on the card whose label begins with label.
func (w *fixture) allow(t testing.TB, r *client.Request, label string) {
	t.Helper()
	q := r.Questions[0]
	at := slices.IndexFunc(q.Options, func(o ask.Option) bool { return strings.HasPrefix(o.Label, label) })
	if at < 0 {
		t.Fatalf("the card offers no %q: %+v", label, q.Options)
	}
	w.press(r.ID, 0, at)
	synctest.Wait()
}

// previewOf returns the text of the option that allows the call.
func previewOf(r *client.Request) string { return r.Questions[0].Options[0].Preview }

func TestSameCommandInTwoFoldersAsksTwice(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		in := func(folder string) *client.Request {
			return w.prompted(t, "claude", `{"session_id":"s1","cwd":"`+folder+`","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf ./*"}}`)
		}
		scratch, production := in("/home/dev/scratch/build"), in("/srv/production/build")
		if scratch.ID == production.ID {
			t.Fatal("both folders share one card")
		}
		w.allow(t, scratch, "Allow")
		if again := in("/srv/production/build"); again.ID != production.ID || again.State != ask.Open {
			t.Errorf("the command in production is %s", again.State)
		}
		for folder, r := range map[string]*client.Request{"/home/dev/scratch/build": scratch, "/srv/production/build": production} {
			if got, want := previewOf(r), "In "+folder+"\n\nrm -rf ./*"; got != want {
				t.Errorf("the card shows\n%s\nwant\n%s", got, want)
			}
		}
	})
}

func TestSameToolCallInAnotherFolderIsAConflict(t *testing.T) {
	bubble(t, shellAndBot(), func(t *testing.T, w *fixture) {
		prompt := func(folder string) string {
			return `{"session_id":"s1","tool_use_id":"toolu_1","cwd":"` + folder + `","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf ./*"}}`
		}
		first := w.prompted(t, "claude", prompt("/home/dev/scratch/build"))
		w.allow(t, first, "Allow")
		w.call("token-bot", "POST", promptPath, prompt("/srv/production/build")).want(t, http.StatusConflict)
		w.call("token-bot", "POST", "/v1/requests/"+first.ID+"/as/claude", prompt("/srv/production/build")).want(t, http.StatusConflict)
		w.call("token-bot", "POST", "/v1/requests/"+first.ID+"/as/claude", prompt("/home/dev/scratch/build")).wantResult(t, http.StatusOK, ask.Answered, false)
	})
}

func TestGrantForStagingDoesNotCoverProduction(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		in := func(environment string) *client.Request {
			return w.prompted(t, "codex", `{"method":"item/commandExecution/requestApproval","id":4,"params":{"threadId":"thr_1","command":"terraform apply","cwd":"/srv/app","environmentId":`+environment+`}}`)
		}
		staging := in(`"staging"`)
		if got, want := previewOf(staging), "In /srv/app\nEnvironment: staging\n\nterraform apply"; got != want {
			t.Errorf("the card shows\n%s\nwant\n%s", got, want)
		}
		w.allow(t, staging, "Allow for 8 h")
		if r := in(`"staging"`); r.State != ask.Answered {
			t.Errorf("the same call in staging is %s", r.State)
		}
		for _, other := range []string{`"production"`, `null`} {
			if r := in(other); r.State != ask.Open {
				t.Errorf("the call in %s is %s", other, r.State)
			}
		}
	})
}

func TestNoGrantAcrossSessionsWithoutFolder(t *testing.T) {
	bubble(t, grantingEverywhere(), func(t *testing.T, w *fixture) {
		for dialect, prompt := range map[string]string{
			"opencode": `{"id":"per_%[1]d","sessionID":"ses_1","permission":"bash","patterns":["rm -rf dist"],"always":[],"tool":{"callID":"call_%[1]d"}%[2]s}`,
			"kimi":     `{"id":"a-%[1]d","tool_call_id":"tc-%[1]d","sender":"Shell","action":"run command","description":"Run command rm -rf dist"%[2]s}`,
			"acp":      `{"sessionId":"s1","toolCall":{"toolCallId":"call_%[1]d","title":"rm -rf dist","kind":"execute","rawInput":{"command":"rm -rf dist"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]%[2]s}`,
		} {
			for n, folder := range []string{"", `,"cwd":"/home/dana/ledger"`} {
				r := w.prompted(t, dialect, fmt.Sprintf(prompt, n, folder))
				offered := slices.ContainsFunc(r.Questions[0].Options, func(o ask.Option) bool { return strings.HasSuffix(o.Label, "any session") })
				if offered != (folder != "") {
					t.Errorf("%s %s: a grant in every session is offered: %t", dialect, folder, offered)
				}
			}
		}
	})
}

func TestToolThatOnlyLooksLikeAShellShowsItsWholeInput(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		ticket := func(description string) *client.Request {
			return w.prompted(t, "claude", `{"session_id":"s1","cwd":"/srv/app","hook_event_name":"PermissionRequest","tool_name":"mcp__tickets__run","tool_input":{"command":"create","description":"`+description+`"}}`)
		}
		harmless := ticket("a harmless ticket")
		if got := previewOf(harmless); !strings.Contains(got, "a harmless ticket") {
			t.Errorf("the card shows\n%s", got)
		}
		w.allow(t, harmless, "Allow for 8 h")
		if r := ticket("DELETE THE PRODUCTION DATABASE"); r.State != ask.Open {
			t.Errorf("the other ticket is %s", r.State)
		}
	})
}
