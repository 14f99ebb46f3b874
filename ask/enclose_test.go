package ask_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
)

func TestLongTextBecomesFile(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("a line of ä text\n", 200)
	for name, tt := range map[string]struct{ text, shown string }{
		"a text of the maximum length is shown in full": {strings.Repeat("ä", ask.MaxShown), strings.Repeat("ä", ask.MaxShown)},
		"a longer one begins there":                     {strings.Repeat("ä", ask.MaxShown+1), strings.Repeat("ä", 1000) + "…"},
		"its beginning ends with a line":                {lines, strings.Repeat("a line of ä text\n", 58) + "…"},
		"a line that ends early is none":                {"a\n" + strings.Repeat("b", 3000), "a\n" + strings.Repeat("b", 998) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask.Request{Files: []ask.File{{Name: "context.txt", Text: "mine"}}}
			if shown := r.Enclose("context.txt", tt.text); shown != tt.shown {
				t.Fatalf("the card shows %q", shown)
			}
			if tt.text == tt.shown {
				if len(r.Files) != 1 {
					t.Errorf("files: %+v", r.Files)
				}
				return
			}
			rest := utf8.RuneCountInString(tt.text) - utf8.RuneCountInString(tt.shown) + len("…"[:1])
			if f := r.Files[1]; len(r.Files) != 2 || f.Name != "context-2.txt" || f.Text != tt.text || f.Attachment().Unshown != rest {
				t.Errorf("file %s: %d bytes, %d characters unshown; want %d", f.Name, len(f.Text), f.Unshown, rest)
			}
		})
	}
}
