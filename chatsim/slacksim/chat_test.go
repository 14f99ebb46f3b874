package slacksim_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// warned reports whether the timeline has a note about this rule.
func warned(sim *slacksim.Server, rule string) bool {
	for _, e := range sim.Timeline().Events(chatsim.Warned) {
		if strings.HasPrefix(e.Text, rule+":") {
			return true
		}
	}
	return false
}

func TestErrorCodes(t *testing.T) {
	t.Parallel()
	hello := obj{"channel": "C0000001", "text": "hello"}
	for name, tc := range map[string]struct {
		opts   slacksim.Options
		before func(*slacksim.Server)
		method string
		args   obj
		rule   string // the violation, if any
		want   string
	}{
		"an unknown method":                              {method: "chat.shout", args: obj{}, rule: "request.method", want: "unknown_method"},
		"an unknown channel":                             {method: "chat.postMessage", args: with(hello, "channel", "C9"), want: "channel_not_found"},
		"nothing to say":                                 {method: "chat.postMessage", args: obj{"channel": "C0000001"}, want: "no_text"},
		"blocks that are no array":                       {method: "chat.postMessage", args: with(hello, "blocks", obj{}), rule: "property.kind", want: "invalid_blocks_format"},
		"blocks that are no JSON":                        {method: "chat.postMessage", args: with(hello, "blocks", "[{"), rule: "request.json", want: "invalid_blocks_format"},
		"metadata without a type":                        {method: "chat.postMessage", args: with(hello, "metadata", obj{"event_payload": obj{}}), rule: "metadata.shape", want: "invalid_metadata_format"},
		"metadata that is too large":                     {method: "chat.postMessage", args: with(hello, "metadata", metadata(16001)), rule: "metadata.size", want: "metadata_too_large"},
		"metadata of the largest size":                   {method: "chat.postMessage", args: with(hello, "metadata", metadata(16000))},
		"a hundred attachments":                          {method: "chat.postMessage", args: with(hello, "attachments", times(100, func(int) any { return obj{"text": "x"} }))},
		"one attachment more":                            {method: "chat.postMessage", args: with(hello, "attachments", times(101, func(int) any { return obj{"text": "x"} })), rule: "attachments", want: "too_many_attachments"},
		"markdown_text, which the double does not model": {method: "chat.postMessage", args: obj{"channel": "C0000001", "markdown_text": "x"}, rule: "request.arguments", want: "invalid_arguments"},
		"markdown_text and text":                         {method: "chat.postMessage", args: with(hello, "markdown_text", "x"), rule: "request.markdown_text", want: "markdown_text_conflict"},
		"a reply to nothing":                             {method: "chat.postMessage", args: with(hello, "thread_ts", "1.1"), rule: "request.thread", want: "thread_not_found"},
		"an ephemeral in no thread":                      {method: "chat.postEphemeral", args: with(hello, "user", "U0000001", "thread_ts", "1.1"), rule: "request.thread", want: "thread_not_found"},
		"an archived channel":                            {before: func(s *slacksim.Server) { s.Archive("C0000001") }, method: "chat.postMessage", args: hello, want: "is_archived"},
		"a channel without the bot":                      {before: func(s *slacksim.Server) { s.Remove("C0000001", "U0000BOT") }, method: "chat.postMessage", args: hello, want: "not_in_channel"},
		"a public channel without the bot, with the scope for it": {
			opts:   slacksim.Options{BotScopes: []string{"chat:write", "chat:write.public"}},
			before: func(s *slacksim.Server) { s.Remove("C0000001", "U0000BOT") }, method: "chat.postMessage", args: hello,
		},
		"a private channel without the bot": {
			opts:   slacksim.Options{Channels: []slacksim.Channel{{ID: "C0000001", Private: true, Members: []string{"U0000001"}}}},
			method: "chat.postMessage", args: hello, want: "channel_not_found",
		},
		"a direct message with the tab off":     {opts: slacksim.Options{MessagesTabOff: true}, method: "chat.postMessage", args: with(hello, "channel", "U0000001"), want: "messages_tab_disabled"},
		"an organisation's groups, of where":    {opts: slacksim.Options{OrgInstall: true}, method: "usergroups.list", args: obj{}, rule: "request.team_id", want: "missing_argument"},
		"an organisation's group, of here":      {opts: slacksim.Options{OrgInstall: true}, method: "usergroups.users.list", args: obj{"usergroup": "S0000001", "team_id": "T0000001"}},
		"an organisation's group, elsewhere":    {opts: slacksim.Options{OrgInstall: true}, method: "usergroups.users.list", args: obj{"usergroup": "S0000001", "team_id": "T0000002"}, want: "team_not_found"},
		"a rotated token that has grown old":    {before: func(s *slacksim.Server) { s.Expire("xoxb-sim") }, method: "chat.postMessage", args: hello, want: "token_expired"},
		"a revoked token":                       {before: func(s *slacksim.Server) { s.Revoke("xoxb-sim") }, method: "chat.postMessage", args: hello, want: "token_revoked"},
		"a disabled bot":                        {before: func(s *slacksim.Server) { s.Disable("xoxb-sim") }, method: "chat.postMessage", args: hello, want: "account_inactive"},
		"a missing scope":                       {before: func(s *slacksim.Server) { s.Grant("xoxb-sim", "users:read") }, method: "chat.postMessage", args: hello, want: "missing_scope"},
		"the wrong token":                       {method: "apps.connections.open", args: obj{}, want: "not_allowed_token_type"},
		"an ephemeral to a person outside":      {before: func(s *slacksim.Server) { s.Remove("C0000001", "U0000002") }, method: "chat.postEphemeral", args: with(hello, "user", "U0000002"), want: "user_not_in_channel"},
		"an edit of nothing":                    {method: "chat.update", args: with(hello, "ts", "1.1"), want: "message_not_found"},
		"an edit by a person's id":              {method: "chat.update", args: obj{"channel": "U0000001", "ts": "1.1", "text": "x"}, want: "channel_not_found"},
		"a direct message to an unknown person": {method: "conversations.open", args: obj{"users": "U9"}, want: "user_not_found"},
		"a direct message without users":        {method: "conversations.open", args: obj{}, rule: "request.arguments", want: "users_list_not_supplied"},
		"an unknown group":                      {method: "usergroups.users.list", args: obj{"usergroup": "S9"}, want: "no_such_subteam"},
		"a group on a free plan":                {opts: slacksim.Options{FreePlan: true}, method: "usergroups.users.list", args: obj{"usergroup": "S0000001"}, want: "plan_upgrade_required"},
		"an unknown person":                     {method: "users.info", args: obj{"user": "U9"}, want: "user_not_found"},
		"a view without a trigger":              {method: "views.open", args: obj{"view": obj{}}, rule: "request.arguments", want: "invalid_arguments"},
		"a view with an invented trigger":       {method: "views.open", args: obj{"trigger_id": "1.2.x", "view": obj{}}, rule: "trigger.known", want: "invalid_trigger_id"},
		"a reaction with colons":                {method: "reactions.add", args: obj{"channel": "C0000001", "timestamp": "1.000001", "name": ":tada:"}, rule: "request.reaction", want: "invalid_name"},
		"a reaction to nothing":                 {method: "reactions.add", args: obj{"channel": "C0000001", "name": "tada"}, want: "no_item_specified"},
		"a reaction at no time":                 {method: "reactions.add", args: obj{"channel": "C0000001", "timestamp": "now", "name": "tada"}, want: "bad_timestamp"},
		"a reaction to what is gone":            {method: "reactions.add", args: obj{"channel": "C0000001", "timestamp": "1.000001", "name": "tada"}, want: "message_not_found"},
		"a message for no time":                 {method: "chat.scheduleMessage", args: with(hello, "post_at", "soon"), want: "invalid_time"},
		"a message for yesterday":               {method: "chat.scheduleMessage", args: with(hello, "post_at", 1), want: "time_in_past"},
		"a message for next year":               {method: "chat.scheduleMessage", args: with(hello, "post_at", 4102444800), want: "time_too_far"},
		"taking back what was not there":        {method: "chat.deleteScheduledMessage", args: obj{"channel": "C0000001", "scheduled_message_id": "Q9"}, want: "invalid_scheduled_message_id"},
		"what is scheduled for nowhere":         {method: "chat.scheduledMessages.list", args: obj{"channel": "C9"}, want: "invalid_channel"},
		"whose quiet time":                      {method: "dnd.teamInfo", args: obj{}, want: "no_users_provided"},
		"the quiet time of too many":            {method: "dnd.teamInfo", args: obj{"users": strings.Repeat("U0000001,", 51)}, rule: "dnd.teamInfo.users", want: "too_many_users"},
		"the quiet time of an unknown person":   {method: "dnd.info", args: obj{"user": "U9"}, want: "user_not_found"},
		"the presence of an unknown person":     {method: "users.getPresence", args: obj{"user": "U9"}, want: "user_not_found"},
		"an unknown address":                    {method: "users.lookupByEmail", args: obj{"email": "x@example.org"}, want: "users_not_found"},
		"the address of no message":             {method: "chat.getPermalink", args: obj{"channel": "C0000001", "message_ts": "1.000001"}, want: "message_not_found"},
		"joining a direct message":              {before: func(s *slacksim.Server) { s.DM("U0000001") }, method: "conversations.join", args: obj{"channel": "D0000001"}, want: "method_not_supported_for_channel_type"},
		"joining an archived channel":           {before: func(s *slacksim.Server) { s.Archive("C0000001") }, method: "conversations.join", args: obj{"channel": "C0000001"}, want: "is_archived"},
		"a Home tab that is off":                {opts: slacksim.Options{HomeTabOff: true}, method: "views.publish", args: obj{"user_id": "U0000001", "view": homeView("Hello.")}, want: "not_enabled"},
		"the Home tab of an unknown person":     {method: "views.publish", args: obj{"user_id": "U9", "view": homeView("Hello.")}, rule: "request.arguments", want: "invalid_arguments"},
		"an unpublished Home tab":               {method: "views.publish", args: obj{"user_id": "U0000001", "hash": "1.x", "view": homeView("Hello.")}, want: "hash_conflict"},
		"a Home tab without blocks":             {method: "views.publish", args: obj{"user_id": "U0000001", "view": obj{"type": "home", "blocks": nil}}, rule: "property.kind", want: "invalid_arguments"},
		"a form on a Home tab":                  {method: "views.publish", args: obj{"user_id": "U0000001", "view": modal(actions(button(0)))}, rule: "property.kind", want: "invalid_arguments"},
		"a Home tab of 251 kB":                  {method: "views.publish", args: obj{"user_id": "U0000001", "view": with(homeView("Hello."), "private_metadata", x(251_000))}, rule: "modal.size", want: "view_too_large"},
		"an update of no view":                  {method: "views.update", args: obj{"view_id": "V9", "view": obj{}}, want: "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, &tc.opts)
			if tc.before != nil {
				tc.before(sim)
			}
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			reply := call(t, sim, tc.method, tc.args)
			if got, _ := reply["error"].(string); got != tc.want {
				t.Errorf("the reply is %v, want the error %q", reply, tc.want)
			}
			if tc.want == "missing_scope" && (reply["needed"] != "chat:write" || reply["provided"] != "users:read") {
				t.Errorf("the reply does not name the scopes: %v", reply)
			}
			if calls := sim.Calls(tc.method); len(calls) != 1 || calls[0].Error != tc.want || calls[0].Status != http.StatusOK {
				t.Errorf("the log has %+v", calls)
			}
		})
	}
}

