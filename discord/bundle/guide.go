package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// guide sets up a bot that connects to the gateway.
type guide struct{ exam }

func newGuide(api string) provider.Guide { return &guide{*newExam(&Section{APIURL: api})} }

// Begin implements [provider.Guide].
func (g *guide) Begin() string {
	return `Open ` + portal + `, press New Application, and name it.
Leave Privileged Gateway Intents off: askbridge reads no messages.`
}

// Tokens implements [provider.Guide].
func (g *guide) Tokens() []provider.Token {
	return []provider.Token{{Setting: "bot_token", Title: "Bot token", Where: "Bot, Reset Token"}}
}

// Take implements [provider.Guide]. It adds the invite link to the report.
func (g *guide) Take(ctx context.Context, r *doctor.Report, _, token string) {
	g.r, g.cfg.BotToken = r, config.NewSecret(token)
	g.api.token = g.cfg.BotToken
	if g.token(ctx) {
		g.app(ctx)
		g.gateway(ctx)
		if link, err := Invite(cmp.Or(g.id, g.bot)); err == nil {
			r.Add("discord/application", doctor.Note, "", "to add it to a server, open %s", link)
		}
	}
}

// writable are the types of channels that take messages: text and announcements
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var writable = []int{0, 5}

// Channels implements [provider.Guide]. It lists the channels of every server of the bot; without one,
// the person has to open the invite link first.
func (g *guide) Channels(ctx context.Context) ([]*provider.Channel, error) {
	servers, err := g.servers(ctx)
	switch {
	case errors.Is(err, errNoServer):
		return nil, fmt.Errorf("%w; open the link above", err)
	case err != nil:
		return nil, err
	}
	var all []*provider.Channel
	for _, server := range servers {
		var chats []chat
		if err := g.list(ctx, "/guilds/"+url.PathEscape(server.ID)+"/channels", &chats); err != nil {
			return nil, fmt.Errorf("the channels of %s cannot be listed: %w", server.Name, err)
		}
		for _, c := range chats {
			if slices.Contains(writable, c.Type) {
				all = append(all, &provider.Channel{ID: c.ID, Name: c.Name, Of: server.Name})
			}
		}
	}
	return all, nil
}

// Channel implements [provider.Guide].
func (g *guide) Channel(ctx context.Context, r *doctor.Report, id string) {
	g.r = r
	clear(g.guilds) // The person may have changed the bot's permissions meanwhile.
	g.channel(ctx, id)
}

// Section implements [provider.Guide].
func (g *guide) Section() provider.Section { return g.cfg }

// Settings implements [provider.Guide].
func (g *guide) Settings() []string {
	var lines []string
	if g.id != "" {
		lines = append(lines, "application_id: \""+g.id+"\"")
	}
	if g.cfg.APIURL != "" {
		lines = append(lines, "api_url: "+g.cfg.APIURL)
	}
	return lines
}
