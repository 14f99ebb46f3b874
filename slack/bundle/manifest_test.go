package bundle_test

import (
	"errors"
	"flag"
	"net/url"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/golden"
)

func TestManifests(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]bundle.ManifestOptions{
		"socket": {},
		"http":   {Name: `Ask "us"`, URL: "https://ask.example.com/bridge/", All: true},
		"files":  {With: []string{"files", "groups"}},
		"agent":  {With: []string{"agent"}},
	} {
		text, err := bundle.Manifest(o)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/manifest-"+name+".yaml", text)
		var m struct {
			Display struct{ Name string } `yaml:"display_information"`
			OAuth   struct {
				Scopes struct{ Bot []string }
			} `yaml:"oauth_config"`
			Settings struct {
				Socket        bool `yaml:"socket_mode_enabled"`
				Interactivity struct {
					On  bool   `yaml:"is_enabled"`
					URL string `yaml:"request_url"`
				}
			}
		}
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		if !m.Settings.Interactivity.On || m.Settings.Socket != (o.URL == "") {
			t.Errorf("%s: %+v", name, m)
		}
		if o.URL != "" && (m.Settings.Interactivity.URL != "https://ask.example.com/bridge/slack/interactions" || m.Display.Name != o.Name) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestManifestRequestsScopesOfFeatures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o        bundle.ManifestOptions
		has, not []string
	}{
		{bundle.ManifestOptions{}, []string{"chat:write", "im:write", "users:read", "channels:read"}, []string{"history", "groups:read", "files", "metadata", "app_mention", "event"}},
		{bundle.ManifestOptions{With: []string{"find-cards"}}, []string{"channels:history", "metadata.message:read"}, []string{"app_mention", "event"}},
		{bundle.ManifestOptions{With: []string{"typed-answers"}}, []string{"channels:history", "app_mentions:read", "message.channels", "read_only_enabled: false"}, []string{"metadata", "files"}},
		{bundle.ManifestOptions{With: []string{"inbox"}}, []string{"app_home_opened", "commands", "command: /askbridge", "home_tab_enabled: true", "read_only_enabled: true"}, []string{"history", "message.im"}},
		{bundle.ManifestOptions{All: true}, []string{"files:write", "usergroups:read", "groups:read", "metadata.message:read"}, []string{"assistant:write", "agent_view"}},
	} {
		text, err := bundle.Manifest(tt.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range tt.has {
			if !strings.Contains(text, part) {
				t.Errorf("%+v lacks %s", tt.o, part)
			}
		}
		for _, part := range tt.not {
			if strings.Contains(text, part) {
				t.Errorf("%+v has %s:\n%s", tt.o, part, text)
			}
		}
	}
}

func TestManifestLink(t *testing.T) {
	t.Parallel()
	flags := flag.NewFlagSet("manifest", flag.ContinueOnError)
	text := bundle.Bundle().Commands[0].Flags(flags)
	if err := flags.Parse([]string{"--link", "--files", "--name", "Ask #1"}); err != nil {
		t.Fatal(err)
	}
	link, err := text(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		t.Fatal(err)
	}
	var filled, pasted any
	manifest, err := bundle.Manifest(bundle.ManifestOptions{Name: "Ask #1", With: []string{"files"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(yaml.Unmarshal([]byte(u.Query().Get("manifest_yaml")), &filled), yaml.Unmarshal([]byte(manifest), &pasted)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pasted, filled); diff != "" || u.Host != "api.slack.com" || u.Query().Get("new_app") != "1" {
		t.Errorf("%s (-pasted +in the link):\n%s", link, diff)
	}
}

func TestManifestRejectsInvalidOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []bundle.ManifestOptions{
		{URL: "http://ask.example.com"},
		{URL: "ask.example.com"},
		{URL: "https://me:secret@ask.example.com"},
		{URL: "https://ask.example.com?x=1"},
		{URL: "https://"},
		{Name: strings.Repeat("x", 36)},
		{Name: "two\nlines"},
	} {
		if text, err := bundle.Manifest(o); err == nil {
			t.Errorf("%+v makes\n%s", o, text)
		}
	}
}