// metadata is message metadata of this size in bytes.
func metadata(size int) obj {
	const frame = `{"event_payload":{"id":""},"event_type":"q"}`
	return obj{"event_type": "q", "event_payload": obj{"id": x(size - len(frame))}}
}

func TestSlackGoReadsResponses(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	api, ctx := client(sim), t.Context()
	who, err := api.AuthTestContext(ctx)
	if err != nil || who.TeamID != "T0000001" || who.UserID != "U0000BOT" || who.BotID != "B0000001" {
		t.Errorf("auth.test: %+v, %v", who, err)
	}
	team, err := api.GetTeamInfoContext(ctx)
	if err != nil || team.ID != "T0000001" {
		t.Errorf("team.info: %+v, %v", team, err)
	}
	user, err := api.GetUserInfoContext(ctx, "U0000009")
	if err != nil || user.RealName != "Robin" || user.TeamID != "T0000009" || user.IsStranger {
		t.Errorf("users.info: %+v, %v", user, err)
	}
	bot, err := api.GetUserInfoContext(ctx, "U0000BOT")
	if err != nil || !bot.IsBot {
		t.Errorf("users.info of the bot: %+v, %v", bot, err)
	}
	members, err := api.GetUserGroupMembersContext(ctx, "S0000001")
	if err != nil || len(members) != 2 {
		t.Errorf("usergroups.users.list: %v, %v", members, err)
	}
	im, noOp, _, err := api.OpenConversationContext(ctx, &slackapi.OpenConversationParameters{Users: []string{"U0000001"}})
	if err != nil || noOp || im.ID != "D0000001" {
		t.Errorf("conversations.open: %+v, %v", im, err)
	}
	channel, err := api.GetConversationInfoContext(ctx, &slackapi.GetConversationInfoInput{ChannelID: "C0000001"})
	if err != nil || channel.Name != "deploys" || !channel.IsMember || !channel.IsExtShared {
		t.Errorf("conversations.info: %+v, %v", channel, err)
	}
	info, err := api.GetBotInfoContext(ctx, slackapi.GetBotInfoParameters{Bot: "B0000001"})
	if err != nil || info.AppID != "A0000001" {
		t.Errorf("bots.info: %+v, %v", info, err)
	}
}

