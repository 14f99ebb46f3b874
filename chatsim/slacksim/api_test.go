package slacksim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestTokenInFormAndHeader(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		form   url.Values
		header string
		want   string
		rule   string
	}{
		"form":             {form: url.Values{"token": {"xoxb-sim"}}},
		"header":           {header: "Bearer xoxb-sim"},
		"neither":          {want: "not_authed", rule: "request.token"},
		"an unknown token": {header: "Bearer xoxb-other", want: "invalid_auth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sim.APIURL()+"auth.test", strings.NewReader(tc.form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if tc.header != "" {
				req.Header.Set("Authorization", tc.header)
			}
			resp, err := sim.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if calls := sim.Calls(); calls[0].Error != tc.want || calls[0].Args["token"] != nil {
				t.Errorf("the log has %+v", calls)
			}
		})
	}
}

func TestArgumentEncodings(t *testing.T) {
	t.Parallel()
	form := url.Values{"channel": {"C0000001"}, "text": {"hello"}, "blocks": {`[{"type":"divider"}]`}}
	const boundary = "--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n"
	for name, tc := range map[string]struct {
		query, kind, body, want string
	}{
		"a form":          {kind: "application/x-www-form-urlencoded", body: form.Encode()},
		"JSON":            {kind: "application/json; charset=utf-8", body: `{"channel":"C0000001","text":"hello","blocks":[{"type":"divider"}]}`},
		"JSON in JSON":    {kind: "application/json", body: `{"channel":"C0000001","text":"hello","blocks":"[{\"type\":\"divider\"}]"}`},
		"several parts":   {kind: "multipart/form-data; boundary=x", body: fmt.Sprintf(boundary+boundary+"--x--\r\n", "channel", "C0000001", "text", "hello")},
		"the query":       {query: "?" + form.Encode()},
		"broken JSON":     {kind: "application/json", body: `{`, want: "invalid_json"},
		"two JSON values": {kind: "application/json", body: `{}{}`, want: "invalid_json"},
		"a JSON array":    {kind: "application/json", body: `[]`, want: "json_not_object"},
		"a broken form":   {kind: "application/x-www-form-urlencoded", body: "text=%zz", want: "invalid_form_data"},
		"a missing part":  {kind: "multipart/form-data; boundary=x", body: "--y", want: "invalid_form_data"},
		"a picture":       {kind: "image/png", body: "x", want: "invalid_post_type"},
		"an unknown body": {body: "x", want: "missing_post_type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sim.APIURL()+"chat.postMessage"+tc.query, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer xoxb-sim")
			if tc.kind != "" {
				req.Header.Set("Content-Type", tc.kind)
			}
			resp, err := sim.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if got := sim.Calls()[0].Error; got != tc.want {
				t.Errorf("the error is %q, want %q", got, tc.want)
			}
			if posted := len(sim.Seat("U0000001").Messages("C0000001")) == 1; posted != (tc.want == "") {
				t.Errorf("posted: %v", posted)
			}
		})
	}
}

func TestScopeHeaders(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{BotScopes: []string{"chat:write", "im:write"}})
	for token, want := range map[string]string{"xoxb-sim": "chat:write,im:write", "xapp-sim": "connections:write", "xoxb-other": ""} {
		for _, method := range []string{"auth.test", "users.info"} { // One allowed and one forbidden method.
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sim.APIURL()+method, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := sim.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if got := resp.Header.Get("X-OAuth-Scopes"); got != want {
				t.Errorf("header of the response of %s to %s: %q, want %q", method, token, got, want)
			}
		}
	}
}

