package access

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesThatLookAlikeAreOneName(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool {
		return slices.ContainsFunc(looks(a), func(shape string) bool { return slices.Contains(looks(b), shape) })
	}
	for _, other := range []string{
		"Deploy-Bot", "DEPLOY-BOT", "ｄｅｐｌｏｙ－ｂｏｔ", "dерlоу-bоt", "d\u200beploy-bot", "deploy\u2010bot", "𝐝𝐞𝐩𝐥𝐨𝐲-𝐛𝐨𝐭", "depIoy-bot", "dep1oy-b0t",
		" deploy-bot", "deploy-bot\ufe0f", "deploy-bot\U000e0041", "ⅾeploy-bot", "deploy\u202e-bot",
	} {
		if !same(other, "deploy-bot") {
			t.Errorf("%+q is another than deploy-bot", other)
		}
	}
	for _, other := range []string{"deploy_bot", "deploy bot", "deploybot", "deploy-bot-2", "employ-bot", "döploy-bot", "出荷"} {
		if same(other, "deploy-bot") {
			t.Errorf("%+q is the same as deploy-bot", other)
		}
	}
	if !same("STRASSE", "straße") || !same("Ⓐ", "a") {
		t.Error("letter case and compatibility forms tell names apart")
	}
}

func TestAgentsWithNamesThatLookAlikeAreRefused(t *testing.T) {
	t.Parallel()
	var agents []Agent
	for n, name := range []string{"deploy", "Deploy", "dерlоу", "ops", "\u200b", "ops"} {
		agents = append(agents, Agent{Name: name, Token: strings.Repeat("x", n+1)})
	}
	var said []string
	for _, p := range CheckAgents(agents) {
		said = append(said, p.Error())
	}
	want := []string{
		"agents[1].name: looks like agents[0].name to people, who could take the one for the other",
		"agents[2].name: looks like agents[0].name to people, who could take the one for the other",
		"agents[4].name: cannot be seen",
		"agents[5].name: is the same as agents[3].name",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

func FuzzLooks(f *testing.F) {
	for _, seed := range []string{"deploy-bot", "ｄ", "\u0130", "ß", "\xff", "\u0345", "ΐ", "Ǆ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shapes := looks(name)
		if again := looks(name + "\u200b"); !slices.Equal(again, shapes) {
			t.Errorf("%q looks like %q, and with nothing behind it like %q", name, shapes, again)
		}
		for _, shape := range shapes {
			if !utf8.ValidString(shape) || shape == "" {
				t.Errorf("%q looks like %q", name, shape)
			}
		}
	})
}