func TestHistoryPagination(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	dana := sim.Seat("U0000001")
	root, err := dana.Say("C0000001", "", "0")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		for _, thread := range []string{"", root} {
			if _, err := dana.Say("C0000001", thread, strconv.Itoa(n+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for method, want := range map[string]string{"conversations.history": "4 3, 2 1, 0", "conversations.replies": "0 1, 2 3, 4"} {
		var pages []string
		args := obj{"channel": "C0000001", "ts": root, "limit": "2"}
		for more := true; more; more = args["cursor"] != nil {
			got := call(t, sim, method, args)
			var texts []string
			for _, m := range got["messages"].([]any) {
				texts = append(texts, m.(obj)["text"].(string))
			}
			pages = append(pages, strings.Join(texts, " "))
			meta, _ := got["response_metadata"].(obj)
			if args["cursor"] = meta["next_cursor"]; got["has_more"] != (meta["next_cursor"] != nil) {
				t.Errorf("%s: has_more is %v with %v", method, got["has_more"], meta)
			}
		}
		if got := strings.Join(pages, ", "); got != want {
			t.Errorf("%s: the pages are %s, want %s", method, got, want)
		}
		if got := call(t, sim, method, obj{"channel": "C0000001", "ts": root, "cursor": "bmV4dF90czox"}); got["error"] != "invalid_cursor" {
			t.Errorf("%s: unknown cursor returns %v", method, got)
		}
	}
}

func TestHistoryMetadata(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	api, ctx := client(sim), t.Context()
	meta := slackapi.SlackMetadata{EventType: "question", EventPayload: map[string]any{"id": "r1"}}
	_, first, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("first", false), slackapi.MsgOptionMetadata(meta))
	if err != nil {
		t.Fatal(err)
	}
	_, reply, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("reply", false), slackapi.MsgOptionTS(first))
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := api.PostMessageContext(ctx, "#deploys", slackapi.MsgOptionText("second", false))
	if err != nil {
		t.Fatal(err)
	}
	history, err := api.GetConversationHistoryContext(ctx, &slackapi.GetConversationHistoryParameters{ChannelID: "C0000001", IncludeAllMetadata: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(history.Messages) != 2 || history.Messages[0].Timestamp != second || history.Messages[1].Metadata.EventPayload["id"] != "r1" {
		t.Errorf("the history is %+v", history.Messages)
	}
	thread, _, _, err := api.GetConversationRepliesContext(ctx, &slackapi.GetConversationRepliesParameters{ChannelID: "C0000001", Timestamp: first})
	if err != nil {
		t.Fatal(err)
	}
	if len(thread) != 2 || thread[1].Timestamp != reply || thread[0].Metadata.EventType != "" {
		t.Errorf("the thread is %+v", thread)
	}
	limited, err := api.GetConversationHistoryContext(ctx, &slackapi.GetConversationHistoryParameters{ChannelID: "C0000001", Oldest: first, Limit: 1})
	if err != nil || len(limited.Messages) != 1 || limited.HasMore {
		t.Errorf("what came after the first is %+v, %v", limited, err)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	blocks := actions(button(0))
	for name, tc := range map[string]struct {
		edit   obj
		sees   string
		edited bool
	}{
		"text alone removes the blocks":         {edit: obj{"text": "done"}, sees: "askbridge (edited)\ndone", edited: true},
		"blocks leave no mark":                  {edit: obj{"text": "done", "blocks": list{obj{"type": "header", "text": plain("Done")}}}, sees: "askbridge\nDone"},
		"an empty list of blocks clears them":   {edit: obj{"text": "done", "blocks": list{}}, sees: "askbridge\ndone"},
		"attachments alone leave the blocks be": {edit: obj{"attachments": list{}}, sees: "askbridge (edited)\n[Yes]", edited: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			posted := call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Which?", "blocks": blocks, "metadata": metadata(100)})
			reply := call(t, sim, "chat.update", with(tc.edit, "channel", "C0000001", "ts", posted["ts"]))
			if reply["ok"] != true {
				t.Fatal(reply)
			}
			seat := sim.Seat("U0000001")
			if got := seat.Sees(); got != tc.sees {
				t.Errorf("Dana sees\n%s\nwant\n%s", got, tc.sees)
			}
			m := seat.Messages("C0000001")[0]
			if m.Edited != tc.edited || m.Metadata == nil {
				t.Errorf("the message is %+v", m)
			}
		})
	}
}

func TestEditPermissions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{EditWindow: time.Hour})
		sim.Expect("chat.update.text")
		foreign, err := sim.Seat("U0000001").Say("C0000001", "", "mine")
		if err != nil {
			t.Fatal(err)
		}
		update := func(ts any, n int) any {
			return call(t, sim, "chat.update", obj{"channel": "C0000001", "ts": ts, "text": x(n)})["error"]
		}
		if got := update(foreign, 1); got != "cant_update_message" {
			t.Errorf("an edit of a person's message: %v", got)
		}
		ours := call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Which?"})["ts"]
		if got := update(ours, 4000); got != nil {
			t.Errorf("an edit of 4000 characters: %v", got)
		}
		if got := update(ours, 4001); got != "msg_too_long" {
			t.Errorf("an edit of 4001 characters: %v", got)
		}
		if got := call(t, sim, "chat.update", obj{"channel": "C0000001", "ts": ours, "text": "x", "reply_broadcast": true})["error"]; got != "no_dual_broadcast_content_update" {
			t.Errorf("an edit that is broadcast: %v", got)
		}
		private := call(t, sim, "chat.postEphemeral", obj{"channel": "C0000001", "user": "U0000001", "text": "x"})["message_ts"]
		if got := update(private, 1); got != "cant_update_message" {
			t.Errorf("an edit of an ephemeral message: %v", got)
		}
		if got := call(t, sim, "chat.delete", obj{"channel": "C0000001", "ts": private})["error"]; got != "cant_delete_message" {
			t.Errorf("deleting an ephemeral message: %v", got)
		}
		time.Sleep(time.Hour)
		if got := update(ours, 1); got != nil {
			t.Errorf("an edit after an hour: %v", got)
		}
		time.Sleep(time.Nanosecond)
		if got := update(ours, 1); got != "edit_window_closed" {
			t.Errorf("an edit after more than an hour: %v", got)
		}
		sim.Archive("C0000001")
		if got := update(ours, 1); got != "is_inactive" {
			t.Errorf("an edit in an archived channel: %v", got)
		}
	})
}

