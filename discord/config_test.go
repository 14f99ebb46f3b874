package discord

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

const (
	canaryToken = "canary.bot.token-0123456789"
	someKey     = "e421dceefff3a9d008b7898fcc0974813201800419d72f36d51e010d6a0acb71"
)

func TestConfigReportsAllProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  Config
		want []string
	}{
		"nothing set":             {Config{}, []string{"bot_token is missing"}},
		"the kind of token":       {Config{BotToken: "Bot " + canaryToken}, []string{"bot_token starts with"}},
		"a token with a newline":  {Config{BotToken: canaryToken + "\n"}, []string{"bot_token holds spaces"}},
		"http without a key":      {Config{BotToken: canaryToken, Mode: ModeHTTP}, []string{"public_key is missing"}},
		"a short key":             {Config{BotToken: canaryToken, PublicKey: someKey[2:]}, []string{"public_key is not one"}},
		"a key of zeros":          {Config{BotToken: canaryToken, PublicKey: strings.Repeat("0", 64)}, []string{"public_key is not one"}},
		"a key that is no hex":    {Config{BotToken: canaryToken, PublicKey: strings.Repeat("g", 64)}, []string{"public_key is not one"}},
		"a name as application":   {Config{BotToken: canaryToken, ApplicationID: "askbridge"}, []string{"application_id is no id"}},
		"a name as fallback":      {Config{BotToken: canaryToken, DMFallback: "#general"}, []string{"dm_fallback is no channel id"}},
		"a name as server":        {Config{BotToken: canaryToken, Servers: []string{"Acme"}}, []string{"servers[0] is no server id"}},
		"a server twice":          {Config{BotToken: canaryToken, Servers: []string{ours, ours}}, []string{"servers[1] names " + ours + " a second time"}},
		"an unknown mode":         {Config{BotToken: canaryToken, Mode: "socket"}, []string{`mode is "socket"`}},
		"shards below zero":       {Config{BotToken: canaryToken, ShardCount: -1}, []string{"shard_count is negative"}},
		"a shard too many":        {Config{BotToken: canaryToken, ShardCount: 2, ShardIDs: []int{0, 2}}, []string{"shard_ids[1] is 2: they go"}},
		"a shard twice":           {Config{BotToken: canaryToken, ShardCount: 2, ShardIDs: []int{1, 1}}, []string{"shard_ids[1] names 1 a second time"}},
		"a shard without a count": {Config{BotToken: canaryToken, ShardIDs: []int{1}}, []string{"shard_ids[0] is 1"}},
		"an address with a secret": {
			Config{BotToken: canaryToken, APIURL: "https://canary:pw@proxy/"}, []string{"api_url"},
		},
		"everything": {Config{Mode: "x", APIURL: "ftp://x", PublicKey: "x"}, []string{"bot_token", "public_key", "mode", "api_url"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(tc.cfg)
			if err == nil || c != nil {
				t.Fatalf("New = %v, %v, want an error", c, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not mention %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("error holds a secret: %q", err)
			}
		})
	}
}

func TestModeDefaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"no key":           {Config{BotToken: canaryToken}, ModeGateway},
		"a key":            {Config{BotToken: canaryToken, PublicKey: someKey}, ModeHTTP},
		"a key and a wish": {Config{BotToken: canaryToken, PublicKey: someKey, Mode: ModeGateway}, ModeGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(tc.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if c.Mode() != tc.want {
				t.Errorf("Mode = %q, want %q", c.Mode(), tc.want)
			}
		})
	}
}

func TestSettingsPrintWithoutSecrets(t *testing.T) {
	t.Parallel()
	cfg := Config{BotToken: canaryToken, PublicKey: someKey}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("starting", "config", cfg, "pointer", &cfg)
	asJSON, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for how, text := range map[string]string{
		"%v": fmt.Sprintf("%v", cfg), "%+v": fmt.Sprintf("%+v", cfg), "%#v": fmt.Sprintf("%#v", cfg),
		"pointer": fmt.Sprint(&cfg), "slog": log.String(), "json": string(asJSON),
	} {
		if strings.Contains(text, "canary") || !strings.Contains(text, "[redacted]") {
			t.Errorf("%s prints %s", how, text)
		}
	}
}

func TestCallsUseConfiguredURL(t *testing.T) {
	t.Parallel()
	from, err := url.Parse("https://discord.com/api/v9/channels/1/messages?limit=5")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"https://discord.com/api":       "https://discord.com/api/v9/channels/1/messages?limit=5",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080/api/v9/channels/1/messages?limit=5",
		"http://127.0.0.1:8080/api/":    "http://127.0.0.1:8080/api/v9/channels/1/messages?limit=5",
		"https://proxy/discord/api":     "https://proxy/discord/api/v9/channels/1/messages?limit=5",
		"https://proxy/discord/api/v10": "https://proxy/discord/api/v10/channels/1/messages?limit=5",
	} {
		a, err := addressOf(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.lead(from).String(); got != want {
			t.Errorf("%s leads to %s, want %s", base, got, want)
		}
	}
}

func TestCheckTargetsAndResponders(t *testing.T) {
	t.Parallel()
	c, err := New(Config{BotToken: canaryToken})
	if err != nil {
		t.Fatal(err)
	}
	const channel, person = "200000000000000001", "300000000000000001"
	for _, good := range []ask.Place{
		{Platform: Name, Channel: channel},
		{Platform: Name, Channel: channel, Thread: "1300000000000000001"},
		{Platform: Name, User: person},
	} {
		if err := c.CheckTarget(good); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for _, bad := range []ask.Place{
		{Platform: "slack", Channel: channel},
		{Platform: Name},
		{Platform: Name, Channel: "#deploys"},
		{Platform: Name, Channel: "0" + channel[1:]},
		{Platform: Name, Channel: "123"},
		{Platform: Name, User: "@dana"},
		{Platform: Name, Channel: channel, User: person},
		{Platform: Name, Channel: channel, Thread: "1712345678.000100"},
		{Platform: Name, User: person, Thread: channel},
		{Platform: Name, Channel: channel + "\n"},
		{Platform: Name, Channel: channel + "/../../users/@me"},
	} {
		if err := c.CheckTarget(bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	for _, good := range []string{"discord:300000000000000001", "discord-role:400000000000000001"} {
		if err := c.CheckResponder(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"300000000000000001", "discord:", "discord:dana", "discord-role:deployers", "discord-group:400000000000000001",
		"slack:300000000000000001", "anyone", "discord-role:400000000000000001:1",
	} {
		err := c.CheckResponder(bad)
		if err == nil || !strings.Contains(err.Error(), "discord-role:4") {
			t.Errorf("%q: %v, want an error that names what is supported", bad, err)
		}
	}
	if diff := c.Prefixes(); len(diff) != 1 || diff[0] != "discord-role" {
		t.Errorf("Prefixes = %v", diff)
	}
}
