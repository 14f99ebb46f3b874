package render_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

func TestCleanKeepsWhatReadersNeedAndDropsTheRest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain text stays":                        {"Which one?", "Which one?"},
		"lines stay":                              {"a\nb", "a\nb"},
		"every line break becomes one kind":       {"a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh", "a\nb\nc\nd\ne\nf\ng\nh"},
		"one blank line stays":                    {"a\n\nb", "a\n\nb"},
		"more blank lines become one":             {"a\n\n \n\t\n\nb", "a\n\nb"},
		"lines of Braille's blank become one":     {"a\n\u2800\n \u2800 \n\u2800\u2800\nb", "a\n\nb"},
		"Braille's blank at the ends goes":        {"\u2800\na \u2800", "a"},
		"Braille keeps its blanks":                {"\u2807\u2800\u2807", "\u2807\u2800\u2807"},
		"space at the ends goes":                  {"  \n a \n ", "a"},
		"tabs become spaces":                      {"a\tb", "a    b"},
		"control characters go":                   {"a\x00b\x1b[1mc\x7fd", "ab[1mcd"},
		"zero-width characters go":                {"a\u200bb\ufeffc\u2060d", "abcd"},
		"direction overrides and isolates go":     {"a\u202eb\u2066c\u2069\u200f", "abc"},
		"soft hyphens go":                         {"co\u00adop", "coop"},
		"fillers go":                              {"a\u3164b\u115fc\u034fd", "abcd"},
		"broken UTF-8 shows":                      {"a\xffb", "a\uFFFDb"},
		"families stay together":                  {"👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		"hearts keep their colour":                {"❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		"joiners between Latin letters go":        {"a\u200db", "ab"},
		"joiners at the ends go":                  {"\u200d👩\u200d", "👩"},
		"Persian keeps its non-joiner":            {"می\u200cخواهم", "می\u200cخواهم"},
		"the flag of England stays":               {"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"},
		"tags without a flag go":                  {"a\U000e0067\U000e0062b", "ab"},
		"Arabic number signs stay":                {"\u0600١٢", "\u0600١٢"},
		"marks up to a readable height stay":      {"e\u0301\u0300", "e\u0301\u0300"},
		"a tower of marks ends":                   {"e" + strings.Repeat("\u0301", 50), "e" + strings.Repeat("\u0301", 8)},
		"a text of nothing visible becomes empty": {" \u200b\u2060\n\t\u202e ", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := render.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLineIsOneLine(t *testing.T) {
	t.Parallel()
	for _, in := range []string{" a\n\n b\t\u2028c  d ", "a b c" + strings.Repeat("\u2800", 60) + "d", "\u2800a\u2800b c d\u2800"} {
		if got := render.Line(in); got != "a b c d" {
			t.Errorf("Line(%q) = %q", in, got)
		}
	}
}

func TestCutEndsWhereAReaderWould(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in    string
		limit int
		want  string
	}{
		"text that fits stays":                  {"abc", 3, "abc"},
		"text that does not gets an ellipsis":   {"abcd", 3, "ab…"},
		"a word's end is preferred":             {"one two three four", 16, "one two three…"},
		"a far word's end is not":               {"one twothreefourfivesix", 16, "one twothreefou…"},
		"a family is not parted":                {"ab👩\u200d👩\u200d👧", 8, "ab…"},
		"a family counts as many":               {"ab👩\u200d👩\u200d👧", 10, "ab👩\u200d👩\u200d👧"},
		"a surrogate pair is not parted":        {"𝒜𝒜", 3, "𝒜…"},
		"a letter keeps its mark":               {"ae\u0301b", 3, "a…"},
		"a flag is not parted":                  {"🇩🇪🇫🇷", 7, "🇩🇪…"},
		"a syllable is not parted":              {"नमस्ते दुनिया", 4, "नम…"},
		"room for the ellipsis only":            {"abc", 1, "…"},
		"no room at all":                        {"abc", 0, ""},
		"space before the ellipsis goes":        {"ab   cdef", 5, "ab…"},
		"one endless character gives way whole": {strings.Repeat("👩\u200d", 20) + "👩", 10, "…"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := render.Cut(tt.in, tt.limit, nil); got != tt.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

func TestCutNeverPartsACharacterAndNeverExceedsItsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := render.Clean(words(200).Draw(t, "text"))
		limit := rapid.IntRange(0, 220).Draw(t, "limit")
		got := render.Cut(text, limit, nil)
		if render.Units(got) > limit {
			t.Errorf("%d units of %d", render.Units(got), limit)
		}
		kept, cut := strings.CutSuffix(got, render.Ellipsis)
		if got == text || !cut {
			return
		}
		if !strings.HasPrefix(text, kept) {
			t.Errorf("%q does not begin %q", kept, text)
		}
		if n := uniseg.GraphemeClusterCount(text); uniseg.GraphemeClusterCount(kept)+uniseg.GraphemeClusterCount(text[len(kept):]) != n {
			t.Errorf("parted a character of %q after %q", text, kept)
		}
	})
}

func TestRightToLeftTextIsIsolated(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"abc": "abc", "é漢": "é漢", "שלום": "\u2068שלום\u2069", "a مرحبا": "\u2068a مرحبا\u2069", "": ""} {
		if got := render.Isolate(in); got != want {
			t.Errorf("Isolate(%q) = %q, want %q", in, got, want)
		}
	}
}

// The button was cut within its label, and all that stood behind it read from the right.
func TestTruncatedLinkEndsRightToLeft(t *testing.T) {
	t.Parallel()
	s := render.Subject{
		ID: "r1", Questions: []ask.Question{{Text: "Which?", Options: []ask.Option{{Label: "A"}, {Label: "B"}}}},
		Links: []ask.Link{{Label: "שלום" + strings.Repeat("𝒜", ask.MaxLinkLabel-4), URL: "https://x.example/"}},
	}
	for _, section := range render.Layout(s, blockkit.Limits()).Sections {
		for _, b := range section.Buttons {
			if b.URL != "" && (render.Units(b.Label) > blockkit.MaxButton || !strings.HasSuffix(b.Label, "\u2069")) {
				t.Errorf("the button is %q, of %d characters", b.Label, render.Units(b.Label))
			}
		}
	}
}

func TestNoRightToLeftLetterIsOverlooked(t *testing.T) {
	t.Parallel()
	for _, script := range []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya} {
		for r := range unicode.MaxRune {
			if unicode.Is(script, r) && render.Isolate(string(r)) == string(r) {
				t.Errorf("%U stands beside other text as it is", r)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := render.Clean(text)
		if !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		if strings.ContainsAny(got, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff\r\t\x00") || strings.Contains(got, "\n\n\n") {
			t.Errorf("Clean(%q) = %q", text, got)
		}
		if again := render.Clean(got); again != got {
			t.Errorf("cleaned twice: %q, then %q", got, again)
		}
	})
}
