// Package bundle is the program's integration of Slack: the configuration section, the doctor
// checks, the app manifest, the initial configuration, and the double for the simulator.
package bundle

import (
	"cmp"
	"errors"
	"flag"
	"regexp"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
)

// Bundle returns Slack's bundle.
func Bundle() provider.Bundle {
	return provider.Bundle{
		Name:      slack.Name,
		Title:     "Slack",
		Signature: slack.SignatureHeader,
		Section:   func() provider.Section { return &Section{} },
		Help:      "Set up a Slack app",
		Commands:  []provider.Command{manifest, invite},
		Start: provider.Start{
			Question: "Slack channel to ask in, by its id, at the end of the channel's About",
			Form:     regexp.MustCompile(`^[CGD][A-Z0-9]{2,20}$`), Wants: "an id such as C0123ABCD",
			Settings: []string{"bot_token: ${SLACK_BOT_TOKEN}", "app_token: ${SLACK_APP_TOKEN}"},
			Next: []string{
				"export SLACK_BOT_TOKEN=xoxb-…    # the app's settings, OAuth & Permissions; make the app at the address of: askbridge slack manifest --link",
				"export SLACK_APP_TOKEN=xapp-…    # Basic Information, App-Level Tokens, with connections:write",
			},
		},
		Installations: installations,
		Guide:         newGuide,
		Simulate:      simulate,
		Cast:          usual,
	}
}

// Section selects the app and its workspace.
type Section struct {
	Mode          string        `yaml:"mode"`
	BotToken      config.Secret `yaml:"bot_token"`
	AppToken      config.Secret `yaml:"app_token"`
	SigningSecret config.Secret `yaml:"signing_secret"`
	APIURL        string        `yaml:"api_url"`
	Guests        string        `yaml:"guests"`
	AgentStatus   bool          `yaml:"agent_status"`
	Unpaced       bool          `yaml:"unpaced"`
	// ClientID and ClientSecret let workspaces install the app, instead of a BotToken.
	ClientID     string        `yaml:"client_id"`
	ClientSecret config.Secret `yaml:"client_secret"`
	Install      Install       `yaml:"install"`
}

// Install is who may install the app, and with which features.
type Install struct {
	// Address is the public address of the bridge.
	Address string `yaml:"address"`
	// Allow lists workspaces and organizations. With Invitations also those with an invitation may install
	// the app, and with Anyone all.
	Allow       []string `yaml:"allow"`
	Invitations bool     `yaml:"invitations"`
	Anyone      bool     `yaml:"anyone"`
	// Features are switches of [slack.Features], as of askbridge slack manifest.
	Features []string `yaml:"features"`
}

var _ provider.Section = (*Section)(nil)

// Connector returns a [slack.Connector].
func (s *Section) Connector(o provider.Outside) (provider.Connector, error) {
	cfg := slack.Config{
		BotToken: s.BotToken.Reveal(), AppToken: s.AppToken.Reveal(), SigningSecret: s.SigningSecret.Reveal(),
		APIURL: s.APIURL, Mode: s.Mode, Guests: s.Guests, AgentStatus: s.AgentStatus, Unpaced: s.Unpaced,
		HTTPClient: o.HTTPClient, Language: o.Language, Logger: o.Logger,
	}
	if s.ClientID != "" {
		return s.installed(cfg, o)
	}
	c, err := slack.New(cfg)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Secret returns the bot token, or the client secret of an app that others install, and the signing
// secret.
func (s *Section) Secret() string {
	return cmp.Or(s.BotToken.Reveal(), s.ClientSecret.Reveal()) + "\n" + s.SigningSecret.Reveal()
}

var manifest = provider.Command{
	Name:  "manifest",
	Short: "Print a manifest to make the Slack app from",
	Long: `manifest prints a Slack app manifest. At https://api.slack.com/apps choose Create New App, From a manifest,
and paste it; for an app that exists, paste it under App Manifest. docs/platforms/slack.md says what comes next.

Without a flag the app can post cards, write direct messages and read names. It cannot read messages. Each feature
that needs more scopes has a flag. The app uses Socket Mode, which needs no address that Slack can reach, unless --url
names one. --link prints an address to open in a browser instead of a manifest to paste.`,
	Example: "  askbridge slack manifest --link\n  askbridge slack manifest --groups --files\n  askbridge slack manifest --url https://ask.example.com --all",
	Flags: func(flags *flag.FlagSet) provider.Print {
		socket := flags.Bool("socket", false, "use Socket Mode; this is the default")
		address := flags.String("url", "", "have Slack post to the bridge at this `address`, such as https://ask.example.com")
		name := flags.String("name", "askbridge", "call the app and its bot this `name`")
		several := flags.String("install", "", "let several workspaces install the app over the bridge's public `address`, with token rotation")
		link := flags.Bool("link", false, "print a link that opens Create New App with the manifest filled in")
		all := flags.Bool("all", false, "request the scopes of all features")
		with := map[string]*bool{}
		for _, f := range slack.Features() {
			if f.Switch != "" {
				with[f.Switch] = flags.Bool(f.Switch, false, f.Help)
			}
		}
		return func(func() (provider.Section, error)) (string, error) {
			if *socket && *address != "" {
				return "", errors.New("--socket and --url exclude each other: in Socket Mode Slack sends nothing over HTTP")
			}
			o := ManifestOptions{Name: *name, URL: *address, All: *all, Install: *several}
			for name, on := range with {
				if *on {
					o.With = append(o.With, name)
				}
			}
			text, err := Manifest(o)
			if *link && err == nil {
				text = createLink(text)
			}
			return text, err
		}
	},
}
