package render_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/render"
)

// draw returns spans as text, with braces around those that have a style.
func draw(spans []render.Span) string {
	var b strings.Builder
	for _, s := range spans {
		switch s.Style {
		case render.Plain:
			b.WriteString(s.Text)
		case render.Code:
			fmt.Fprintf(&b, "{code%s %s}", s.Language, s.Text)
		default:
			fmt.Fprintf(&b, "{%s %s}", s.Style, s.Text)
		}
	}
	return b.String()
}

func TestAddressesCodeAndListsAreFoundInAnAgentsText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"nothing special":                     {"Which one?", "Which one?"},
		"an address":                          {"see https://x.example/a?b=c#d now", "see {link https://x.example/a?b=c#d} now"},
		"an address in capitals":              {"HTTP://X.example", "{link HTTP://X.example}"},
		"an address with a port":              {"http://localhost:8080/x", "{link http://localhost:8080/x}"},
		"an address with numbers":             {"http://[::1]:80/ http://127.0.0.1", "{link http://[::1]:80/} {link http://127.0.0.1}"},
		"the end of a sentence":               {"(see https://x.example/a.)", "(see {link https://x.example/a}.)"},
		"parentheses of the address":          {"https://x.example/a_(b)", "{link https://x.example/a_(b)}"},
		"Markdown around an address":          {"**https://x.example/a** and [x](https://y.example)", "**{link https://x.example/a}** and [x]({link https://y.example})"},
		"a text in front of an address":       {"[https://good.example](https://evil.example)", "[{link https://good.example}]({link https://evil.example})"},
		"an address in Slack's brackets":      {"<https://evil.example|ok>", "<{link https://evil.example}|ok>"},
		"another scheme":                      {"ftp://x.example slack://open javascript:alert(1)", "ftp://x.example slack://open javascript:alert(1)"},
		"a user in front of the host":         {"https://good.example@evil.example/", "https://good.example@evil.example/"},
		"a host in other letters":             {"https://раураl.example/", "https://раураl.example/"},
		"an address that goes on":             {"https://x.example/ä https://x.example/{id}", "https://x.example/ä https://x.example/{id}"},
		"an address that was cut":             {"https://x.example/a…", "https://x.example/a…"},
		"an address in a sentence elsewhere":  {"请看https://x.example，谢谢 「https://y.example」", "请看https://x.example，谢谢 「{link https://y.example}」"},
		"an address within a word":            {"xhttps://x.example", "xhttps://x.example"},
		"no host":                             {"https:// http:///x https://-?", "https:// http:///x {link https://-}?"},
		"a long address":                      {"https://x.example/" + strings.Repeat("a", 2000), "https://x.example/" + strings.Repeat("a", 2000)},
		"code":                                {"run `rm -rf *` now", "run {mono rm -rf *} now"},
		"an address in code":                  {"`curl https://x.example`", "{mono curl https://x.example}"},
		"an open backtick":                    {"it`s", "it`s"},
		"code that is empty":                  {"`` and ` `", "`` and ` `"},
		"code in two backticks":               {"``a`b``", "``a`b``"},
		"code over two lines":                 {"`a\nb`", "`a\nb`"},
		"code with spaces at its ends":        {"` a` `b`", "` a` {mono b}"},
		"a fence":                             {"Plan:\n```\na\n\n  b\n```\nOK?", "Plan:\n{code a\n\n  b}\nOK?"},
		"a fence with a language":             {"```diff\n-a\n+b\n```", "{codediff -a\n+b}"},
		"two fences":                          {"```\na\n```\n```\nb\n```", "{code a}\n{code b}"},
		"a fence with words behind it":        {"```rm -rf /\nls\n```", "```rm -rf /\nls\n```"},
		"a fence that stays open":             {"```\na `b`", "```\na {mono b}"},
		"a fence of four":                     {"````\n```\na\n```\n````", "````\n```\na\n```\n````"},
		"a fence with backticks inside":       {"```\n- ``a``\n- b\n```", "```\n- ``a``\n- b\n```"},
		"an empty fence":                      {"```\n```", "```\n```"},
		"a fence that begins with no line":    {"```\n\na\n```", "```\n\na\n```"},
		"a list":                              {"Plan:\n- a `b`\n- c\nOK?", "Plan:\n{bullet - }a {mono b}\n{bullet - }c\nOK?"},
		"a list with stars":                   {"* a\n* b", "{bullet * }a\n{bullet * }b"},
		"a list of one":                       {"- a", "- a"},
		"a list of two kinds":                 {"- a\n* b", "- a\n* b"},
		"a diff":                              {"@@ -1 +1 @@\n- a\n- b\n+ c", "@@ -1 +1 @@\n- a\n- b\n+ c"},
		"lines that a diff takes away":        {"- a\n- b\n+ c", "- a\n- b\n+ c"},
		"lines of a diff around what is none": {" x\n- a\n- b\n y", " x\n- a\n- b\n y"},
		"a list in a list":                    {"- a\n  - b\n  - c\n- d", "- a\n  - b\n  - c\n- d"},
		"numbers":                             {"1. a\n2. b", "1. a\n2. b"},
		"emphasis and headings":               {"# a\n**b** _c_ > d", "# a\n**b** _c_ > d"},
		"nothing":                             {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := draw(render.Prose(tt.in)); got != tt.want {
				t.Errorf("%q is read as %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// written puts the marks back that were taken off.
func written(spans []render.Span) string {
	var b strings.Builder
	for _, s := range spans {
		switch s.Style {
		case render.Mono:
			b.WriteString("`" + s.Text + "`")
		case render.Code:
			b.WriteString("```" + s.Language + "\n" + s.Text + "\n```")
		default:
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// nothingIsLost checks that an agent's text is what is shown of it, with the marks put
// back, and that nothing is live that should not be.
func nothingIsLost(t reporter, text string) {
	t.Helper()
	spans := render.Prose(text)
	if got := written(spans); got != text {
		t.Errorf("%q is shown as %q", text, got)
	}
	marked := false
	for n, s := range spans {
		marked = marked || s.Style != render.Plain
		if n > 0 && s.Style == render.Plain && spans[n-1].Style == render.Plain {
			t.Errorf("%q is parted for nothing: %q", text, spans)
		}
		if lower := strings.ToLower(s.Text); s.Style == render.Link &&
			(!strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") || strings.ContainsAny(s.Text, " \n<>|\"`\\…") || strings.Contains(strings.Split(s.Text, "/")[2], "@")) {
			t.Errorf("%q is live in %q", s.Text, text)
		}
	}
	if !marked && len(spans) != 1 {
		t.Errorf("%q without marks becomes %q", text, spans)
	}
}

func TestWhatIsShownIsWhatTheAgentWrote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { nothingIsLost(t, render.Clean(words(300).Draw(t, "text"))) })
}

func FuzzProse(f *testing.F) {
	for _, s := range append(nasty, "- a\n- `b`\n\n```go\nx\n```\nhttps://x.example/(a).", "* https://a\n* b", "````\n```\n") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { nothingIsLost(t, text) })
}
