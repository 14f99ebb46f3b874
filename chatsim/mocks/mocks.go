package mocks

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// The default addresses of the doubles. They are fixed so that saved configurations keep
// working.
const (
	SlackAt   = "127.0.0.1:7361"
	DiscordAt = "127.0.0.1:7362"
)

// The platforms.
const (
	Slack   = "slack"
	Discord = "discord"
)

// Options configure which doubles to start. The zero value starts both platforms at their
// default addresses, delivering over sockets.
type Options struct {
	Only string // one platform; "" for both

	SlackAddr, DiscordAddr string // listen addresses
	SlackURL, DiscordURL   string // URLs that interactions are posted to; "" sends them over the bot's own connection
	SlackEventsURL         string // URL that events are posted to; "" sends them over Socket Mode
}

// Mocks are the running doubles.
type Mocks struct {
	opts    Options
	slack   *slacksim.Server   // nil without Slack
	discord *discordsim.Server // nil without Discord
}

// Start starts the doubles. It fails if an address is in use. Call Close to stop them.
func Start(o Options) (*Mocks, error) {
	m := &Mocks{opts: o}
	if err := m.start(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Mocks) start() error {
	if m.opts.Only != Discord {
		m.slack = slacksim.New(&slacksim.Options{
			TeamName: "Acme", BotName: "mybot", RequestURL: m.opts.SlackURL,
			Commands: []string{"/ask"}, EventsURL: m.opts.SlackEventsURL, Events: []string{slacksim.EventMessage, slacksim.EventAppMention, slacksim.EventHomeOpened, slacksim.EventAppUninstalled, slacksim.EventTokensRevoked},
		})
		if _, err := m.slack.Listen(m.opts.SlackAddr); err != nil {
			return fmt.Errorf("mocks: %w", err)
		}
	}
	if m.opts.Only != Slack {
		seed := sha256.Sum256([]byte("askbridge sim --mocks"))
		m.discord = discordsim.New(&discordsim.Options{
			GuildName: "Acme", BotName: "mybot", InteractionsURL: m.opts.DiscordURL, MentionsUnsaid: true,
			PrivateKey: ed25519.NewKeyFromSeed(seed[:]), // Not secret: it signs for a bot on this machine.
		})
		if _, err := m.discord.Listen(m.opts.DiscordAddr); err != nil {
			return fmt.Errorf("mocks: %w", err)
		}
	}
	return nil
}

// Chats returns the platforms for the page and the control API.
func (m *Mocks) Chats() []page.Chat {
	var all []page.Chat
	if m.slack != nil {
		all = append(all, page.Slack(m.slack))
	}
	if m.discord != nil {
		all = append(all, page.Discord(m.discord))
	}
	return all
}

// Place is one platform and the URL for bots.
type Place struct{ Title, URL string }

// Places lists the running platforms.
func (m *Mocks) Places() []Place {
	var all []Place
	if m.slack != nil {
		all = append(all, Place{"Slack", m.slack.APIURL()})
	}
	if m.discord != nil {
		all = append(all, Place{"Discord", m.discord.APIURL()})
	}
	return all
}

// Broken describes each broken rule that was not expected.
func (m *Mocks) Broken() []string {
	var all []string
	tell := func(title string, sim chatsim.Sim) {
		for _, v := range sim.Ledger().Unexpected() {
			all = append(all, fmt.Sprintf("A rule of %s was broken: %s", title, v))
		}
	}
	if m.slack != nil {
		tell("Slack", m.slack)
	}
	if m.discord != nil {
		tell("Discord", m.discord)
	}
	return all
}

// Close stops the doubles.
func (m *Mocks) Close() error {
	var failed []error
	if m.slack != nil {
		failed = append(failed, m.slack.Close())
	}
	if m.discord != nil {
		failed = append(failed, m.discord.Close())
	}
	return errors.Join(failed...)
}
