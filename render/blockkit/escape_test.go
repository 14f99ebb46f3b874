package blockkit

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

func TestNothingFormatsThatAnAgentWrote(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"bold":                               {"*all* of it", "∗all∗ of it"},
		"italic":                             {"_all_ of it", "ˍallˍ of it"},
		"struck out":                         {"~all~ of it", "∼all∼ of it"},
		"code":                               {"run `x`", "run ˋxˋ"},
		"a code block":                       {"```\nx\n```", "ˋˋˋ\nx\nˋˋˋ"},
		"full-width formatting":              {"＊a＊ ＿b＿ ｀c｀", "﹡a﹡ ˍbˍ ˋcˋ"},
		"a quotation":                        {"> a\nb > c", "› a\nb > c"},
		"a quotation behind spaces":          {"  > a", "  › a"},
		"a quotation of everything":          {">>> a", "›>> a"},
		"a full-width quotation":             {"＞ a", "› a"},
		"inside words stays":                 {"snake_case 2*3 a~b", "snake_case 2*3 a~b"},
		"between spaces stays":               {"a * b _ c ~ d", "a * b _ c ~ d"},
		"a home directory":                   {"rm ~/x", "rm ∼/x"},
		"a pattern":                          {"*.go", "∗.go"},
		"a name with two underscores":        {"__init__.py", "ˍˍinitˍˍ.py"},
		"formatting behind letters of marks": {"é*b", "é*b"},
		"nothing special":                    {"Which one?", "Which one?"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := literal(tt.in); got != tt.want {
				t.Errorf("literal(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestASampleCannotEndItsBlock(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a ``b``": "a ``b``", "```": "ˋˋˋ", "x`````y": "xˋˋˋˋˋy", "*a* > b": "*a* > b"} {
		if got := fenced(in); got != want {
			t.Errorf("fenced(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestANoteNamesPeopleAndGroups(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		who  []string
		want string
	}{
		"a person":              {"It is for:", []string{"slack:U0000001"}, "It is for: <@U0000001>"},
		"a user group":          {"It is for:", []string{"slack-group:S0000001"}, "It is for: Slack group S0000001"},
		"both platforms":        {"It is for:", []string{"slack:U0000001", "discord:1", "discord-role:2"}, "It is for: <@U0000001> or somebody on Discord"},
		"all but the requester": {"It is for:", []string{"slack:U0000001", "not_requester"}, "It is for: <@U0000001>, but not who asked for it"},
		"a person as a group":   {"It is for:", []string{"slack-group:U0000001"}, "It is for: Slack group U0000001"},
		"a group as a person":   {"It is for:", []string{"slack:S0000001"}, "It is for: S0000001"},
		"an id that is none":    {"It is for:", []string{"slack:!channel", "slack-group:!here>"}, "It is for: !channel or Slack group !here&gt;"},
		"a long note":           {strings.Repeat("x", MaxText), []string{"slack:U0000001"}, strings.Repeat("x", MaxText-13) + "… <@U0000001>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Note(tt.text, ask.PolicyOf(tt.who...)); got != tt.want {
				t.Errorf("note %q, want %q", got, tt.want)
			}
		})
	}
}

func TestANoteIsEscapedOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"markup":        {"“<!channel> & *x*” is taken", "“&lt;!channel&gt; &amp; ∗x∗” is taken"},
		"escaped text":  {"&lt;@U1&gt;", "&amp;lt;@U1&amp;gt;"},
		"lines":         {"One\n\n\nTwo", "One\n\nTwo"},
		"invisible":     {"a\u202eb", "ab"},
		"a long note":   {strings.Repeat("&", 700), strings.Repeat("&amp;", 599) + "…"},
		"an empty note": {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Note(tt.in, ask.Policy{}); got != tt.want {
				t.Errorf("Note(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestStylesNeverCrossTheEdgeOfABlock(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 900)
	tests := map[string]struct {
		spans []render.Span
		marks string
	}{
		"bold":   {[]render.Span{{Style: render.Bold, Text: strings.TrimSpace(long)}}, "*"},
		"aside":  {[]render.Span{{Style: render.Aside, Text: strings.TrimSpace(long)}}, "_"},
		"sample": {[]render.Span{{Text: "a"}, {Style: render.Code, Text: strings.ReplaceAll(long, " ", "\n")}, {Text: "\nb"}}, "```"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := mrkdwn(tt.spans, entities)
			if len(texts) != 2 {
				t.Fatalf("%d texts", len(texts))
			}
			for _, text := range texts {
				if strings.Contains(text, " "+tt.marks) || strings.Count(text, tt.marks) != 2 || render.Units(text) > MaxText {
					t.Errorf("%d units, %d marks: %q", render.Units(text), strings.Count(text, tt.marks), text)
				}
			}
		})
	}
}

func TestATextIsPartedAtALineEndIfOneIsNear(t *testing.T) {
	t.Parallel()
	texts := mrkdwn([]render.Span{{Text: strings.Repeat("x", 2500) + "\n" + strings.Repeat("y", 2500)}}, entities)
	if len(texts) != 2 || texts[0] != strings.Repeat("x", 2500) || texts[1] != strings.Repeat("y", 2500) {
		t.Errorf("parted otherwise: %d texts", len(texts))
	}
	texts = mrkdwn([]render.Span{{Text: "x\n" + strings.Repeat("y", 4000)}}, entities)
	if len(texts) != 2 || render.Units(texts[0]) < MaxText-maxAtom {
		t.Errorf("a far line end was taken: %d texts", len(texts))
	}
}

// A line that went on in the next block brought one character too many when it
// had been parted behind a space.
func TestAPartedTextCountsTheSpaceAtWhichItWasParted(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		line := strings.Repeat("y ", 300) + strings.Repeat("v", n) + " " + strings.Repeat("w", 3000)
		for _, text := range mrkdwn([]render.Span{{Text: strings.Repeat("x", 2400) + "\n" + line}}, entities) {
			if got := render.Units(text); got > MaxText {
				t.Errorf("a word of %d in the line: a text of %d characters", n, got)
			}
		}
	}
}

func TestABlockThatBeginsInsideAWordFormatsNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"&gt;x": "›x", "**x": "∗∗x", "x": "x", "_": "ˍ", "": ""} {
		if got := sealedStart(in); got != want {
			t.Errorf("sealedStart(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"x**": "x∗∗", "x": "x", "_": "ˍ", "": ""} {
		if got := sealedEnd(in); got != want {
			t.Errorf("sealedEnd(%q) = %q, want %q", in, got, want)
		}
	}
}

// live matches what Slack would act on in escaped text.
var live = regexp.MustCompile("[<>`]|&(?:[^agl]|$)")

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"<!channel>", "<@U1>", "&lt;!here&gt;", "```x```", "*a* _b_ ~c~", "> q", "a\n＞b", "&&&<<<>>>", "👩\u200d👩"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cleaned := render.Clean(text)
		plain := literal(cleaned)
		if utf8.RuneCountInString(plain) != utf8.RuneCountInString(cleaned) || width(plain) > width(cleaned) {
			t.Errorf("literal(%q) = %q has another length", cleaned, plain)
		}
		sent := entities.Replace(plain)
		if render.Units(sent) != width(plain) {
			t.Errorf("width of %q is %d, sent are %d", plain, width(plain), render.Units(sent))
		}
		if found := live.FindString(sent); found != "" {
			t.Errorf("%q is live in %q", found, sent)
		}
		for line := range strings.SplitSeq(sent, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "&gt;") {
				t.Errorf("a quotation: %q", line)
			}
		}
		for _, chunk := range mrkdwn([]render.Span{{Style: render.Bold, Text: render.Line(text)}, {Style: render.Code, Text: cleaned}, {Text: cleaned}}, entities) {
			if n := render.Units(chunk); n == 0 || n > MaxText {
				t.Errorf("a text of %d characters", n)
			}
			if strings.Count(chunk, "```")%2 != 0 || strings.Contains(chunk, "````") {
				t.Errorf("an open code block: %q", chunk)
			}
		}
	})
}
