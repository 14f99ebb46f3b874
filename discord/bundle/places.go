package bundle

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/doctor"
)

// guild is a server with the data that determines permissions.
type guild struct {
	owner string
	roles []role
	mine  []string // role ids of the bot
}

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions bits   `json:"permissions"`
}

// overwrite changes the permissions of a role or a person in one channel.
type overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"` // 0 for a role, 1 for a person
	Allow bits   `json:"allow"`
	Deny  bits   `json:"deny"`
}

// chat is a channel or a thread.
type chat struct {
	ID         string      `json:"id"`
	Type       int         `json:"type"`
	Name       string      `json:"name"`
	Guild      string      `json:"guild_id"`
	Parent     string      `json:"parent_id"`
	Overwrites []overwrite `json:"permission_overwrites"`
	Thread     *struct {
		Locked bool `json:"locked"`
	} `json:"thread_metadata"`
}

// forums are the channel types that contain posts
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var forums = []int{15, 16}

// allowed computes the bot's permissions in a channel of a guild.
// https://docs.discord.com/developers/topics/permissions#permission-overwrites
func (g *guild) allowed(guildID, bot string, overwrites []overwrite) bits {
	if g.owner == bot {
		return ^bits(0)
	}
	var b bits
	for _, r := range g.roles {
		if r.ID == guildID || slices.Contains(g.mine, r.ID) {
			b |= r.Permissions
		}
	}
	if b&administrator != 0 {
		return ^bits(0)
	}
	change := func(of func(overwrite) bool) {
		var allow, deny bits
		for _, o := range overwrites {
			if of(o) {
				allow |= o.Allow
				deny |= o.Deny
			}
		}
		b = b&^deny | allow
	}
	change(func(o overwrite) bool { return o.ID == guildID })
	change(func(o overwrite) bool { return o.Type == 0 && o.ID != guildID && slices.Contains(g.mine, o.ID) })
	change(func(o overwrite) bool { return o.Type == 1 && o.ID == bot })
	return b
}

// channel checks whether the bot can post to a channel.
func (x *exam) channel(ctx context.Context, channel string) {
	const id = "discord/channel"
	invite := "Invite the bot with the link that \"askbridge discord invite\" prints, and give it View Channel in the channel's permissions."
	var c chat
	_, no, err := x.api.get(ctx, "/channels/"+url.PathEscape(channel), &c)
	name := channel
	if c.Name != "" {
		name = "#" + c.Name + " (" + channel + ")"
	}
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "%s could not be looked at: %v", name, err)
	case no != nil && no.status == http.StatusForbidden:
		x.r.Add(id, doctor.Broken, invite, "the bot may not see %s: %s", name, no)
	case no != nil && no.status == http.StatusNotFound:
		x.r.Add(id, doctor.Broken, "Copy the id again: User Settings, Advanced, Developer Mode, then the channel's menu.", "there is no channel %s", name)
	case no != nil:
		x.r.Add(id, doctor.Note, "", "%s could not be looked at: %s", name, no)
	case x.threads[channel] != "" && (c.Thread == nil || c.Parent != x.threads[channel]):
		x.r.Add(id, doctor.Broken, "Name the channel that the thread is in, or another thread.",
			"%s is not a thread of the channel %s, so it is not used", name, x.threads[channel])
	case slices.Contains(forums, c.Type):
		x.r.Add(id, doctor.Broken, "Name one of its posts as the thread, or another channel.", "%s is a forum, which takes no messages", name)
	case c.Thread != nil && c.Thread.Locked:
		x.r.Add(id, doctor.Broken, "Unlock it, or ask somewhere else.", "the thread %s is locked", name)
	default:
		x.rights(ctx, c, name)
	}
}

