package config

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// directory is a platform section with names.
type directory struct {
	Token string `yaml:"token"`

	err   error
	asked []Name
}

func (*directory) SampleID(kind NameKind, n int) string {
	return map[NameKind]string{ChannelName: "C", PersonName: "U", GroupName: "S"}[kind] + "SAMPLE" + strconv.Itoa(n)
}

func (d *directory) FindNames(_ context.Context, names []Name) (map[Name]Found, error) {
	d.asked = append(d.asked, names...)
	known := map[Name]Found{
		{ChannelName, "deploys"}:         {IDs: []string{"C1"}},
		{PersonName, "dana"}:             {IDs: []string{"U1"}},
		{PersonName, "dana@example.com"}: {IDs: []string{"U1"}},
		{PersonName, "sam"}:              {IDs: []string{"U2", "U3"}},
		{GroupName, "ops"}:               {IDs: []string{"S1"}},
		{PersonName, "kim"}:              {Err: errors.New("the bot lacks the scope users:read")},
	}
	found := map[Name]Found{}
	for _, n := range names {
		f := known[n]
		f.Near = []string{"deploys", "general", "dana"}
		found[n] = f
	}
	return found, d.err
}

const namedFile = `
slack: {token: t}
responders: ["slack:@dana"]
people: {dana: ["slack:dana@example.com"], sam: ["slack:U0000009"]}
rotas:
  ops: {members: ["slack:@dana"], from: "2026-01-05 09:00", zone: UTC, every: 7d}
routes:
  deploys:
    to: [{platform: slack, channel: "#deploys"}, {platform: slack, user: "@dana"}, {platform: discord, channel: "#deploys"}]
    responders: ["slack-group:@ops", anyone, "discord:@dana"]
    schedule: {steps: [{after: 5m, do: escalate, to: [{platform: slack, channel: "#deploys"}], responders: ["slack:@dana"]}]}
agents:
  - {name: bot, token: canary-canary-canary-canary, targets: ["slack:#deploys", "slack:U0000009", "slack:#U0000009X", "discord:@100000000000000001"], requester: ["slack:dana@example.com"]}
`

func named(d *directory) []Section { return []Section{{"slack", func() any { return d }}} }

func TestNamesBecomeIDs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lookup                       bool
		channel, person, mail, group string
	}{
		"looked up": {true, "C1", "U1", "U1", "S1"},
		"offline":   {false, "CSAMPLE2", "USAMPLE0", "USAMPLE1", "SSAMPLE3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &directory{}
			world := anywhere()
			world.lookup = tt.lookup
			c, err := parse("askbridge.yaml", []byte(namedFile), named(d), world)
			if err != nil {
				t.Fatal(err)
			}
			route := c.Routes["deploys"]
			var got []string
			for _, place := range slices.Concat(route.To, route.Schedule.Steps[0].To) {
				got = append(got, place.Platform+" "+place.Channel+place.User)
			}
			got = slices.Concat(got, c.Responders, c.People["dana"], c.People["sam"], c.Rotas["ops"].Members, route.Responders, route.Schedule.Steps[0].Responders,
				c.Agents[0].Targets, c.Agents[0].Requester)
			want := []string{
				"slack " + tt.channel, "slack " + tt.person, "discord #deploys", "slack " + tt.channel,
				"slack:" + tt.person, "slack:" + tt.mail, "slack:U0000009", "slack:" + tt.person,
				"slack-group:" + tt.group, "anyone", "discord:@dana", "slack:" + tt.person,
				"slack:" + tt.channel, "slack:U0000009", "slack:#U0000009X", "discord:@100000000000000001", "slack:" + tt.mail,
			}
			if !cmp.Equal(got, want) {
				t.Errorf("settings\n%s", cmp.Diff(want, got))
			}
			var paths []string
			for _, n := range c.Names {
				paths = append(paths, n.Path+" "+n.String())
				if n.Path == "routes.deploys.to[0]" && n.ID != tt.channel {
					t.Errorf("%s has the ID %q", n.Path, n.ID)
				}
			}
			if len(paths) != 10 || paths[0] != "responders[0] @dana" || !slices.Contains(paths, "agents[0].requester[0] dana@example.com") {
				t.Errorf("names %q", paths)
			}
			if n := len(d.asked); tt.lookup && n != 4 || !tt.lookup && n != 0 {
				t.Errorf("the platform was asked for %d names: %v", n, d.asked)
			}
		})
	}
}

func TestNamesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`responders: ["slack:@sam"]`:                                        "askbridge.yaml:2:14: responders[0]: @sam is the name of several: U2, U3; use the ID of one",
		`responders: ["slack:@kim"]`:                                        "askbridge.yaml:2:14: responders[0]: @kim cannot be looked up: the bot lacks the scope users:read",
		`routes: {deploys: {to: [{platform: slack, channel: "#deplois"}]}}`: "askbridge.yaml:2:26: routes.deploys.to[0]: there is no channel #deplois that the bot can see; did you mean #deploys?",
	} {
		world := anywhere()
		world.lookup = true
		_, err := parse("askbridge.yaml", []byte("slack: {token: t}\n"+text), named(&directory{}), world)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

func TestNamesOfPlatformThatIsAway(t *testing.T) {
	t.Parallel()
	world := anywhere()
	world.lookup = true
	_, err := parse("askbridge.yaml", []byte(namedFile), named(&directory{err: errors.New("no reply in time")}), world)
	if err == nil || !strings.Contains(err.Error(), "slack: cannot look up names: no reply in time") || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("error %v", err)
	}
}