func TestThreadRoot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		dana := sim.Seat("U0000001")
		root, err := dana.Say("C0000001", "", "Deploy?")
		if err != nil {
			t.Fatal(err)
		}
		post := func(method string, thread any) obj {
			return call(t, sim, method, obj{"channel": "C0000001", "user": "U0000001", "text": "psst", "thread_ts": thread})
		}
		// Slack accepts it and shows it to no one until there is a reply.
		if reply := post("chat.postEphemeral", root); reply["ok"] != true || strings.Contains(dana.Sees(), "psst") || !warned(sim, "note.idle_thread") {
			t.Errorf("a note in an idle thread: %v, she sees\n%s", reply, dana.Sees())
		}
		answer := post("chat.postMessage", root)
		if answer["ok"] != true {
			t.Fatalf("a reply: %v", answer)
		}
		if reply := post("chat.postEphemeral", root); reply["ok"] != true || !strings.Contains(dana.Sees(), "only visible to you") {
			t.Errorf("a note in the thread: %v, she sees\n%s", reply, dana.Sees())
		}
		sim.Expect("request.thread")
		if reply := post("chat.postMessage", answer["ts"]); reply["error"] != "cannot_reply_to_message" {
			t.Errorf("a reply to a reply: %v", reply)
		}
	})
}

