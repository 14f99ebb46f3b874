package slacksim_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestLockedThread(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	posted := call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Deploy?"})
	ts, _ := posted["ts"].(string)
	sim.LockThread("C0000001", ts)
	for method, tc := range map[string]struct {
		args obj
		want string
	}{
		"chat.postMessage": {obj{"channel": "C0000001", "text": "x", "thread_ts": ts}, "restricted_action_thread_locked"},
		"reactions.add":    {obj{"channel": "C0000001", "timestamp": ts, "name": "tada"}, "thread_locked"},
	} {
		if reply := call(t, sim, method, tc.args); reply["error"] != tc.want {
			t.Errorf("%s: %v, want %s", method, reply, tc.want)
		}
	}
	if _, err := sim.Seat("U0000001").Say("C0000001", ts, "2"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("she can type there: %v", err)
	}
}

func TestReadOnlyMessagesTab(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{MessagesTabReadOnly: true})
	if reply := call(t, sim, "chat.postMessage", obj{"channel": "U0000001", "text": "Deploy?"}); reply["ok"] != true {
		t.Errorf("the app itself: %v", reply)
	}
	if _, err := sim.Seat("U0000001").Say(sim.DM("U0000001"), "", "yes"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("she can type: %v", err)
	}
}

func TestOrganizationTokenNeedsTeamID(t *testing.T) {
	t.Parallel()
	opts := &slacksim.Options{Enterprise: "E0000001", OrgInstall: true, People: []slacksim.Person{{ID: "U0000001"}, {ID: "U0000004", Team: "T0000002", Teams: []string{"T0000002"}}}}
	for name, tc := range map[string]struct {
		method string
		args   obj
		want   string
		rule   string
	}{
		"no workspace":               {"usergroups.list", obj{}, "missing_argument", "request.team_id"},
		"one that was not given":     {"usergroups.list", obj{"team_id": "T0000002"}, "team_access_not_granted", ""},
		"one that is not the org's":  {"usergroups.list", obj{"team_id": "T9"}, "team_not_found", ""},
		"a channel by its bare name": {"chat.postMessage", obj{"channel": "#deploys", "text": "x"}, "team_not_found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, opts)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			if reply := call(t, sim, tc.method, tc.args); reply["error"] != tc.want {
				t.Errorf("%v, want %s", reply, tc.want)
			}
		})
	}
}

func TestOrganizationAuthTest(t *testing.T) {
	t.Parallel()
	for team, opts := range map[string]*slacksim.Options{"E0000001": {OrgInstall: true}, "T0000001": {Enterprise: "E0000001"}} {
		sim := slacksim.Start(t, opts)
		if us := call(t, sim, "auth.test", obj{}); us["team_id"] != team || us["enterprise_id"] != "E0000001" {
			t.Errorf("%v, want the team %s", us, team)
		}
		reply := call(t, sim, "auth.teams.list", obj{})
		if teams, _ := reply["teams"].([]any); len(teams) != 1 || teams[0].(map[string]any)["id"] != "T0000001" {
			t.Errorf("its workspaces: %v", reply)
		}
	}
}

func TestTokenRotation(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{TokenRotation: true})
	sim.Expect("oauth.refresh")
	ctx, at := t.Context(), slackapi.OAuthOptionAPIURL(sim.APIURL())
	first, err := slackapi.GetOAuthV2ResponseContext(ctx, sim.Client(), "1.2", "sim-client-secret", sim.Authorize("U0000001", back, "chat:write"), back, at)
	if err != nil || !strings.HasPrefix(first.AccessToken, "xoxe.xoxb-1-") || first.ExpiresIn != 43200 {
		t.Fatalf("it is answered with %+v, %v", first, err)
	}
	errorOf := func(token string) string {
		_, err := slackapi.New(token, slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client())).AuthTestContext(ctx)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	trade := func(refresh string) (*slackapi.OAuthV2Response, error) {
		return slackapi.RefreshOAuthV2TokenContext(ctx, sim.Client(), "1.2", "sim-client-secret", refresh, at)
	}
	second, err := trade(first.RefreshToken)
	if err != nil || errorOf(first.AccessToken) != "" || errorOf(second.AccessToken) != "" {
		t.Fatalf("two live at a time: %v, %q, %q", err, errorOf(first.AccessToken), errorOf(second.AccessToken))
	}
	if _, err := trade(first.RefreshToken); err == nil || err.Error() != "invalid_refresh_token" {
		t.Errorf("a refresh token that was traded: %v", err)
	}
	third, err := trade(second.RefreshToken)
	if err != nil || errorOf(first.AccessToken) != "token_expired" || errorOf(second.AccessToken) != "" {
		t.Errorf("the third kills the oldest: %v, %q", err, errorOf(first.AccessToken))
	}
	sim.Advance(12 * time.Hour)
	if got := errorOf(third.AccessToken); got != "token_expired" {
		t.Errorf("after twelve hours: %q", got)
	}
}

// breaking is a body that ends in the middle.
type breaking struct{ io.Reader }

func (b breaking) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, io.ErrUnexpectedEOF
}

