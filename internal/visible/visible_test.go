package visible_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/internal/visible"
)

func TestNothingHidesInWhatIsShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm -rf build":                          "",
		"go test ./... &&\n\tgo vet ./...\n\n":  "",
		"echo „Grüße“ 日本語 ⚠\ufe0f":              "",
		"rm\ufe0f -r":                           `"rm\ufe0f -r"`,
		"ls \u202egpj.exe":                      `"ls \u202egpj.exe"`,
		"ls\u200b -l":                           `"ls\u200b -l"`,
		"ls\u00a0-l":                            `"ls\u00a0-l"`,
		"ls \U000e0041":                         `"ls \udb40\udc41"`,
		"ls\r rm":                               `"ls\u000d rm"`,
		"ls\x1b[2K \"x\" \\":                    `"ls\u001b[2K \"x\" \\"`,
		"ls\u3164":                              `"ls\u3164"`,
		"ls\u2800":                              `"ls\u2800"`,
		"ls\n\n\n\n; rm":                        `"ls\n\n\n\n; rm"`,
		"ls\n  \n\t\n \n; rm":                   `"ls\n  \n\t\n \n; rm"`,
		"ls" + strings.Repeat(" ", 41) + "; rm": `"ls` + strings.Repeat(" ", 40) + `\u0020; rm"`,
		"echo a \\\n; rm":                       "",
		"echo a \\ b":                           "",
		"echo a \\ \n; rm":                      `"echo a \\ \n; rm"`,
		"rm a\\\t":                              `"rm a\\\t"`,
		"rm e" + strings.Repeat("\u0301", 9):    `"rm e` + strings.Repeat("\u0301", 8) + `\u0301"`,
		"ls" + strings.Repeat("\t", 6) + "; rm": `"ls\t\t\t\t\t\t; rm"`,
	} {
		if visible.Plain(text) != (want == "") {
			t.Errorf("%q: plain is %t", text, want != "")
		}
		if got := visible.Quote(text); want != "" && got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := visible.Reveal("1. ⚠\ufe0f Move\u202e\n\n\n\n\t2. \U000e0041"); got != "1. ⚠\ufe0f Move\\u202e\n\n\n\n\t2. \\udb40\\udc41" {
		t.Errorf("revealed as %q", got)
	}
}

// A person's answer paints over the screen, renames the window or copies to the
// clipboard.
func TestTerminalTextIsPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"yes\n":                      "yes\n",
		"\x1b]0;owned\x07yes":        "\\u001b]0;owned\\u0007yes",
		"no\r\x1b[2Kyes":             "no\\u000d\\u001b[2Kyes",
		"\u009b31mred":               "\\u009b31mred",
		"a\u202eb\u2066c \U000e0041": "a\\u202eb\\u2066c \\udb40\\udc41",
		"half \xf0\x9f":              "half ",
		"\xff":                       "\\ufffd",
		"Grüße 😀 ⚠\ufe0f":            "Grüße 😀 ⚠\ufe0f",
	} {
		for size := 1; size < 5; size++ {
			var out bytes.Buffer
			w := visible.Writer{W: &out}
			for n := 0; n < len(text); n += size {
				part := text[n:min(n+size, len(text))]
				if wrote, err := w.Write([]byte(part)); err != nil || wrote != len(part) {
					t.Fatal(wrote, err)
				}
			}
			if size == 4 && out.String() != want && !strings.Contains(text, "\ufe0f") || strings.ContainsAny(out.String(), "\x1b\r\u009b\u202e\x07") {
				t.Errorf("%q in parts of %d is printed as %q, want %q", text, size, out.String(), want)
			}
		}
	}
}

// An agent names two files in Hebrew: between them the card showed "rm -rf ב */ א" for a command that deletes
// everything, and "cat ב < א" for one that writes over a file.
func TestNoOperatorIsSeenInAnotherPlaceThanItRunsIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rm -rf א /* ב":                `"rm -rf \u05d0 /* \u05d1"`,
		"cat א > ב":                    `"cat \u05d0 > \u05d1"`,
		"cat א 1 > ب":                  `"cat \u05d0 1 > \u0628"`,
		"א || rm x && ls":              `"\u05d0 || rm x && ls"`,
		"ls && א |":                    "",
		"א |":                          `"\u05d0 |"`,
		"ls x\ncat א > ב":              `"ls x\ncat \u05d0 > \u05d1"`,
		"mv א/ב ג":                     "",
		"mv א /ב":                      `"mv \u05d0 /\u05d1"`,
		"cat א > /tmp/x":               "",
		"echo 'שלום עולם, 12' > x":     "",
		"git commit -m 'תיקון (באג)!'": "",
		"תיקון של API.":                "",
	} {
		if visible.Plain(text) != (want == "") {
			t.Errorf("%q: plain is %t", text, want != "")
		}
		if got := visible.Quote(text); want != "" && got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := visible.Quote("א\n> ב"); got != `"\u05d0\n> \u05d1"` {
		t.Errorf("lines that come to stand on one are shown as %s", got)
	}
}

func FuzzReveal(f *testing.F) {
	f.Add("a\x1b[2K\u202e\U000e0041⚠\ufe0f")
	f.Fuzz(func(t *testing.T, text string) {
		got := visible.Reveal(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r\x00\x7f\u009b\u202e\u200b\u00ad\U000e0041") {
			t.Errorf("%q is revealed as %q", text, got)
		}
		if visible.Reveal(got) != got {
			t.Errorf("%q is revealed in two ways", text)
		}
	})
}
