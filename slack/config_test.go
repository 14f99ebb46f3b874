package slack

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

const (
	canaryBot    = "xoxb-canary-bot-0123456789"
	canaryApp    = "xapp-1-A0000001-canary-app"
	canarySecret = "canary-signing-secret-0123456789"
)

func TestConfigReportsAllProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  Config
		want []string
	}{
		"nothing set":              {Config{}, []string{"bot_token", "signing_secret"}},
		"swapped tokens":           {Config{BotToken: canaryApp, AppToken: canaryBot}, []string{"bot_token is an app-level token", "app_token is no app-level token"}},
		"a person's token":         {Config{BotToken: "xoxp-canary", SigningSecret: canarySecret}, []string{"person's token"}},
		"a token with a newline":   {Config{BotToken: canaryBot + "\n", SigningSecret: canarySecret}, []string{"bot_token holds spaces"}},
		"a short secret":           {Config{BotToken: canaryBot, SigningSecret: "canary"}, []string{"signing_secret has fewer"}},
		"a short secret in socket": {Config{BotToken: canaryBot, AppToken: canaryApp, SigningSecret: "canary"}, []string{"signing_secret has fewer"}},
		"socket without a token":   {Config{BotToken: canaryBot, Mode: ModeSocket}, []string{"app_token is missing"}},
		"an unknown mode":          {Config{BotToken: canaryBot, SigningSecret: canarySecret, Mode: "rtm"}, []string{`mode is "rtm"`}},
		"a word for guests":        {Config{BotToken: canaryBot, SigningSecret: canarySecret, Guests: "maybe"}, []string{`guests is "maybe"`}},
		"an address with a secret": {Config{BotToken: canaryBot, SigningSecret: canarySecret, APIURL: "https://canary:pw@proxy/"}, []string{"api_url"}},
		"everything":               {Config{Mode: "x", APIURL: "ftp://x"}, []string{"bot_token", "mode", "api_url"}},
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
		"no app token":                 {Config{BotToken: canaryBot, SigningSecret: canarySecret}, ModeHTTP},
		"an app token":                 {Config{BotToken: canaryBot, AppToken: canaryApp}, ModeSocket},
		"an app token and a wish":      {Config{BotToken: canaryBot, AppToken: canaryApp, SigningSecret: canarySecret, Mode: ModeHTTP}, ModeHTTP},
		"both credentials and no wish": {Config{BotToken: canaryBot, AppToken: canaryApp, SigningSecret: canarySecret}, ModeSocket},
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
	cfg := Config{BotToken: canaryBot, AppToken: canaryApp, SigningSecret: canarySecret}
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

func TestAPIURLGetsTrailingSlash(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "https://slack.com/api/", "http://localhost:1/api": "http://localhost:1/api/", "https://p/s/": "https://p/s/",
	} {
		cfg, err := Config{BotToken: canaryBot, SigningSecret: canarySecret, APIURL: given}.complete()
		if err != nil || cfg.APIURL != want {
			t.Errorf("%q becomes %q, %v, want %q", given, cfg.APIURL, err, want)
		}
	}
}

func TestCheckTargetsAndResponders(t *testing.T) {
	t.Parallel()
	c, err := New(Config{BotToken: canaryBot, SigningSecret: canarySecret})
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []ask.Place{
		{Platform: Name, Channel: "C0000001"},
		{Platform: Name, Channel: "G0000001"},
		{Platform: Name, Channel: "D0000001"},
		{Platform: Name, Channel: "C0000001", Thread: "1712345678.000100"},
		{Platform: Name, User: "U0000001"},
		{Platform: Name, User: "W0000001"},
	} {
		if err := c.CheckTarget(good); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for _, bad := range []ask.Place{
		{Platform: "discord", Channel: "C0000001"},
		{Platform: Name},
		{Platform: Name, Channel: "#deploys"},
		{Platform: Name, Channel: "c0000001"},
		{Platform: Name, Channel: "U0000001"},
		{Platform: Name, User: "C0000001"},
		{Platform: Name, User: "@dana"},
		{Platform: Name, Channel: "C0000001", User: "U0000001"},
		{Platform: Name, Channel: "C0000001", Thread: "now"},
		{Platform: Name, User: "U0000001", Thread: "1.2"},
		{Platform: Name, Channel: "C0000001\n"},
	} {
		if err := c.CheckTarget(bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	for _, good := range []string{"slack:U0000001", "slack-group:S0000001"} {
		if err := c.CheckResponder(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"slack-group:", "slack-group:releasers", "slack-group:U0000001", "slack-group:S0000001,S2"} {
		if err := c.CheckResponder(bad); err == nil || !strings.Contains(err.Error(), "slack-group:S") {
			t.Errorf("%q: %v, want an error that shows a good one", bad, err)
		}
	}
	for _, bad := range []string{"U0000001", "slack:", "slack:dana", "discord:1", "slack:C0000001", "anyone"} {
		err := c.CheckResponder(bad)
		if err == nil || !strings.Contains(err.Error(), "slack:U") {
			t.Errorf("%q: %v, want an error that names what is supported", bad, err)
		}
	}
}