func TestRareErrorCodes(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{PostPerSecond: 1})
	sim.Expect("response_url.known", "file.upload")
	hello := obj{"channel": "C0000001", "text": "x"}
	errorOf := func(method string, args obj) any { return call(t, sim, method, args)["error"] }
	for i, attachments := range []any{obj{}, "[{"} {
		if got := errorOf("chat.postMessage", with(hello, "attachments", attachments)); got != "invalid_attachments" {
			t.Errorf("attachments %d: %v", i, got)
		}
	}
	errorOf("chat.postMessage", hello)
	if got := errorOf("chat.postMessage", hello); got != "ratelimited" {
		t.Errorf("two in a second: %v", got)
	}
	if got := errorOf("oauth.v2.access", obj{"client_id": "1.2", "client_secret": "sim-client-secret", "grant_type": "password"}); got != "invalid_grant_type" {
		t.Errorf("another way to get a token: %v", got)
	}
	given := call(t, sim, "files.getUploadURLExternal", obj{"filename": "a.txt", "length": 3})
	for to, tc := range map[string]struct {
		body io.Reader
		want string
	}{
		sim.URL() + "/actions/T0000001/1/guessed": {strings.NewReader("{}"), "invalid_url"},
		given["upload_url"].(string):              {strings.NewReader("more"), "length_mismatch"},
		sim.APIURL() + "chat.postMessage":         {breaking{strings.NewReader("channel=C")}, "request_timeout"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, tc.body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := sim.Client().Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		received := func() bool {
			return slices.ContainsFunc(sim.Calls(), func(c slacksim.Call) bool { return c.Error == tc.want })
		}
		if err := sim.Await(t.Context(), received); err != nil {
			t.Errorf("no error %s: %v", tc.want, err)
		}
	}
}

// traps are the errors an app meets on Slack sooner or later, with Slack's words for each: a double that accepts one
// of them accepts an app that fails on Slack. Rules are used where Slack ignores an error silently.
var traps = map[string]string{
	"a channel without the bot":                          "not_in_channel channel_not_found",
	"a reply to nothing, to a reply, in a locked thread": "thread_not_found cannot_reply_to_message restricted_action_thread_locked",
	"new content with reply_broadcast":                   "no_dual_broadcast_content_update",
	"another app's message, or none":                     "cant_update_message cant_delete_message message_not_found",
	"an edit by a person's id, or too long":              "channel_not_found msg_too_long",
	"a late edit, or of an unknown channel":              "edit_window_closed is_inactive",
	"markdown_text and text":                             "markdown_text_conflict",
	"nothing to say":                                     "no_text",
	"a message for a time that does not do":              "time_in_past time_too_far restricted_too_many note.scheduled",
	"taking back what was posted":                        "invalid_scheduled_message_id",
	"a reaction twice, or none, or with colons":          "already_reacted no_reaction invalid_name",
	"a note for a person outside, or in an idle thread":  "user_not_in_channel note.idle_thread",
	"a Messages tab that is off, or read-only":           "messages_tab_disabled MessagesTabReadOnly",
	"a missing scope":                                    "missing_scope",
	"a token that is over":                               "token_expired account_inactive token_revoked TokenRotation",
	"a code or a refresh token twice":                    "invalid_code bad_redirect_uri invalid_refresh_token",
	"an organisation's token":                            "missing_argument team_access_not_granted team_not_found",
	"a trigger too late, twice or invented":              "expired_trigger_id exchanged_trigger_id invalid_trigger_id",
	"a Home tab that changed, is off, or has no blocks":  "hash_conflict not_enabled duplicate_external_id invalid_arguments",
	"a block on the wrong surface, or of the wrong kind": "block.type property.kind task.status invalid_blocks",
	"too much of a table, or of text":                    "table.text data_table.width property.required markdown.text msg_blocks_too_long",
	"a picker in the wrong place":                        "element.place is_decimal_allowed filter dispatch_action response_url_enabled property.either",
	"a file that does not do":                            "missing_argument snippet_too_large file_not_found channels_limit_exceeded",
	"people and groups that are not there":               "no_users_provided dnd.teamInfo.users no_such_subteam plan_upgrade_required users_not_found",
	"events again, and a response_url too often":         "X-Slack-Retry-Num used_url expired_url",
}

// errorWords are the words of refusals in the source of the double.
var errorWords = regexp.MustCompile(`\bno\("(\w+)"\)|word: "(\w+)"`)

func TestRefusalsAreCovered(t *testing.T) {
	t.Parallel()
	var tests, source strings.Builder
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !strings.HasSuffix(name, "_test.go"):
			source.Write(raw)
		case name == "refusals_test.go": // The table itself makes no calls.
			before, _, _ := strings.Cut(string(raw), "var traps")
			tests.WriteString(before)
		default:
			tests.Write(raw)
		}
	}
	tried := func(word string) bool {
		return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(tests.String())
	}
	for trap, words := range traps {
		for word := range strings.FieldsSeq(words) {
			if !tried(word) {
				t.Errorf("%s: no test tries %s", trap, word)
			}
		}
	}
	for _, found := range errorWords.FindAllStringSubmatch(source.String(), -1) {
		if word := found[1] + found[2]; !tried(word) {
			t.Errorf("no test covers the error %s", word)
		}
	}
}
