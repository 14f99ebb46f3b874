package bundle

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

func TestInstallationsNeedEncryption(t *testing.T) {
	t.Parallel()
	values := memory.New().KeyValue()
	outside := provider.Outside{Values: func() keyvalue.Store { return values }}
	s := &Section{
		ClientID: "1.2", ClientSecret: config.NewSecret("client-secret"), SigningSecret: config.NewSecret("signing-secret"),
		Install: Install{Address: "https://ask.example.com", Anyone: true, Features: []string{"groups"}},
	}
	if _, err := s.Connector(outside); err == nil || !strings.Contains(err.Error(), "needs encryption") {
		t.Errorf("in clear: %v", err)
	}
	outside.Sealed = true
	c, err := s.Connector(outside)
	if err != nil {
		t.Fatal(err)
	}
	if pages := c.(provider.Installer).Pages(); len(pages) != 2 {
		t.Errorf("pages %v", pages)
	}
	s.BotToken, s.Install = config.NewSecret("xoxb-1"), Install{Address: "ask.example.com", Features: []string{"magic"}}
	_, err = s.Connector(outside)
	for _, want := range []string{"bot_token excludes client_id", "install.address", "install must say who may install", `install.features has "magic"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func TestManifestForSeveralWorkspaces(t *testing.T) {
	t.Parallel()
	text, err := Manifest(ManifestOptions{Install: "https://ask.example.com"})
	for _, want := range []string{
		"  redirect_urls:\n    - https://ask.example.com/slack/oauth/callback\n", "      - app_uninstalled\n", "      - tokens_revoked\n", "      - team_access_granted\n", "      - team_access_revoked\n",
		"org_deploy_enabled: true", "token_rotation_enabled: true", "socket_mode_enabled: true", "messages_tab_read_only_enabled: true",
	} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s\n%v", want, text, err)
		}
	}
	if _, err := Manifest(ManifestOptions{Install: "http://ask.example.com"}); err == nil {
		t.Error("an address without TLS was accepted")
	}
}

func TestInviteCommand(t *testing.T) {
	t.Parallel()
	section := func(invitations bool) *Section {
		return &Section{ClientID: "1.2", ClientSecret: config.NewSecret("canary"), Install: Install{Address: "https://ask.example.com", Invitations: invitations}}
	}
	for name, tc := range map[string]struct {
		section provider.Section
		valid   string
		want    string // in the link, or in the error
		fails   bool
	}{
		"in days":          {section(true), "2d", "https://ask.example.com/slack/install?invitation=", false},
		"a link":           {section(true), "24h", "https://ask.example.com/slack/install?invitation=", false},
		"no invitations":   {section(false), "24h", "no slack.install.invitations: true", true},
		"no section":       {nil, "24h", "no slack.install.invitations: true", true},
		"too long":         {section(true), "721h", "no time from 1m to 30d", true},
		"over at once":     {section(true), "-1h", "no time from 1m to 30d", true},
		"no client secret": {&Section{ClientID: "1.2", Install: Install{Address: "https://ask.example.com", Invitations: true}}, "24h", "client_secret is missing", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			text := invite.Flags(flags)
			if err := flags.Parse([]string{"-valid", tc.valid}); err != nil {
				t.Fatal(err)
			}
			got, err := text(func() (provider.Section, error) { return tc.section, nil })
			if (err != nil) != tc.fails || !strings.Contains(got+fmt.Sprint(err), tc.want) || strings.Contains(got+fmt.Sprint(err), "canary") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
