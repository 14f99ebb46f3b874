package askbridgetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/slack"
)

// Paths to which the mock platforms post interactions.
const (
	slackInteractions   = "/slack/interactions"
	discordInteractions = "/discord/interactions"
)

// Default tokens and channels of the mocks.
const (
	slackToken     = "xoxb-sim"
	slackDeploys   = "C0000001"
	discordToken   = "discord-sim-token"
	discordDeploys = "200000000000000001"
)

// Default routes, the same as the simulator's.
const (
	routeDeploys = "deploys"
	routeDana    = "dana"
	routeSam     = "sam"
	routeTell    = "tell-sam"
)

// Names of the people in scenes and in the directory of the bridge.
const (
	dana = "dana"
	sam  = "sam"
	kim  = "kim"
)

// mocked describes a mock platform with its default people and channels.
type mocked struct {
	name    string
	deploys string            // ID of the channel #deploys
	people  map[string]string // IDs by name
	seat    func(id string) chatsim.Seat
}

// entry returns a person as a responder entry, such as "slack:U0000001".
func (m mocked) entry(name string) string {
	return ask.Entry{Platform: m.name, ID: m.people[name]}.String()
}

// platforms lists the mock platforms of this world, Slack first.
func (w *World) platforms() []mocked {
	var all []mocked
	if w.Slack != nil {
		all = append(all, mocked{Slack, slackDeploys, map[string]string{dana: "U0000001", sam: "U0000002", kim: "U0000003"}, w.Slack.Person})
	}
	if w.Discord != nil {
		all = append(all, mocked{
			Discord, discordDeploys,
			map[string]string{dana: "300000000000000001", sam: "300000000000000002", kim: "300000000000000003"},
			w.Discord.Person,
		})
	}
	return all
}

// open creates the mock platforms and their connectors.
func (w *World) open(opts *Options) (connectors []connector, err error) {
	names := opts.Platforms
	if len(names) == 0 {
		names = []string{Slack, Discord}
	}
	for i, name := range names {
		var c connector
		switch {
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("duplicate platform %s", name)
		case name == Slack:
			c, err = w.openSlack(opts)
		case name == Discord:
			c, err = w.openDiscord(opts)
		default:
			err = fmt.Errorf("unknown platform %q, expected %s or %s", name, Slack, Discord)
		}
		if err != nil {
			return nil, err
		}
		connectors = append(connectors, c)
	}
	return connectors, nil
}

func (w *World) openSlack(opts *Options) (connector, error) {
	settings := slacksim.Options{}
	if opts.Slack != nil {
		settings = *opts.Slack
	}
	if opts.Inbox {
		settings.Commands = append(slices.Clip(settings.Commands), slack.Command)
	}
	w.Slack = slacksim.New(&settings)
	token := cmp.Or(settings.BotToken, slackToken)
	c, err := slack.New(slack.Config{
		BotToken: token, SigningSecret: w.Slack.SigningSecret(), Mode: slack.ModeHTTP,
		APIURL: w.Slack.APIURL(), HTTPClient: w.Slack.Client(), Logger: opts.Logger,
		AgentStatus: opts.Slack != nil && opts.Slack.AgentView,
	})
	if err != nil {
		return nil, err
	}
	w.Slack.DeliverToHandler(slackInteractions, c.Handler())
	return c, nil
}

func (w *World) openDiscord(opts *Options) (connector, error) {
	w.Discord = discordsim.New(opts.Discord)
	token := discordToken
	if o := opts.Discord; o != nil && o.BotToken != "" {
		token = o.BotToken
	}
	cfg := discord.Config{
		BotToken: token, PublicKey: w.Discord.PublicKey(), Mode: discord.ModeHTTP,
		APIURL: w.Discord.APIURL(), HTTPClient: w.Discord.Client(), Logger: opts.Logger, Inbox: opts.Inbox,
	}
	if opts.Typed {
		cfg.Mode, cfg.Messages, cfg.NetDialContext = discord.ModeGateway, true, w.Discord.Dial
	}
	c, err := discord.New(cfg)
	if err != nil || opts.Typed {
		return c, err
	}
	w.Discord.DeliverToHandler(discordInteractions, c.Handler())
	return c, nil
}

// sims lists the mock platforms of this world.
func (w *World) sims() []chatsim.Sim {
	var all []chatsim.Sim
	if w.Slack != nil {
		all = append(all, w.Slack)
	}
	if w.Discord != nil {
		all = append(all, w.Discord)
	}
	return all
}
