package blockkit

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

func TestNotificationTextDoesNotFormat(t *testing.T) {
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
		"emoji":                              {"Ship :rocket: at 10:30, ok: yes", "Ship ∶rocket∶ at 10:30, ok: yes"},
		"emoji in a row":                     {":a::b_c:", "∶a∶∶b_c∶"},
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

// shown is the text of blocks as people read it: rich text and plain text as it is, with live elements in angle
// brackets.
func shown(t *testing.T, blocks []slackapi.Block) string {
	t.Helper()
	var all []string
	for _, b := range blocks {
		switch b := b.(type) {
		case *slackapi.SectionBlock:
			if b.Text.Type != slackapi.PlainTextType || b.Text.Emoji == nil || *b.Text.Emoji {
				t.Errorf("a section that Slack would change: %+v", b.Text)
			}
			all = append(all, b.Text.Text)
		case *slackapi.RichTextBlock:
			for _, part := range b.Elements {
				var elements []slackapi.RichTextSectionElement
				switch part := part.(type) {
				case *slackapi.RichTextSection:
					elements = part.Elements
				case *slackapi.RichTextPreformatted:
					elements = part.Elements
				}
				line := ""
				for _, e := range elements {
					switch e := e.(type) {
					case *slackapi.RichTextSectionTextElement:
						line += e.Text
					case *slackapi.RichTextSectionUserElement:
						line += "<" + e.UserID + ">"
					case *slackapi.RichTextSectionDateElement:
						line += "<" + *e.Fallback + ">"
					default:
						t.Errorf("an element %T", e)
					}
				}
				all = append(all, line)
			}
		default:
			t.Errorf("a block %T", b)
		}
	}
	return strings.Join(all, "\n")
}

var nastyTexts = []string{
	"*all* of it", "_all_ ~none~ `x`", "```\nx\n```", "> a\nb > c", "__init__.py", "<!channel> <@U0000001> <https://evil.example|ok>",
	"&lt;!here&gt; &amp; & < >", ":tada: :white_check_mark: 10:30:45", "＊a＊ ＿b＿ ｀c｀ ＞ d", "C:\\x",
}

func TestAgentTextIsShownByteForByte(t *testing.T) {
	t.Parallel()
	for _, text := range nastyTexts {
		for name, spans := range map[string][]render.Span{
			"alone":         {{Text: text}},
			"below a title": {{Style: render.Bold, Text: "Title"}, {Text: "\n" + text}},
			"as a sample":   {{Text: "Look:\n"}, {Style: render.Code, Text: text}, {Text: "\nDone"}},
			"beside a name": {{Text: text + " by "}, {Style: render.Mention, Person: ask.Person{Platform: "slack", ID: "U0000001"}}},
		} {
			got := shown(t, body(render.Section{ID: "b", Text: spans}))
			if want := strings.TrimSpace(text); !strings.Contains(got, want) {
				t.Errorf("%s: %q is shown as %q", name, want, got)
			}
		}
	}
}

func TestSampleIsOnSeparateLines(t *testing.T) {
	t.Parallel()
	sample := "if x {\n\n\treturn\n}"
	for name, tt := range map[string]struct {
		spans []render.Span
		want  string
	}{
		"with line ends":     {[]render.Span{{Text: "before\n"}, {Style: render.Code, Text: sample}, {Text: "\nafter"}}, "before\n" + sample + "\nafter"},
		"without":            {[]render.Span{{Text: "before"}, {Style: render.Code, Text: sample}, {Text: "after"}}, "before\n" + sample + "\nafter"},
		"with an empty line": {[]render.Span{{Text: "before\n\n"}, {Style: render.Code, Text: sample}, {Text: "\n\nafter"}}, "before\n\n" + sample + "\n\nafter"},
		"two of them":        {[]render.Span{{Style: render.Code, Text: "a"}, {Text: "\n"}, {Style: render.Bold, Text: "b"}, {Style: render.Code, Text: "c"}}, "a\nb\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shown(t, body(render.Section{ID: "b", Text: tt.spans})); got != tt.want {
				t.Errorf("shown %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNoteMentionsPeopleAndGroups(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		who  []string
		want string
	}{
		"a person":            {[]string{"slack:U0000001"}, "It is for: <U0000001>"},
		"a user group":        {[]string{"slack-group:S0000001"}, "It is for: Slack group S0000001"},
		"both platforms":      {[]string{"slack:U0000001", "discord:1", "discord-role:2"}, "It is for: <U0000001>, 1 more person on Discord or 1 group on Discord"},
		"a person as a group": {[]string{"slack-group:U0000001"}, "It is for: Slack group U0000001"},
		"a group as a person": {[]string{"slack:S0000001"}, "It is for: S0000001"},
		"an id that is none":  {[]string{"slack:!channel", "slack-group:!here>"}, "It is for: !channel or Slack group !here>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocks, _ := Note(append([]render.Span{{Text: "It is for: "}}, render.Who(eligible("slack", tt.who...), Limits(), "")...))
			if got := shown(t, blocks); got != tt.want {
				t.Errorf("note %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNameInFrameIsShownByteForByte(t *testing.T) {
	t.Parallel()
	moment := render.Span{Style: render.Moment, Time: time.Unix(0, 0)}
	dana := render.Span{Style: render.Mention, Person: ask.Person{Platform: "slack", ID: "U0000001"}}
	releasers := render.Span{Text: "@releasers", Person: ask.Person{Platform: "slack-group", ID: "S0000001"}}
	const date = "<!date^0^{date_short_pretty}, {time}|1 Jan 1970, 00:00 UTC>"
	for name, tt := range map[string]struct {
		spans []render.Span
		want  []string
	}{
		"nothing special":            {[]render.Span{{Style: render.Bold, Text: "deploy-bot"}, {Text: " asks"}}, []string{"mrkdwn *deploy-bot* asks"}},
		"an agent with an emoji":     {[]render.Span{{Style: render.Bold, Text: "bot :tada:"}, {Text: " asks"}}, []string{"plain_text bot :tada:", "mrkdwn asks"}},
		"an agent with marks":        {[]render.Span{{Style: render.Bold, Text: "*bot*"}, {Text: " asks"}}, []string{"plain_text *bot*", "mrkdwn asks"}},
		"an agent with brackets":     {[]render.Span{{Style: render.Bold, Text: "<!here>"}, {Text: " asks"}}, []string{"mrkdwn *&lt;!here&gt;* asks"}},
		"people and times":           {[]render.Span{{Text: "✓ Answered by "}, dana, {Text: " · "}, moment}, []string{"mrkdwn ✓ Answered by <@U0000001> · " + date}},
		"a user group":               {[]render.Span{releasers, {Text: " can answer"}}, []string{"mrkdwn @releasers can answer"}},
		"somebody from elsewhere":    {[]render.Span{{Text: "by "}, {Text: "_Ro_ (Discord)"}, {Text: " · "}, moment}, []string{"mrkdwn by", "plain_text _Ro_ (Discord)", "mrkdwn · " + date}},
		"more names than pieces fit": {slices.Repeat([]render.Span{{Text: "*a*"}, {Text: ", "}}, 6), []string{"mrkdwn " + strings.Repeat("∗a∗, ", 5) + "∗a∗,"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, b := range frame(render.Section{ID: "f", Text: tt.spans}) {
				for _, e := range b.(*slackapi.ContextBlock).ContextElements.Elements {
					o := e.(*slackapi.TextBlockObject)
					got = append(got, o.Type+" "+o.Text)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestStylesContinueInNextBlock(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word ", 900))
	for _, style := range []render.Style{render.Bold, render.Aside, render.Code} {
		all := parts([]render.Span{{Style: style, Text: strings.ReplaceAll(long, "word word ", "word word\n")}})
		if len(all) != 2 {
			t.Fatalf("%q: %d texts", style, len(all))
		}
		for _, part := range all {
			for _, a := range part {
				if a.style != style && a.text != "\n" {
					t.Errorf("%q has %q in the style %q", style, a.text, a.style)
				}
			}
		}
	}
}

func lengths(spans []render.Span) (sizes []int) {
	for _, part := range parts(spans) {
		n := 0
		for _, a := range part {
			n += a.size()
		}
		sizes = append(sizes, n)
	}
	return sizes
}

func TestTextIsSplitAtLineEnds(t *testing.T) {
	t.Parallel()
	if got := lengths([]render.Span{{Text: strings.Repeat("x", 2500) + "\n" + strings.Repeat("y", 2500)}}); !slices.Equal(got, []int{2500, 2500}) {
		t.Errorf("parted otherwise: %d", got)
	}
	if got := lengths([]render.Span{{Text: "x\n" + strings.Repeat("y", 4000)}}); len(got) != 2 || got[0] < MaxText-maxAtom {
		t.Errorf("a far line end was taken: %d", got)
	}
}

// A line that went on in the next block brought one character too many when it
// had been parted behind a space.
func TestSplitTextCountsSpaces(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		line := strings.Repeat("y ", 300) + strings.Repeat("v", n) + " " + strings.Repeat("w", 3000)
		for _, got := range lengths([]render.Span{{Text: strings.Repeat("x", 2400) + "\n" + line}}) {
			if got > MaxText {
				t.Errorf("a word of %d in the line: a text of %d characters", n, got)
			}
		}
	}
}

// live matches what Slack would act on in escaped text.
var live = regexp.MustCompile("[<>`]|&(?:[^agl]|$)")

func FuzzEscape(f *testing.F) {
	for _, s := range append(nastyTexts, "👩\u200d👩", "&&&<<<>>>") {
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
		spans := []render.Span{{Style: render.Bold, Text: render.Line(text)}, {Style: render.Code, Text: cleaned}, {Text: cleaned}}
		for _, n := range lengths(spans) {
			if n == 0 || n > MaxText {
				t.Errorf("a text of %d characters", n)
			}
		}
		folded := func(s string) string { return strings.Join(strings.Fields(s), "") }
		want := folded(render.Line(text)) + folded(cleaned) + folded(cleaned)
		if got := folded(strings.NewReplacer("\u2068", "", "\u2069", "").Replace(shown(t, body(render.Section{ID: "b", Text: spans})))); got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
	})
}

// eligible are people and groups that can answer on a platform; those of others are counted.
func eligible(platform string, who ...string) (e ask.Eligible) {
	for _, one := range who {
		entry, _ := ask.ParseEntry(one)
		p := ask.Person{Platform: entry.Prefix(), ID: entry.ID}
		switch {
		case entry.Platform == platform:
			e.Who = append(e.Who, ask.Answerer{Person: p})
		case len(e.Elsewhere) == 0:
			e.Elsewhere = []ask.Elsewhere{{Platform: entry.Platform}}
			fallthrough
		default:
			if there := &e.Elsewhere[0]; entry.Kind == "" {
				there.People = append(there.People, p)
			} else {
				there.Groups++
			}
		}
	}
	return e
}