func TestDeletedMessageWithRepliesLeavesTombstone(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	say := func(thread any) any {
		return call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "x", "thread_ts": thread})["ts"]
	}
	lonely, discussed := say(""), say("")
	say(discussed)
	for _, ts := range []any{lonely, discussed} {
		if reply := call(t, sim, "chat.delete", obj{"channel": "C0000001", "ts": ts}); reply["ok"] != true {
			t.Error(reply)
		}
	}
	messages := sim.Seat("U0000001").Messages("C0000001")
	if len(messages) != 2 || !messages[0].Tombstone {
		t.Errorf("what is left: %+v", messages)
	}
	if got := call(t, sim, "chat.update", obj{"channel": "C0000001", "ts": discussed, "text": "x"})["error"]; got != "message_not_found" {
		t.Errorf("an edit of a tombstone: %v", got)
	}
}

func TestPostRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{PostPerSecond: 1})
		api := client(sim)
		post := func(channel string) error {
			_, _, err := api.PostMessageContext(t.Context(), channel, slackapi.MsgOptionText("x", false))
			return err
		}
		if err := errors.Join(post("C0000001"), post("C0000002")); err != nil {
			t.Fatal(err)
		}
		var limited *slackapi.RateLimitedError
		if err := post("C0000001"); !errors.As(err, &limited) || limited.RetryAfter != time.Second {
			t.Errorf("the second post ended with %v", err)
		}
		time.Sleep(time.Second)
		if err := post("C0000001"); err != nil {
			t.Error(err)
		}
	})
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args  obj
		note  string
		pings []string
	}{
		"blocks without a text":      {args: obj{"blocks": actions(button(0))}, note: "note.fallback"},
		"a link that may unfurl":     {args: obj{"text": "see https://example.com/a"}, note: "note.unfurl"},
		"a label that hides a link":  {args: obj{"text": "<https://example.com|bank>", "unfurl_links": false, "unfurl_media": false}, note: "note.link"},
		"a label with the host":      {args: obj{"text": "<https://example.com/a|the plan (example.com)>", "unfurl_links": false, "unfurl_media": false}},
		"an unknown argument":        {args: obj{"text": "x", "colour": "red"}, note: "note.argument"},
		"text that will be cut":      {args: obj{"text": x(40001)}, note: "note.cut"},
		"emoji that will be cut":     {args: obj{"text": strings.Repeat("😀", 20001)}, note: "note.cut"},
		"two primary buttons":        {args: obj{"text": "x", "blocks": actions(with(button(0).(obj), "style", "primary"), with(button(1).(obj), "style", "primary"))}, note: "note.primary"},
		"a duplicate value":          {args: obj{"text": "x", "blocks": actions(obj{"type": "overflow", "options": list{option(0), option(0)}})}, note: "note.option_value"},
		"a live mention of all":      {args: obj{"text": "<!channel> <!here|x>"}, pings: []string{"@channel", "@here"}},
		"live mentions in a block":   {args: obj{"text": "x", "blocks": list{obj{"type": "section", "text": mrkdwn("<@U0000001> `<!subteam^S1>`")}}}, pings: []string{"U0000001", "S1"}},
		"names linked by parse=full": {args: obj{"text": "@here it is", "parse": "full"}, pings: []string{"@here"}},
		"an escaped mention":         {args: obj{"text": "&lt;!channel&gt;"}},
		"a mention in plain text":    {args: obj{"text": "x", "blocks": list{obj{"type": "section", "text": plain("<!channel>")}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, nil)
			if reply := call(t, sim, "chat.postMessage", with(tc.args, "channel", "C0000001")); reply["ok"] != true {
				t.Fatal(reply)
			}
			notes := sim.Timeline().Events(chatsim.Warned)
			if tc.note == "" && len(notes) > 0 || tc.note != "" && (len(notes) != 1 || !warned(sim, tc.note)) {
				t.Errorf("the notes are %v, want %q", notes, tc.note)
			}
			var pings []string
			for _, e := range sim.Timeline().Events(chatsim.Pinged) {
				pings = append(pings, e.Person)
			}
			if strings.Join(pings, " ") != strings.Join(tc.pings, " ") {
				t.Errorf("pinged %v, want %v", pings, tc.pings)
			}
		})
	}
}

func TestOversizedEphemeral(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	sim.Expect("chat.postMessage.text")
	ephemeral := func(n int) any {
		return call(t, sim, "chat.postEphemeral", obj{"channel": "C0000001", "user": "U0000001", "text": x(n)})["error"]
	}
	if got := ephemeral(40000); got != nil {
		t.Errorf("40000 characters: %v", got)
	}
	if got := ephemeral(40001); got != "msg_too_long" {
		t.Errorf("40001 characters: %v", got)
	}
	if got := sim.Seat("U0000002").Sees(); got != "" {
		t.Errorf("another person sees %q", got[:20])
	}
}