// Each method's page states whether it takes JSON. Arguments of one that does not are ignored silently.
func TestFormMethodIgnoresJSON(t *testing.T) {
	t.Parallel()
	for method, tc := range map[string]struct {
		args, want string
		rules      []string
	}{
		"users.info":                 {`{"user":"U0000001"}`, "user_not_found", []string{"request.form"}},
		"usergroups.users.list":      {`{"usergroup":"S0000001"}`, "no_such_subteam", []string{"request.form"}},
		"conversations.info":         {`{"channel":"C0000001"}`, "channel_not_found", []string{"request.form"}},
		"files.getUploadURLExternal": {`{"filename":"a.txt","length":3}`, "missing_argument", []string{"request.form", "request.arguments"}},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			sim.Expect(tc.rules...)
			if got := send(t, sim, method, "application/json; charset=utf-8", tc.args)["error"]; got != tc.want {
				t.Errorf("with JSON: %v, want %s", got, tc.want)
			}
			if got := call(t, sim, method, json.RawMessage(tc.args)); got["ok"] != true {
				t.Errorf("with a form: %v", got)
			}
		})
	}
}

func TestConcurrentPresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := &slacksim.Options{}
		for i := range 32 {
			opts.People = append(opts.People, slacksim.Person{ID: fmt.Sprintf("U%07d", i)})
		}
		sim := slacksim.Start(t, opts)
		sim.Fault(slacksim.Interactions, chatsim.Twice().Always())
		api := client(sim)
		var once sync.Once
		sim.DeliverToHandler("/", app(func(payload obj) (int, string) {
			once.Do(func() {
				ts, _ := payload["message"].(obj)["ts"].(string)
				if _, _, _, err := api.UpdateMessageContext(t.Context(), "C0000001", ts, slackapi.MsgOptionText("decided", false)); err != nil {
					t.Error(err)
				}
			})
			return http.StatusOK, ""
		}))
		put(t, sim, actions(button(0)))
		var all sync.WaitGroup
		for _, p := range opts.People {
			all.Go(func() {
				seat := sim.Seat(p.ID)
				if err := seat.Press(t.Context(), "Yes"); err != nil && !errors.Is(err, chatsim.ErrNotThere) {
					t.Error(err)
				}
				if err := seat.AwaitText(t.Context(), "decided"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

func TestConversationMethods(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{
		People: []slacksim.Person{
			{ID: "U0000001"}, {ID: "U0000002", Disabled: true}, {ID: "U0000003", Bot: true},
		},
		Channels: []slacksim.Channel{
			{ID: "C0000001", Name: "deploys"},
			{ID: "C0000002", Name: "secret", Private: true},
			{ID: "C0000003", Name: "hidden", Private: true, Members: []string{"U0000001"}},
		},
	})
	sim.Expect("request.method")
	for _, tc := range []struct {
		method string
		args   obj
		want   any
	}{
		{"conversations.open", obj{"users": "U0000002"}, "user_disabled"},
		{"conversations.open", obj{"users": "U0000003"}, "cannot_dm_bot"},
		{"conversations.open", obj{"users": "U0000001,U0000002"}, "too_many_users"},
		{"conversations.open", obj{"channel": "D0000001"}, "channel_not_found"},
		{"conversations.open", obj{"users": "U0000001"}, nil},
		{"conversations.open", obj{"channel": "D0000001"}, nil},
		{"conversations.info", obj{"channel": "D0000001"}, nil},
		{"conversations.info", obj{"channel": "C0000002"}, nil},
		{"conversations.info", obj{"channel": "C0000003"}, "channel_not_found"},
		{"conversations.replies", obj{"channel": "C0000001", "ts": "1.1"}, "thread_not_found"},
		{"team.info", obj{"team": "T9"}, "team_not_found"},
		{"bots.info", obj{"bot": "B9"}, "bot_not_found"},
		{"chat.delete", obj{"channel": "C0000001", "ts": "1.1"}, "message_not_found"},
		{"chat.postMessage", obj{"channel": "U0000002", "text": "x"}, "channel_not_found"},
		{"chat.postMessage", obj{"channel": "#nowhere", "text": "x"}, "channel_not_found"},
	} {
		if got := call(t, sim, tc.method, tc.args)["error"]; got != tc.want {
			t.Errorf("%s %v: %v, want %v", tc.method, tc.args, got, tc.want)
		}
	}
	sim.Grant("xoxb-sim", "im:history")
	if got := call(t, sim, "conversations.history", obj{"channel": "C0000002"}); got["needed"] != "groups:history" {
		t.Errorf("reading a private channel without its scope: %v", got)
	}
	if got := call(t, sim, "conversations.history", obj{"channel": "D0000001", "include_all_metadata": true}); got["needed"] != "metadata.message:read" {
		t.Errorf("reading metadata without its scope: %v", got)
	}
}

func TestSceneWithSeat(t *testing.T) {
	t.Parallel()
	server := slacksim.Start(t, nil)
	var sim chatsim.Sim = server
	server.DeliverToHandler("/", app(func(obj) (int, string) { return http.StatusOK, "" }))
	put(t, server, append(twoQuestions(), input(textInput(), "block_id", "w")...))
	dana, ctx := sim.Person("U0000001"), t.Context()
	for _, do := range []func() error{
		func() error { return dana.Pick(ctx, "Logs?", "Yes") },
		func() error { return dana.Fill(ctx, "Why", "so") },
		func() error { return dana.Press(ctx, "Other…", "Logs?") },
		func() error {
			return dana.Await(ctx, func(sees string) bool { return strings.Contains(sees, "● Yes") })
		},
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if sim.Platform() != "slack" || len(sim.Timeline().Events(chatsim.Acknowledged)) != 2 {
		t.Errorf("the timeline of %s is\n%s", sim.Platform(), sim.Timeline())
	}
}

func TestConversationsList(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{
		Channels: []slacksim.Channel{
			{ID: "C0000001", Name: "deploys"},
			{ID: "C0000002", Name: "old", Archived: true},
			{ID: "C0000003", Name: "general", Members: []string{"U0000001"}},
			{ID: "C0000004", Name: "secret", Private: true},
			{ID: "C0000005", Name: "hidden", Private: true, Members: []string{"U0000001"}},
		},
	})
	list := func(args obj) (names []string, reply obj) {
		reply = call(t, sim, "conversations.list", args)
		channels, _ := reply["channels"].([]any)
		for _, c := range channels {
			name, _ := c.(obj)["name"].(string)
			names = append(names, name)
		}
		return names, reply
	}
	for name, tc := range map[string]struct {
		args  obj
		names []string
		word  any
	}{
		"the default":        {args: obj{}, names: []string{"deploys", "old", "general"}},
		"without archived":   {args: obj{"exclude_archived": true}, names: []string{"deploys", "general"}},
		"with private":       {args: obj{"types": "public_channel,private_channel"}, names: []string{"deploys", "old", "general", "secret"}},
		"an unknown type":    {args: obj{"types": "channel"}, word: "invalid_types"},
		"a limit too large":  {args: obj{"limit": "1000"}, word: "invalid_limit"},
		"a limit in words":   {args: obj{"limit": "all"}, word: "invalid_limit"},
		"an invented cursor": {args: obj{"cursor": "dGVhbTpDOQ=="}, word: "invalid_cursor"},
	} {
		if names, reply := list(tc.args); !slices.Equal(names, tc.names) || reply["error"] != tc.word {
			t.Errorf("%s: %q, %v", name, names, reply["error"])
		}
	}
	// Slack filters a page after cutting it: the second of these pages is empty.
	var pages [][]string
	for args := (obj{"limit": 1, "exclude_archived": true}); ; {
		names, reply := list(args)
		pages = append(pages, names)
		more, _ := reply["response_metadata"].(obj)
		if args["cursor"] = more["next_cursor"]; args["cursor"] == "" {
			break
		}
	}
	if len(pages) != 3 || pages[1] != nil || !slices.Equal(pages[2], []string{"general"}) {
		t.Errorf("pages: %q", pages)
	}
	sim.Grant("xoxb-sim", "channels:read")
	if _, reply := list(obj{"types": "public_channel,private_channel"}); reply["needed"] != "groups:read" || reply["error"] != "missing_scope" {
		t.Errorf("private channels without their scope: %v", reply)
	}
}
