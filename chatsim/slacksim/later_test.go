package slacksim_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestReactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		api, ctx := client(sim), t.Context()
		ts, err := sim.Seat("U0000001").Say("C0000001", "", "SQLite, please")
		if err != nil {
			t.Fatal(err)
		}
		item := slackapi.NewRefToMessage("C0000001", ts)
		if err := api.AddReactionContext(ctx, "white_check_mark", item); err != nil {
			t.Fatal(err)
		}
		if err := api.AddReactionContext(ctx, "white_check_mark", item); err == nil || err.Error() != "already_reacted" {
			t.Errorf("a second one: %v", err)
		}
		history, err := api.GetConversationHistoryContext(ctx, &slackapi.GetConversationHistoryParameters{ChannelID: "C0000001"})
		if err != nil || len(history.Messages[0].Reactions) != 1 || history.Messages[0].Reactions[0].Name != "white_check_mark" || history.Messages[0].Reactions[0].Count != 1 {
			t.Errorf("the message is %+v, %v", history, err)
		}
		if err := api.RemoveReactionContext(ctx, "white_check_mark", item); err != nil {
			t.Error(err)
		}
		if err := api.RemoveReactionContext(ctx, "white_check_mark", item); err == nil || err.Error() != "no_reaction" {
			t.Errorf("taken away twice: %v", err)
		}
	})
}

func TestScheduledMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		api, ctx, dana := client(sim), t.Context(), sim.Seat("U0000001")
		in := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
		schedule := func(d time.Duration, options ...slackapi.MsgOption) string {
			t.Helper()
			_, id, err := api.ScheduleMessageContext(ctx, "C0000001", in(d), options...)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		first := schedule(time.Hour, slackapi.MsgOptionText("in an hour", false))
		second := schedule(2*time.Hour, slackapi.MsgOptionText("in two", false))
		schedule(time.Hour, slackapi.MsgOptionText("never", false), slackapi.MsgOptionMetadata(slackapi.SlackMetadata{
			EventType: "x", EventPayload: map[string]any{"a": "b"},
		}))
		if list, _, err := api.GetScheduledMessagesContext(ctx, &slackapi.GetScheduledMessagesParameters{}); err != nil || len(list) != 3 || list[0].ID != first {
			t.Errorf("scheduled are %+v, %v", list, err)
		}
		if ok, err := api.DeleteScheduledMessageContext(ctx, &slackapi.DeleteScheduledMessageParameters{Channel: "C0000001", ScheduledMessageID: second}); !ok || err != nil {
			t.Errorf("taken back: %v, %v", ok, err)
		}
		time.Sleep(time.Hour - time.Second)
		if sees := dana.Sees(); sees != "" {
			t.Errorf("too early she sees %q", sees)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, err := api.DeleteScheduledMessageContext(ctx, &slackapi.DeleteScheduledMessageParameters{Channel: "C0000001", ScheduledMessageID: first}); err == nil || err.Error() != "invalid_scheduled_message_id" {
			t.Errorf("taken back after it was posted: %v", err)
		}
		time.Sleep(3 * time.Hour)
		if sees := dana.Sees(); !strings.Contains(sees, "in an hour") || strings.Contains(sees, "in two") || strings.Contains(sees, "never") || !warned(sim, "note.scheduled") {
			t.Errorf("at last she sees %q", sees)
		}
		for n := range 30 {
			schedule(time.Hour+time.Duration(n)*time.Second, slackapi.MsgOptionText("x", false))
		}
		sim.Expect("chat.scheduleMessage.messages")
		if _, _, err := api.ScheduleMessageContext(ctx, "C0000001", in(time.Hour), slackapi.MsgOptionText("x", false)); err == nil || err.Error() != "restricted_too_many" {
			t.Errorf("the 31st in five minutes: %v", err)
		}
	})
}

func TestDoNotDisturb(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		berlin := time.FixedZone("Berlin", 3600)
		sim := slacksim.Start(t, &slacksim.Options{People: []slacksim.Person{
			{ID: "U0000001", Email: "Dana@example.org", Zone: berlin, Quiet: slacksim.Quiet{From: 22 * time.Hour, Until: 8 * time.Hour}},
			{ID: "U0000002", Away: true},
		}})
		api, ctx := client(sim), t.Context()
		local := func(unix int) string { return time.Unix(int64(unix), 0).In(berlin).Format("2006-01-02 15:04") }
		dana := "U0000001"
		for _, want := range []string{"1999-12-31 22:00 to 2000-01-01 08:00", "2000-01-01 22:00 to 2000-01-02 08:00"} {
			got, err := api.GetDNDInfoContext(ctx, &dana)
			if err != nil || !got.Enabled || local(got.NextStartTimestamp)+" to "+local(got.NextEndTimestamp) != want {
				t.Errorf("she is quiet by %+v, %v, want %s", got, err, want)
			}
			time.Sleep(8 * time.Hour) // Bubbles begin at midnight UTC.
		}
		all, err := api.GetDNDTeamInfoContext(ctx, []string{"U0000001", "U0000002"})
		if err != nil || !all["U0000001"].Enabled || all["U0000002"].Enabled || all["U0000002"].NextStartTimestamp != 1 {
			t.Errorf("all are %+v, %v", all, err)
		}
		for id, want := range map[string]string{"U0000001": "active", "U0000002": "away"} {
			if p, err := api.GetUserPresenceContext(ctx, id); err != nil || p.Presence != want {
				t.Errorf("%s is %+v, %v", id, p, err)
			}
		}
		if u, err := api.GetUserByEmailContext(ctx, "dana@example.org"); err != nil || u.ID != "U0000001" {
			t.Errorf("by her address she is %+v, %v", u, err)
		}
	})
}

func TestJoinAndPermalink(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	api, ctx := client(sim), t.Context()
	sim.Remove("C0000002", "U0000BOT")
	for n := range 2 {
		if _, warning, _, err := api.JoinConversationContext(ctx, "C0000002"); err != nil || (warning == "already_in_channel") != (n == 1) {
			t.Errorf("joined: %q, %v", warning, err)
		}
	}
	_, root, err := api.PostMessageContext(ctx, "C0000002", slackapi.MsgOptionText("x", false))
	if err != nil {
		t.Fatal(err)
	}
	_, reply, err := api.PostMessageContext(ctx, "C0000002", slackapi.MsgOptionText("y", false), slackapi.MsgOptionTS(root))
	if err != nil {
		t.Fatal(err)
	}
	plainTS := strings.ReplaceAll(root, ".", "")
	for ts, want := range map[string]string{
		root:  "https://sim.slack.com/archives/C0000002/p" + plainTS,
		reply: fmt.Sprintf("https://sim.slack.com/archives/C0000002/p%s?thread_ts=%s&cid=C0000002", strings.ReplaceAll(reply, ".", ""), root),
	} {
		if link, err := api.GetPermalinkContext(ctx, &slackapi.PermalinkParameters{Channel: "C0000002", Ts: ts}); err != nil || link != want {
			t.Errorf("the link is %q, %v, want %q", link, err, want)
		}
	}
}
