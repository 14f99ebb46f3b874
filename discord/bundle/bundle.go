// Package bundle is the program's integration of Discord: the configuration section, the doctor
// checks, the invite link, the initial configuration, and the double for the simulator.
package bundle

import (
	"errors"
	"flag"
	"regexp"

	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// Bundle returns Discord's bundle.
func Bundle() provider.Bundle {
	return provider.Bundle{
		Name:      discord.Name,
		Title:     "Discord",
		Signature: discord.SignatureHeader,
		Section:   func() provider.Section { return &Section{} },
		Help:      "Set up a Discord bot",
		Commands:  []provider.Command{invite, installations},
		Start: provider.Start{
			Question: "Discord channel to ask in, by its id, from the channel's menu in Developer Mode",
			Form:     regexp.MustCompile(`^[0-9]{15,20}$`), Wants: "an id such as 234567890123456789",
			Settings: []string{"bot_token: ${DISCORD_BOT_TOKEN}"},
			Next: []string{
				"export DISCORD_BOT_TOKEN=…       # the Developer Portal, Bot, Reset Token; invite the bot with: askbridge discord invite",
			},
		},
		Guide:    newGuide,
		Simulate: simulate,
		Cast:     usual,
	}
}

// Section selects the application.
type Section struct {
	Mode          string        `yaml:"mode"`
	BotToken      config.Secret `yaml:"bot_token"`
	ApplicationID string        `yaml:"application_id"`
	PublicKey     string        `yaml:"public_key"`
	APIURL        string        `yaml:"api_url"`
	ShardCount    int           `yaml:"shard_count"`
	ShardIDs      []int         `yaml:"shard_ids"`
	Servers       []string      `yaml:"servers"`
	DMFallback    string        `yaml:"dm_fallback"`
	Messages      bool          `yaml:"messages"`
	Inbox         bool          `yaml:"inbox"`
	Unpaced       bool          `yaml:"unpaced"`
}

var _ provider.Section = (*Section)(nil)

// Connector returns a [discord.Connector].
func (s *Section) Connector(o provider.Outside) (provider.Connector, error) {
	c, err := discord.New(discord.Config{
		BotToken: s.BotToken.Reveal(), ApplicationID: s.ApplicationID, PublicKey: s.PublicKey,
		APIURL: s.APIURL, Mode: s.Mode, ShardCount: s.ShardCount, ShardIDs: s.ShardIDs, Servers: s.Servers, DMFallback: s.DMFallback, Messages: s.Messages, Inbox: s.Inbox, Unpaced: s.Unpaced,
		HTTPClient: o.HTTPClient, Language: o.Language, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Secret returns the bot token.
func (s *Section) Secret() string { return s.BotToken.Reveal() }

var invite = provider.Command{
	Name:  "invite",
	Short: "Print the link that invites the bot to a server",
	Long: `invite prints the link with which an administrator adds the bot to a Discord server, with only the
permissions that askbridge uses: View Channel, Send Messages, Read Message History,
Send Messages in Threads and Attach Files. No privileged intent is needed.`,
	Example:    "  askbridge discord invite --application-id 123456789012345678\n  askbridge discord invite --config askbridge.yaml",
	Configured: true,
	Flags: func(flags *flag.FlagSet) provider.Print {
		id := flags.String("application-id", "", "the application's `id`, in place of that in the configuration")
		return func(configured func() (provider.Section, error)) (string, error) {
			if *id == "" {
				section, err := configured()
				if err != nil {
					return "", err
				}
				s, _ := section.(*Section)
				if s == nil || s.ApplicationID == "" {
					return "", errors.New("the configuration has no discord.application_id; name it with --application-id")
				}
				*id = s.ApplicationID
			}
			link, err := Invite(*id)
			return link + "\n", err
		}
	},
}
