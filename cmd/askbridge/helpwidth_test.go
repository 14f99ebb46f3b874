package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHelpWraps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a paragraph is wrapped again": {
			"one two three four five six\nseven\n\nend\n",
			"one two three four\nfive six seven\n\nend\n",
		},
		"a paragraph that fits keeps its lines":    {"one\ntwo\n", "one\ntwo\n"},
		"a paragraph ends where a list begins":     {"one two three four five six\n  a  b\n", "one two three four\nfive six\n  a  b\n"},
		"a description continues in its column":    {"  -a, --b   one two three four five six\n", "  -a, --b   one two three four\n            five six\n"},
		"a description without enough room stays":  {"      --a-name-as-long-as-that   one two three\n", "      --a-name-as-long-as-that   one two three\n"},
		"a command stays on one line to be copied": {"  askbridge ask --to slack:C0000001 \"Deploy now?\" Yes No\n", "  askbridge ask --to slack:C0000001 \"Deploy now?\" Yes No\n"},
		"an address longer than a line is whole":   {"at https://a.example.com/long/path now\n", "at\nhttps://a.example.com/long/path\nnow\n"},
		"letters are counted, and not their bytes": {"ääää öööö üüüü ßßßß x\n", "ääää öööö üüüü ßßßß\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			width := 20
			if c.text[0] == ' ' {
				width = 32
			}
			if diff := cmp.Diff(c.want, folded(c.text, width)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