// rights checks the bot's permissions in a channel.
func (x *exam) rights(ctx context.Context, c chat, name string) {
	const id = "discord/channel"
	g := x.guild(ctx, c.Guild)
	overwrites := c.Overwrites
	if c.Thread != nil {
		var parent chat
		if _, no, err := x.api.get(ctx, "/channels/"+url.PathEscape(c.Parent), &parent); no != nil || err != nil {
			g = nil
		}
		overwrites = parent.Overwrites
	}
	if g == nil {
		x.r.Add(id, doctor.Note, "", "the bot sees %s; whether it may write there could not be looked at", name)
		return
	}
	has := g.allowed(c.Guild, x.bot, overwrites)
	var needed, useful []string
	filesOff := false
	for _, p := range permissions() {
		switch inThread := c.Thread != nil; {
		case has&p.Bit != 0, inThread && p.Bit == sendMessages, !inThread && p.Bit == sendInThreads:
		case p.Bit == readHistory:
			useful = append(useful, p.Name)
		case p.Bit == attachFiles:
			filesOff = true
		default:
			needed = append(needed, p.Name)
		}
	}
	do := "In the channel's settings: Permissions, add the bot and allow it."
	switch {
	case len(needed) > 0:
		x.r.Add(id, doctor.Broken, do, "in %s the bot lacks %s", name, strings.Join(append(needed, useful...), ", "))
	case len(useful) > 0:
		x.r.Add(id, doctor.Warn, do, "in %s the bot lacks %s, so it cannot find a lost card again", name, strings.Join(useful, ", "))
	case filesOff:
		x.r.Add(id, doctor.Warn, do, "in %s the bot lacks Attach Files, so no request with files can be answered there", name)
	default:
		x.r.OK(id, "the bot may ask in %s", name)
	}
}

// guild fetches a server, once; nil if it is not accessible.
func (x *exam) guild(ctx context.Context, id string) *guild {
	if known, ok := x.guilds[id]; ok || id == "" {
		return known
	}
	x.guilds[id] = nil
	var (
		server struct {
			Owner string `json:"owner_id"`
			Roles []role `json:"roles"`
		}
		member struct {
			Roles []string `json:"roles"`
		}
	)
	if _, no, err := x.api.get(ctx, "/guilds/"+url.PathEscape(id), &server); no != nil || err != nil {
		return nil
	}
	if _, no, err := x.api.get(ctx, "/guilds/"+url.PathEscape(id)+"/members/"+url.PathEscape(x.bot), &member); no != nil || err != nil {
		return nil
	}
	x.guilds[id] = &guild{owner: server.Owner, roles: server.Roles, mine: member.Roles}
	return x.guilds[id]
}

// person checks whether a person exists and, if asked is set, can be asked in a direct message.
func (x *exam) person(ctx context.Context, person string, asked bool) {
	const id = "discord/person"
	var u struct {
		Name   string `json:"username"`
		Global string `json:"global_name"`
		Bot    bool   `json:"bot"`
	}
	_, no, err := x.api.get(ctx, "/users/"+url.PathEscape(person), &u)
	name := person
	if known := cmp.Or(u.Global, u.Name); known != "" {
		name = known + " (" + person + ")"
	}
	purpose, worst := doctor.Purpose(asked)
	switch {
	case err != nil:
		x.r.Add(id, doctor.Note, "Try again.", "%s could not be looked at: %v", name, err)
	case no != nil && no.status == http.StatusNotFound:
		x.r.Add(id, worst, "Copy the id again: User Settings, Advanced, Developer Mode, then the person's menu.", "there is no user %s", name)
	case no != nil:
		x.r.Add(id, doctor.Note, "", "%s could not be looked at: %s", name, no)
	case u.Bot:
		x.r.Add(id, worst, "Name a person.", "%s is a bot and cannot %s", name, purpose)
	case asked && x.cfg.DMFallback == "":
		x.r.Add(id, doctor.Note, "Set discord.dm_fallback to a channel, for when they do not.",
			"%s can be asked, if they take direct messages from the bot", name)
	default:
		x.r.OK(id, "%s can %s", name, purpose)
	}
}

// role checks that a role exists in the servers of the routes' channels.
func (x *exam) role(wanted ask.Entry) {
	const id = "discord/role"
	who := wanted.String()
	if _, server := x.guilds[wanted.ID]; server {
		// @everyone has the server's id and is not listed in members' roles
		// (https://docs.discord.com/developers/topics/permissions#role-object).
		x.r.Add(id, doctor.Broken, "Use anyone instead: every member of the server who sees the card.",
			"%s is @everyone, which Discord does not list among a person's roles, so it lets no one answer", who)
		return
	}
	seen := false
	for _, g := range x.guilds {
		if g == nil {
			continue
		}
		seen = true
		for _, r := range g.roles {
			if r.ID == wanted.ID {
				x.r.OK(id, "@%s (%s) may answer", strings.TrimPrefix(r.Name, "@"), who)
				return
			}
		}
	}
	if !seen {
		x.r.Add(id, doctor.Note, "", "cannot check the role %s without a channel of its server", who)
		return
	}
	x.r.Add(id, doctor.Broken, "Copy the id again: Server Settings, Roles, the role's menu, with Developer Mode on.",
		"no server of a route's channel has the role %s, so it lets no one answer", who)
}
