package mocks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim/page"
)

// The tokens that the doubles accept. They are not secret.
const (
	mockBotToken     = "xoxb-sim"
	mockAppToken     = "xapp-sim"
	mockClientID     = "1.2"
	mockClientSecret = "sim-client-secret"
	mockDiscordToken = "discord-sim-token"
	mockApplication  = "600000000000000001"
)

// Connect describes how bots reach the doubles: environment variables, and complete example
// files. pageURL is the URL of the page.
func (m *Mocks) Connect(pageURL string) *page.Connect {
	c := &page.Connect{Variables: map[string]string{"MOCKS_URL": strings.TrimSuffix(pageURL, "/")}}
	if m.slack != nil {
		maps.Copy(c.Variables, map[string]string{
			"SLACK_API_URL": m.slack.APIURL(), "SLACK_BOT_TOKEN": mockBotToken, "SLACK_APP_TOKEN": mockAppToken,
			"SLACK_SIGNING_SECRET": m.slack.SigningSecret(), "SLACK_CLIENT_ID": mockClientID, "SLACK_CLIENT_SECRET": mockClientSecret,
		})
	}
	if m.discord != nil {
		maps.Copy(c.Variables, map[string]string{
			"DISCORD_API_URL": m.discord.APIURL(), "DISCORD_BOT_TOKEN": mockDiscordToken,
			"DISCORD_APPLICATION_ID": mockApplication, "DISCORD_PUBLIC_KEY": m.discord.PublicKey(),
		})
	}
	var env strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		fmt.Fprintf(&env, "%s=%s\n", name, c.Variables[name])
	}
	c.Files = append(c.Files,
		page.File{Name: ".env", About: "what a bot reads from its environment", Text: env.String()},
		page.File{Name: "askbridge.yaml", About: "askbridge serve against these", Text: m.configuration()})
	if m.slack != nil {
		c.Files = append(c.Files, page.File{Name: "bolt.mjs", About: "Bolt for JavaScript, Socket Mode", Text: fmt.Sprintf(boltSnippet, m.slack.APIURL())})
	}
	if m.discord != nil {
		c.Files = append(c.Files, page.File{Name: "discord.mjs", About: "discord.js", Text: fmt.Sprintf(discordSnippet, m.discord.APIURL())})
	}
	return c
}

// configuration returns a complete askbridge.yaml.
func (m *Mocks) configuration() string {
	var b strings.Builder
	fmt.Fprint(&b, "listen: 127.0.0.1:8080\nstore:\n  type: memory\n")
	var to strings.Builder
	if m.slack != nil {
		fmt.Fprintf(&b, "slack:\n  api_url: %s\n  bot_token: %s\n", m.slack.APIURL(), mockBotToken)
		if m.opts.SlackURL == "" {
			fmt.Fprintf(&b, "  mode: socket\n  app_token: %s\n", mockAppToken)
		} else {
			fmt.Fprintf(&b, "  mode: http\n  signing_secret: %s\n", m.slack.SigningSecret())
		}
		fmt.Fprint(&to, "      - {platform: slack, channel: C0000001}\n")
	}
	if m.discord != nil {
		fmt.Fprintf(&b, "discord:\n  api_url: %s\n  bot_token: %s\n  application_id: %q\n", m.discord.APIURL(), mockDiscordToken, mockApplication)
		if m.opts.DiscordURL == "" {
			fmt.Fprint(&b, "  mode: gateway\n")
		} else {
			fmt.Fprintf(&b, "  mode: http\n  public_key: %s\n", m.discord.PublicKey())
		}
		fmt.Fprint(&to, "      - {platform: discord, channel: \"200000000000000001\"}\n")
	}
	fmt.Fprintf(&b, "routes:\n  deploys:\n    to:\n%sdefault_route: deploys\n", &to)
	return b.String()
}

// boltSnippet is a Bolt app that asks one question. https://docs.slack.dev/tools/bolt-js/
const boltSnippet = `import bolt from '@slack/bolt';

const app = new bolt.App({
  token: 'xoxb-sim', appToken: 'xapp-sim', socketMode: true,
  clientOptions: { slackApiUrl: '%s' },
});
app.action('yes', async ({ ack, respond, body }) => {
  await ack();
  await respond({ text: 'Deployed by ' + body.user.name, replace_original: true });
});
await app.start();
await app.client.chat.postMessage({
  channel: 'C0000001', text: 'Deploy?',
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text: 'Deploy?' } },
    { type: 'actions', elements: [{ type: 'button', action_id: 'yes', text: { type: 'plain_text', text: 'Yes' } }] },
  ],
});
`

// discordSnippet is a discord.js app that asks one question. https://discord.js.org/docs
const discordSnippet = `import { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, GatewayIntentBits } from 'discord.js';

const client = new Client({
  intents: [GatewayIntentBits.Guilds], rest: { api: '%s' }, allowedMentions: { parse: [] },
});
client.on('interactionCreate', async (press) => {
  if (press.isButton()) await press.update({ content: 'Deployed by ' + press.user.username, components: [] });
});
client.once('clientReady', async () => {
  const yes = new ButtonBuilder().setCustomId('yes').setLabel('Yes').setStyle(ButtonStyle.Primary);
  const channel = await client.channels.fetch('200000000000000001');
  await channel.send({ content: 'Deploy?', components: [new ActionRowBuilder().addComponents(yes)] });
});
await client.login('discord-sim-token');
`
