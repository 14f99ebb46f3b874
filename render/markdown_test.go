package render_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

func TestMarkdownOfContext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"bold":                          {"a **b c** d", "a {bold b c} d"},
		"italic":                        {"a *b* and _c d_.", "a {italic b} and {italic c d}."},
		"bold and italic":               {"***a***", "{bold a}"},
		"italic in bold":                {"**a *b* _c_**", "{bold a b c}"},
		"code in bold":                  {"**run `a*b` now**", "{bold run }{mono a*b}{bold  now}"},
		"bold in parentheses":           {"(**a**), \"*b*\"", "({bold a}), \"{italic b}\""},
		"bold within a word":            {"a**b**c 2**3**4", "a**b**c 2**3**4"},
		"bold over two lines":           {"**a\nb**", "**a\nb**"},
		"open bold":                     {"**a", "**a"},
		"bold with spaces inside":       {"** a ** * b *", "** a ** * b *"},
		"escaped stars":                 {`\*a\* \**b**`, `\*a\* \**b**`},
		"names with underscores":        {"__init__ snake_case _private a_b_c", "__init__ snake_case _private a_b_c"},
		"patterns of files":             {"*.go and *.md, src/**/a **/b, rm *.go *.md*, **/bin/**, *-old*", "*.go and *.md, src/**/a **/b, rm *.go *.md*, **/bin/**, *-old*"},
		"products":                      {"2*3*4 and 2 * 3 * 4", "2*3*4 and 2 * 3 * 4"},
		"half of a code span":           {"*a `b* c`", "*a {mono b* c}"},
		"headings":                      {"# A **b**\n###### C `d`\n#e\n#123 f\n####### g", "{bold A b}\n{bold C }{mono d}\n#e\n#123 f\n####### g"},
		"a link":                        {"see [the *plan*](https://x.example/a_(b)).", "see the {italic plan} ({link https://x.example/a_(b)})."},
		"a link named like another":     {"[https://good.example](https://evil.example)", "https://good.example ({link https://evil.example})"},
		"a link named like its address": {"[https://x.example](https://x.example)", "{link https://x.example}"},
		"a link without a name":         {"[](https://x.example)", "{link https://x.example}"},
		"a link in bold":                {"**see [x](https://x.example)**", "{bold see x (}{link https://x.example}{bold )}"},
		"other schemes and paths":       {"[a](javascript:x) [b](docs/b.md) [c](mailto:d)", "[a](javascript:x) [b](docs/b.md) [c](mailto:d)"},
		"a user in front of the host":   {"[a](https://good.example@evil.example/)", "[a](https://good.example@evil.example/)"},
		"an image":                      {"![a](https://x.example/a.png)", "![a]({link https://x.example/a.png})"},
		"a link with a title":           {`[a](https://x.example "t")`, `[a]({link https://x.example} "t")`},
		"brackets in a name":            {"[a [b]](https://x.example)", "[a [b]]({link https://x.example})"},
		"a quote":                       {"He wrote:\n> a **b**\n>\n> - c\nOK?", "He wrote:\n{quote > }a {bold b}\n{quote > }\n{quote > }- c\nOK?"},
		"a quote without a space":       {">a", ">a"},
		"an empty quote":                {"> a\n>\nb", "> a\n>\nb"},
		"a diff without context":        {"2c2\n< a\n---\n> b", "2c2\n< a\n---\n> b"},
		"numbers":                       {"1. a\n2. b\n3. c", "{bullet 1. }a\n{bullet 2. }b\n{bullet 3. }c"},
		"numbers from five on":          {"5. a\n6. b", "{bullet 5. }a\n{bullet 6. }b"},
		"numbers that do not follow":    {"1. a\n1. b\n1. c", "1. a\n1. b\n1. c"},
		"one number":                    {"1. a\nb", "1. a\nb"},
		"a list in a list":              {"- a\n  - b\n  - c\n- d", "{bullet - }a\n{bullet   - }b\n{bullet   - }c\n{bullet - }d"},
		"bullets in numbers":            {"1. a\n   - b\n2. c", "{bullet 1. }a\n{bullet   - }b\n{bullet 2. }c"},
		"a list with lines between":     {"- a\n  more\n- b", "- a\n  more\n- b"},
		"lines that a diff takes away":  {"- a\n- b\n+ c", "- a\n- b\n+ c"},
		"a list in stars":               {"* *a*\n* **b**", "{bullet * }{italic a}\n{bullet * }{bold b}"},
		"a table": {
			"Load:\n| Host | p95 |\n|:--|--:|\n| `a` | **12** |\n| bb | 340 |\nOK?",
			"Load:\n{code Host  p95\n----  ---\na      12\nbb    340}\nOK?",
		},
		"a table without outer pipes":   {"a | b\n---|---\n1 | 2", "{code a  b\n-  -\n1  2}"},
		"a table with centered cells":   {"|abc|d|\n|:-:|-|\n|x|y|", "{code abc  d\n---  -\n x   y}"},
		"a table with wide characters":  {"|漢字|b|\n|-|-|\n|a|c|", "{code 漢字  b\n----  -\na     c}"},
		"a table with pipes in cells":   {`|a\|b|c|` + "\n|-|-|\n|1|2|", "{code a|b  c\n---  -\n1    2}"},
		"a table with a link":           {"|a|b|\n|-|-|\n|[x](https://y.example)|c|", "{code a                      b\n---------------------  -\nx (https://y.example)  c}"},
		"a table with few cells":        {"|a|b|\n|-|-|\n|1|", "{code a  b\n-  -\n1}"},
		"a table with too many cells":   {"|a|b|\n|-|-|\n|1|2|3|", "|a|b|\n|-|-|\n|1|2|3|"},
		"a table too wide for a phone":  {"|Service|What happened|\n|-|-|\n|billing|" + strings.Repeat("long ", 10) + "|\n|mail||", "{code Service: billing\nWhat happened: " + strings.TrimSpace(strings.Repeat("long ", 10)) + "\n\nService: mail}"},
		"pipes without a table":         {"a | b\nc | d", "a | b\nc | d"},
		"a table in a diff":             {"-|a|b|\n-|-|-|", "-|a|b|\n-|-|-|"},
		"a fence with Markdown":         {"```\n# a **b**\n|c|d|\n|-|-|\n```", "{code # a **b**\n|c|d|\n|-|-|}"},
		"code with Markdown":            {"`**a** [b](https://x.example)`", "{mono **a** [b](https://x.example)}"},
		"HTML, rules and strikethrough": {"<b>a</b> ~~b~~\n---\n- [ ] c", "<b>a</b> ~~b~~\n---\n- [ ] c"},
		"nothing":                       {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := draw(render.Markdown(tt.in)); got != tt.want {
				t.Errorf("%q parses as %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// letters returns the letters, digits and other characters of a text that are never marks.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("*_#>`[]()|:-+\\\u2068\u2069", r) {
			return -1
		}
		return r
	}, text)
}

