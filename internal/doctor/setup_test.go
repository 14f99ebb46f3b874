package doctor_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/askbridge/askbridge/internal/doctor"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/test/golden"
)

func TestManifests(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]doctor.ManifestOptions{
		"socket": {},
		"http":   {Name: `Ask "us"`, URL: "https://ask.example.com/bridge/"},
	} {
		text, err := doctor.Manifest(o)
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
		if len(m.OAuth.Scopes.Bot) != len(slack.Scopes()) || !m.Settings.Interactivity.On || m.Settings.Socket != (o.URL == "") {
			t.Errorf("%s: %+v", name, m)
		}
		if o.URL != "" && (m.Settings.Interactivity.URL != "https://ask.example.com/bridge/slack/interactions" || m.Display.Name != o.Name) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestAManifestIsNotMadeOfNonsense(t *testing.T) {
	t.Parallel()
	for _, o := range []doctor.ManifestOptions{
		{URL: "http://ask.example.com"},
		{URL: "ask.example.com"},
		{URL: "https://me:secret@ask.example.com"},
		{URL: "https://ask.example.com?x=1"},
		{URL: "https://"},
		{Name: strings.Repeat("x", 36)},
		{Name: "two\nlines"},
	} {
		if text, err := doctor.Manifest(o); err == nil {
			t.Errorf("%+v makes\n%s", o, text)
		}
	}
}

func TestTheInviteLinkAsksForWhatIsUsed(t *testing.T) {
	t.Parallel()
	link, err := doctor.Invite("123456789012345678")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := strconv.ParseUint(u.Query().Get("permissions"), 10, 64)
	if err != nil || bits != 1<<10|1<<11|1<<16|1<<38 || u.Query().Get("scope") != "bot" || u.Query().Get("client_id") != "123456789012345678" {
		t.Errorf("%s: %b, %v", link, bits, err)
	}
	for _, bad := range []string{"", "askbridge", "1234", "123456789012345678&permissions=8"} {
		if link, err := doctor.Invite(bad); err == nil {
			t.Errorf("%q makes %s", bad, link)
		}
	}
}
