package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/app"
)

// The check once reported only the first mistake, often without a position.
func TestCheckReportsAllMistakesWithPositions(t *testing.T) {
	t.Parallel()
	const slack = "slack: {mode: http, bot_token: xoxb-x, signing_secret: 12345678}\ncallbacks: {listen: 127.0.0.1:8081}\n"
	for name, c := range map[string]struct {
		file  string
		wants []string
		not   string
	}{
		"a section, the bridge and the server": {
			"slack: {mode: http, bot_token: xoxb-x}\nlanguage: fr\nlisten: 0.0.0.0:80\nroutes: {a: {to: [{platform: slack, channel: foo}], hold: 5s}}\n",
			[]string{":1:1: slack: signing_secret is missing", ":2:1: language: ", ":3:1: listen: 0.0.0.0:80 can be reached"},
			"channel",
		},
		"both platforms": {
			"slack: {mode: http, bot_token: xoxb-x}\ndiscord: {mode: gateway}\n",
			[]string{":1:1: slack: signing_secret is missing", ":2:1: discord: bot_token is missing"},
			"settings:",
		},
		"settings of a platform that have a place": {
			"slack:\n  mode: carrier\n  bot_token: xoxp-x\n  guests: all\ndiscord:\n  bot_token: x\n  shard_count: 2\n  shard_ids: [0, 2, 0]\n",
			[]string{
				":2:3: slack.mode: is \"carrier\"", ":3:3: slack.bot_token: is a person's token", ":4:3: slack.guests: is \"all\"",
				":8:18: discord.shard_ids[1]: is 2: they go", ":8:21: discord.shard_ids[2]: names 0 a second time",
			},
			"; ",
		},
		"the file and the bridge": {
			slack + "max_options: 99\nresponders: [nobody]\nroutes: {a: {to: [{platform: slack, channel: foo}]}}\n",
			[]string{":3:1: max_options: ", ":4:14: responders[0]: ", ":5:20: routes.a.to[0]: "},
			"listen",
		},
		"a rota that cannot be read is not empty": {
			slack + "rotas: {week: {members: [\"slack:U0000001\"], from: x, zone: UTC, every: 1d}}\n",
			[]string{":3:45: rotas.week.from: "},
			"has no members",
		},
		"what cannot be read has an end": {
			"slack: {mode: http, bot_token: }\nlanguage: fr\n",
			[]string{":1:31: slack.bot_token: has no value"},
			"signing_secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "askbridge.yaml")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := app.LoadOffline(path)
			if err == nil {
				_, err = app.New(cfg, nil)
			}
			if err == nil || strings.Contains(err.Error(), c.not) {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), path+want) {
					t.Errorf("no %q in\n%v", want, err)
				}
			}
		})
	}
}
