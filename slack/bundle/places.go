package bundle

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/slack"
)

// channel checks whether the bot can post to a channel.
func (x *exam) channel(ctx context.Context, channel string) {
	const id = "slack/channel"
	invite := "In the channel: /invite @" + x.bot
	var reply struct {
		Channel struct {
			Name     string `json:"name"`
			User     string `json:"user"`
			Archived bool   `json:"is_archived"`
			Member   bool   `json:"is_member"`
			Direct   bool   `json:"is_im"`
		} `json:"channel"`
	}
	_, word, err := x.api.call(ctx, x.api.bot, "conversations.info", url.Values{"channel": {channel}}, &reply)
	if err == nil && word == "missing_scope" {
		// The scopes that the bridge itself uses suffice for almost the same check.
		_, word, err = x.api.call(ctx, x.api.bot, "conversations.history", url.Values{"channel": {channel}, "limit": {"1"}}, &struct{}{})
		reply.Channel.Member = word == ""
	}
	name := channel
	if reply.Channel.Name != "" {
		name = "#" + reply.Channel.Name + " (" + channel + ")"
	}
	switch c := reply.Channel; {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "%s could not be looked at: %v", name, err)
	case word == "channel_not_found":
		x.r.Add(id, doctor.Broken, "Look at the id; if the channel is private, "+strings.ToLower(invite[:1])+invite[1:]+".",
			"the bot cannot see %s: there is no such channel, or it is private", name)
	case word == "missing_scope":
		x.r.Add(id, doctor.Note, "Grant it "+slack.ScopeChannels+", or "+slack.ScopePrivate+" for a private channel; or look for the bot among the channel's members.",
			"whether the bot is in %s cannot be seen without %s or %s", name, slack.ScopeChannels, slack.ScopePrivate)
	case word == "not_in_channel", word == "" && !c.Member && !c.Direct:
		if slices.Contains(x.scopes, slack.ScopePublic) && !strings.HasPrefix(channel, "G") {
			x.r.Add(id, doctor.Warn, invite, "the bot is not in %s: it can post there with %s, but cannot receive typed answers, upload files or find a lost card",
				name, slack.ScopePublic)
			return
		}
		x.r.Add(id, doctor.Broken, invite, "the bot is not in %s", name)
	case word != "":
		x.r.Add(id, doctor.Note, "", "%s could not be looked at: %s", name, word)
	case c.Archived:
		x.r.Add(id, doctor.Broken, "Unarchive it, or ask somewhere else.", "%s is archived", name)
	default:
		x.r.OK(id, "the bot is in %s", name)
		x.permalink(ctx, channel)
	}
}

// permalink compares the address that the bridge derives for a message with Slack's own, for the
// last message of one channel.
func (x *exam) permalink(ctx context.Context, channel string) {
	const id = "slack/permalink"
	if x.linked {
		return
	}
	var last struct {
		Messages []struct {
			TS string `json:"ts"`
		} `json:"messages"`
	}
	args := url.Values{"channel": {channel}, "limit": {"1"}}
	if _, word, err := x.api.call(ctx, x.api.bot, "conversations.history", args, &last); err != nil || word != "" || len(last.Messages) == 0 {
		return
	}
	m := last.Messages[0]
	var reply struct {
		Permalink string `json:"permalink"`
	}
	args = url.Values{"channel": {channel}, "message_ts": {m.TS}}
	if _, word, err := x.api.call(ctx, x.api.bot, "chat.getPermalink", args, &reply); err != nil || word != "" {
		return
	}
	x.linked = true
	theirs, _, _ := strings.Cut(reply.Permalink, "?")
	if ours := slack.Permalink(x.home, channel, "", m.TS); ours != theirs {
		x.r.Add(id, doctor.Warn, "Report it with both addresses.", "links to cards would lead to %s, and Slack's own to %s", ours, theirs)
		return
	}
	x.r.OK(id, "links to cards are Slack's own")
}

// person checks whether a person exists and, if asked is set, can be asked in a direct message.
func (x *exam) person(ctx context.Context, person string, asked bool) {
	const id = "slack/person"
	var reply struct {
		User struct {
			Name     string `json:"name"`
			RealName string `json:"real_name"`
			Deleted  bool   `json:"deleted"`
			Bot      bool   `json:"is_bot"`
		} `json:"user"`
	}
	_, word, err := x.api.call(ctx, x.api.bot, "users.info", url.Values{"user": {person}}, &reply)
	u := reply.User
	name := person
	if known := cmp.Or(u.RealName, u.Name); known != "" {
		name = known + " (" + person + ")"
	}
	purpose, worst := doctor.Purpose(asked)
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "%s could not be looked at: %v", name, err)
	case word == "user_not_found", word == "users_not_found", word == "user_not_visible":
		x.r.Add(id, worst, "Copy the member ID from the person's profile, behind the three dots.", "%s is not a member of this workspace", name)
	case word == "missing_scope":
		x.r.Add(id, doctor.Note, "", "whether %s can %s cannot be seen without users:read", name, purpose)
	case word != "":
		x.r.Add(id, doctor.Note, "", "%s could not be looked at: %s", name, word)
	case u.Deleted:
		x.r.Add(id, worst, "Name another person.", "the account of %s is deactivated", name)
	case u.Bot:
		x.r.Add(id, worst, "Name a person.", "%s is a bot and cannot %s", name, purpose)
	default:
		x.r.OK(id, "%s can %s", name, purpose)
	}
}

// group checks that a user group has members. An organization-wide app must specify the
// workspace (https://docs.slack.dev/reference/methods/usergroups.users.list).
func (x *exam) group(ctx context.Context, group ask.Entry) {
	const id = "slack/group"
	who := group.String()
	var reply struct {
		Users []string `json:"users"`
	}
	const method = "usergroups.users.list"
	args := url.Values{"usergroup": {group.ID}}
	var (
		word string
		err  error
	)
	for _, team := range x.teams {
		if team != "" {
			args.Set("team_id", team)
		}
		if _, word, err = x.api.call(ctx, x.api.bot, method, args, &reply); word != "no_such_subteam" {
			break
		}
	}
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "%s could not be looked at: %v", who, err)
	case word == "missing_scope":
		x.r.Add(id, doctor.Broken, "Grant the bot usergroups:read and reinstall the app.", "members of %s cannot be looked up, so none of them may answer", who)
	case word == "plan_upgrade_required":
		x.r.Add(id, doctor.Broken, "Name people instead.", "user groups need a paid Slack plan, so %s lets no one answer", who)
	case word == "no_such_subteam":
		x.r.Add(id, doctor.Broken, "Copy the group's id: People, User groups, the group, three dots.", "there is no group %s", who)
	case word != "":
		x.r.Add(id, doctor.Note, "", "%s could not be looked at: %s", who, word)
	case len(reply.Users) == 0:
		x.r.Add(id, doctor.Broken, "Add a member, or enable the group.", "%s has no members, so it lets no one answer", who)
	default:
		x.r.OK(id, "%s has members who may answer: %d", who, len(reply.Users))
	}
}
