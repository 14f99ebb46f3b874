package components

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/render"
)

func TestAgentTextDoesNotFormat(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"bold":                      {"**all** of it", `\*\*all\*\* of it`},
		"underlined":                {"__init__.py", `\_\_init\_\_.py`},
		"struck out":                {"~~all~~", `\~\~all\~\~`},
		"code":                      {"run `x`", "run \\`x\\`"},
		"a fence":                   {"```\nx\n```", "\\`\\`\\`\nx\n\\`\\`\\`"},
		"a spoiler":                 {"||x||", `\|\|x\|\|`},
		"a quotation":               {"> a", `\> a`},
		"a heading":                 {"# a # b", `\# a # b`},
		"a heading on a later line": {"a\n## b", "a\n\\## b"},
		"a heading behind spaces":   {"  # a", `  \# a`},
		"small text":                {"-# a", `\-# a`},
		"a list":                    {"- a\n+ b", "\\- a\n\\+ b"},
		"a numbered list":           {"10. a\n2) b", "10\\. a\n2\\) b"},
		"a number":                  {"at 1.5 or 10:30", "at 1.5 or 10:30"},
		"a hyphen in a word":        {"roll-back", "roll-back"},
		"a person":                  {"<@1>", `\<\@1\>`},
		"everyone":                  {"@everyone", `\@everyone`},
		"a time":                    {"<t:1:R>", `\<t\:1:R\>`},
		"a masked link":             {"[a](https://x.example)", `\[a\](https\://x.example)`},
		"an address":                {"see HTTPS://x.example", `see HTTPS\://x.example`},
		"an emoji code":             {"well :tada: done", `well \:tada: done`},
		"emoji codes in a row":      {":+1::100:", `\:+1\:\:100:`},
		"a colon alone":             {"a: b :c d", "a: b :c d"},
		"a backslash":               {`a\*b`, `a\\\*b`},
		"nothing special":           {"Which one?", "Which one?"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := literal(tt.in, true); got != tt.want {
				t.Errorf("literal(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	if got := literal("# a\n# b", false); got != "# a\n\\# b" {
		t.Errorf("inside a line: %q", got)
	}
}

func TestSampleCannotEndItsFence(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a `b`": "a `b`", "``": "ˋˋ", "x`````y": "xˋˋˋˋˋy", "*a* > b": "*a* > b"} {
		if got := fenced(in); got != want {
			t.Errorf("fenced(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"# a\n- b", "1. a\n2) b", ":a::b:", "https://x", "<@1> @here", "**a** __b__ ||c||", "`a` ```b```", `\*`, "::::", "-# a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = render.Clean(text)
		got := literal(text, true)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		if render.Units(got) > width(text) {
			t.Errorf("%d units where width says %d at most: %q", render.Units(got), width(text), got)
		}
		if back := unescaped(got); back != text {
			t.Errorf("literal(%q) = %q, which shows as %q", text, got, back)
		}
	})
}

// unescaped is what Discord shows of escaped text.
func unescaped(s string) string {
	var b strings.Builder
	for rest := s; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		if r == '\\' && rest != "" {
			r, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
		}
		b.WriteRune(r)
	}
	return b.String()
}
