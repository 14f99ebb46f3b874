package lookalike_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/internal/lookalike"
)

func TestTextsThatLookAlikeAreOne(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool {
		return slices.ContainsFunc(lookalike.Shapes(a), func(shape string) bool { return slices.Contains(lookalike.Shapes(b), shape) })
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

func TestLookOfLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Deploy", "Depl\u043ey", true},
		{"Deploy", "\uff24eploy", true},
		{"Option 1", "Option l", true},
		{"10", "1O", true},
		{"example.com", "example.corn", true},
		{"Roll back", "Roll\u00a0 back", true},
		{"Deploy", "deploy", false},
		{"userID", "userId", false},
		{"Size L", "Size 1", false},
		{"10\u00b2", "102", false},
		{"D\u00f6ner", "Doner", false},
		{"Ja", "\u0414\u0430", false},
		{"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", false},
	} {
		if got := lookalike.Look(c.a) == lookalike.Look(c.b); got != c.same {
			t.Errorf("%q and %q: same look %t, want %t", c.a, c.b, got, c.same)
		}
	}
}

func FuzzShapes(f *testing.F) {
	for _, seed := range []string{"deploy-bot", "ｄ", "\u0130", "ß", "\xff", "\u0345", "ΐ", "Ǆ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shapes := lookalike.Shapes(name)
		if again := lookalike.Shapes(name + "\u200b"); !slices.Equal(again, shapes) {
			t.Errorf("%q looks like %q, and with nothing behind it like %q", name, shapes, again)
		}
		for _, shape := range shapes {
			if !utf8.ValidString(shape) || shape == "" {
				t.Errorf("%q looks like %q", name, shape)
			}
		}
	})
}