// checkMarkdown checks that parsing removes only marks, and adds nothing live.
func checkMarkdown(t reporter, text string) {
	t.Helper()
	spans := render.Markdown(text)
	var shown strings.Builder
	for n, s := range spans {
		shown.WriteString(s.Language + s.Text)
		switch s.Style {
		case render.Plain, render.Code:
		case render.Bold, render.Italic, render.Mono, render.Link:
			if strings.Contains(s.Text, "\n") {
				t.Errorf("%q has %s over two lines in %q", s.Text, s.Style, text)
			}
		case render.Bullet, render.Quote:
			if n > 0 && !strings.HasSuffix(spans[n-1].Text, "\n") {
				t.Errorf("%q has a %s within a line", text, s.Style)
			}
		default:
			t.Errorf("%q has the style %s", text, s.Style)
		}
		if s.Style == render.Link && !strings.Contains(text, s.Text) {
			t.Errorf("the link to %q is not in %q", s.Text, text)
		}
	}
	// A wide table repeats the names of its columns.
	if got, want := letters(shown.String()), letters(text); got != want && !strings.Contains(text, "|") {
		t.Errorf("%q is shown as %q", text, shown.String())
	}
	for _, s := range spans {
		if size := len(s.Text); size > 4*len(text)+1000 {
			t.Errorf("%d characters of %d", size, len(text))
		}
	}
}

// marked are pieces of Markdown, whole and broken.
var marked = []string{
	"**b**", "*i*", "_i_", "***", "**", "*", "_", "# ", "## h\n", "> ", "\n> q\n", ">", "[x](https://x.example/a)", "[", "](", "](https://y.example)", ")",
	"1. ", "\n1. a\n2. b\n", "\n  - c\n", "|", "\n|a|b|\n|-|-|\n|1|2|\n", "|-|-|", "\\", "`c`", "漢", "<@U0000001>", "@everyone", "word ", " ", "\n",
}

func markdowns(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return prefix(strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(marked, nasty...)), 0, 25).Draw(t, "pieces"), ""), most)
	})
}

func TestMarkdownRemovesOnlyMarks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkMarkdown(t, render.Clean(markdowns(400).Draw(t, "text"))) })
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range append(marked, "**a *b* c** [d](https://e.example)\n|a|b|\n|-|-|\n|1|\n> q\n1. x\n2. y\n   - z") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkMarkdown(t, render.Clean(text)) })
}

// Both platforms show the same text, neither with a live mention, and with every address in full.
func TestMarkdownLooksAlikeOnBothPlatforms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := render.Subject{
			ID: "p01r3v7k2m9qxw", Agent: "bot", Context: markdowns(300).Draw(t, "context"), Deadline: asked,
			Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}}, Eligible: anyone,
		}
		judgeSlack(t, drawSlack(s), nil)
		judgeDiscord(t, drawDiscord(s), nil)
	})
}

// A cut keeps code, addresses and rows of tables whole, and the limit.
func TestCutContextKeepsSpansWhole(t *testing.T) {
	t.Parallel()
	text := "**Plan** of `deploy all` at https://ci.example.com/runs/42\n\n|Host|p95|\n|-|-|\n" + strings.Repeat("|alpha|120|\n", 9) + "\n- one `two three`\n- **four five six**"
	whole := render.Markdown(render.Clean(text))
	for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
		for most := range 400 {
			spans, cut := render.CutSpans(whole, most, l)
			size := 0
			for n, s := range spans {
				size += l.Width(s.Text)
				switch s.Style {
				case render.Mono, render.Link:
					if s.Text != whole[n].Text {
						t.Errorf("%s at %d: %s %q is cut", l.Platform, most, s.Style, s.Text)
					}
				case render.Code:
					for line := range strings.SplitSeq(s.Text, "\n") {
						if !strings.Contains(whole[n].Text+"\n", line+"\n") {
							t.Errorf("%s at %d: row %q is cut", l.Platform, most, line)
						}
					}
				}
			}
			if end := spans[len(spans)-1]; cut != strings.HasSuffix(end.Text, render.Ellipsis) || cut && end.Style != render.Plain {
				t.Errorf("%s at %d: it ends with %q", l.Platform, most, end)
			}
			if size > max(most, 1) {
				t.Errorf("%s at %d: %d characters", l.Platform, most, size)
			}
		}
	}
}

func TestTablesFitPhones(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		row := func() string {
			var b strings.Builder
			for range columns {
				fmt.Fprintf(&b, "| %s ", rapid.StringMatching(`[a-z漢]{0,14}`).Draw(t, "cell"))
			}
			return b.String() + "|\n"
		}
		text := row() + strings.Repeat("|---", columns) + "|\n" + row() + row()
		for _, s := range render.Markdown(strings.TrimSpace(text)) {
			for line := range strings.SplitSeq(s.Text, "\n") {
				if s.Style == render.Code && uniseg.StringWidth(line) > 38 && !strings.Contains(line, ": ") {
					t.Errorf("%d columns: %q", uniseg.StringWidth(line), line)
				}
			}
		}
	})
}

func TestClosedCardQuotesContextWithoutMarks(t *testing.T) {
	t.Parallel()
	for context, want := range map[string]string{
		"# Release 4.2\nIt is **ready**.":          "Release 4.2 …",
		"It is **ready**, see `make` and *Dana*.":  "It is ready, see make and Dana.",
		"See [the run](https://ci.example.com/42)": "See the run (https://ci.example.com/42)",
		"Never `rm **/*.go` or __init__":           "Never rm **/*.go or __init__",
	} {
		s := render.Subject{ID: "p01x", Questions: []ask.Question{{Text: "Go?"}}, Context: context, Outcome: ask.Outcome{State: ask.Expired}}
		for _, sec := range render.Layout(s, components.Limits()).Sections {
			if sec.ID != "context" {
				continue
			}
			got := ""
			for _, span := range sec.Text {
				got += span.Text
			}
			if got != want {
				t.Errorf("context %q ends as %q, want %q", context, got, want)
			}
		}
	}
}
