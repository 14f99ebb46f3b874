package render_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// nasty is what agents and people should not write and will.
var nasty = []string{
	"word", "two words", " ", "\n", "\n\n\n", "\t", "*bold*", "_it_", "~no~", "`code`", "```", "````", "> quote", "&gt; quote", "snake_case", "* item",
	"<!channel>", "<!here>", "<@U0000001>", "<#C1>", "<https://evil.example|ok>", "<!date^0^{time}|x>", "&lt;!here&gt;", "&amp;", "&", "<", ">", "|", "@channel",
	"é", "e\u0301", "Z\u0351\u0300\u0301\u0300", "漢字", "👩\u200d👩\u200d👧\u200d👦", "🏴\U000e0067\U000e0062\U000e007f", "🇩🇪", "👍🏽", "𝒜𝒷𝒸", "नमस्ते", "한국어", "שלום", "مرحبا بالعالم", "می\u200cخواهم",
	"\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\x00", "\x1b[31m", "\u00ad", "\u3164", "✓ Answered by", "→", "1. ", "- ", ":tada:", "\\", "\"", "'", "{}", "https://example.org/a_b*c~d?x=1&y=2", "\n- a\n- b\n", "\n```sh\nrm -rf *\n```\n", "http://a.example/(b)", "https://good.example@evil.example",
}

// words makes text of up to most characters: pieces of every kind, and now and
// then one piece many times over.
func words(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(nasty), 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " ", "x"}).Draw(t, "between"))
		if rapid.IntRange(0, 3).Draw(t, "long") == 0 {
			text += strings.Repeat(rapid.SampledFrom(nasty).Draw(t, "again"), rapid.IntRange(1, most).Draw(t, "times"))
		}
		return prefix(text, most)
	})
}

func prefix(s string, most int) string {
	r := []rune(s)
	return string(r[:min(len(r), most)])
}

// valid are the requests that a bridge takes: a drawn one may be over a limit.
func valid(r ask.Request) bool { return r.Validate(anyRules) == nil }

func requests() *rapid.Generator[ask.Request] {
	return rapid.Custom(func(t *rapid.T) ask.Request {
		left := ask.MaxText
		text := func(name string, most int, must bool) string {
			s := words(max(1, min(most, left))).Draw(t, name)
			if must && blank(s) {
				s = "q"
			}
			left -= len([]rune(s)) + 1
			return s
		}
		most := rapid.SampledFrom([]int{40, 400, ask.MaxText}).Draw(t, "size")
		r := ask.Request{Agent: prefix(text("agent", 60, false), 60)}
		for i := range rapid.IntRange(1, ask.MaxQuestions).Draw(t, "questions") {
			q := ask.Question{MultiSelect: rapid.Bool().Draw(t, "multi"), Header: text("header", min(most, ask.MaxLabel), false)}
			for n := range rapid.SampledFrom([]int{0, 1, 2, 3, 4, 4, 5, 10, 11, 25}).Draw(t, "options") {
				o := ask.Option{Label: fmt.Sprintf("%d%s", n, text("label", min(most, ask.MaxLabel-1), false))}
				if rapid.Bool().Draw(t, "described") {
					o.Description = text("description", most, false)
				}
				if rapid.IntRange(0, 3).Draw(t, "previewed") == 0 {
					o.Preview = text("preview", most, false)
				}
				q.Options = append(q.Options, o)
			}
			q.NoOther = len(q.Options) > 0 && rapid.Bool().Draw(t, "noOther")
			q.Optional, q.Notes = rapid.Bool().Draw(t, "optional"), rapid.Bool().Draw(t, "notes")
			q.Text = fmt.Sprintf("%d%s", i, text("question", most, true))
			r.Questions = append(r.Questions, q)
		}
		r.Context = text("context", most, false)
		for range rapid.SampledFrom([]int{0, 0, 1, ask.MaxFiles}).Draw(t, "files") {
			r.Files = append(r.Files, ask.File{Name: fmt.Sprintf("%d%s.diff", len(r.Files), strings.Repeat("f", rapid.IntRange(0, ask.MaxFileName-6).Draw(t, "name"))), Text: "x"})
		}
		for range rapid.SampledFrom([]int{0, 0, 1, ask.MaxLinks}).Draw(t, "links") {
			r.Links = append(r.Links, ask.Link{Label: "l" + prefix(words(ask.MaxLinkLabel).Draw(t, "link"), ask.MaxLinkLabel-1), URL: "https://x.example/" + strings.Repeat(rapid.SampledFrom([]string{"a", "~"}).Draw(t, "in the url"), rapid.IntRange(0, 494).Draw(t, "url"))})
		}
		return r
	})
}

func blank(s string) bool { return render.Line(s) == "" }

func outcomes(questions []ask.Question) *rapid.Generator[ask.Outcome] {
	return rapid.Custom(func(t *rapid.T) ask.Outcome {
		o := ask.Outcome{State: rapid.SampledFrom([]ask.State{ask.Answered, ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed}).Draw(t, "state"), At: asked}
		if rapid.Bool().Draw(t, "by") || o.State == ask.Answered {
			o.By = ask.Person{Platform: rapid.SampledFrom([]string{"slack", "discord"}).Draw(t, "platform"), ID: "U0000001", Name: words(80).Draw(t, "name")}
		}
		o.Reason = words(3000).Draw(t, "reason")
		if o.State == ask.Answered {
			o = ask.Answering(questions, drafts(questions).Draw(t, "draft"), o.By, o.At)
			o.At = asked
		}
		return o
	})
}

func drafts(questions []ask.Question) *rapid.Generator[ask.Draft] {
	return rapid.Custom(func(t *rapid.T) ask.Draft {
		d := ask.Draft{}
		for i, q := range questions {
			if n := len(q.Options); n > 0 {
				d = d.Select(i, q, rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "selected"), 1)
			}
			if rapid.Bool().Draw(t, "typed") {
				d = d.Write(i, q, words(3000).Draw(t, "other"), 2)
			}
			d = d.Skip(i, q, rapid.IntRange(0, 3).Draw(t, "skipped") == 0, 3)
			d = d.Annotate(i, q, words(3000).Draw(t, "note"), 4)
		}
		return d
	})
}

// audiences are notify lists: unset, empty, or these.
func audiences(person, group string) *rapid.Generator[[]ask.Person] {
	all := []ask.Person{
		{Platform: "slack", ID: person},
		{Platform: "slack-group", ID: group},
		{Platform: "discord", ID: person},
		{Platform: "discord-role", ID: group},
		{Platform: "slack", ID: "!channel"},
		{Platform: "discord", ID: "@everyone"},
		{Platform: "slack-group", ID: "S1>"},
	}
	return rapid.SampledFrom([][]ask.Person{nil, {}, all, slices.Repeat(all, 3)[:20]})
}

func TestAnyRequestIsShownWholeAndWithinSlacksLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := requests().Filter(valid).Draw(t, "request")
		s := render.Subject{
			ID: "p01r3v7k2m9qxw", Agent: r.Agent, Context: r.Context, Links: r.Links, Files: ask.Attachments(r.Files), Questions: r.Questions, Deadline: asked,
			Eligible: eligible(ask.PolicyOf(rapid.SampledFrom([][]string{{"anyone"}, {"slack:U0000001"}, {"discord:<!channel>", "slack:<!here>"}}).Draw(t, "responders")...), "slack"),
			Plain:    rapid.IntRange(0, 4).Draw(t, "plain") == 0,
			Vote:     standings(r.Questions).Draw(t, "vote"),
			Notify:   audiences("U0000001", "S0000001").Draw(t, "notify"),
		}
		m := drawSlack(s)
		texts := judgeSlack(t, m, []string{"U0000001", "S0000001"})
		whole := unspaced(texts[0])
		if form, ok := m.Forms["answer"]; ok {
			whole = unspaced(judgeSlack(t, slackMessage{Text: m.Text, Blocks: m.Blocks, Forms: map[string]modal{"answer": form}}, []string{"U0000001", "S0000001"})[1])
		}
		for _, part := range parts(s) {
			if !holds(whole, part) {
				t.Errorf("lost: %q", part)
			}
		}

		due := s
		due.Filing = rapid.SampledFrom([]render.Filing{render.FilesDue, render.FilesMissing}).Draw(t, "filing")
		judgeSlack(t, drawSlack(due), []string{"U0000001", "S0000001"})

		s.Draft = drafts(r.Questions).Draw(t, "draft")
		judgeSlack(t, slackMessage{Text: m.Text, Blocks: m.Blocks, Forms: forms(s)}, []string{"U0000001", "S0000001"})

		s.Outcome = outcomes(r.Questions).Draw(t, "outcome")
		s.Place = rapid.SampledFrom([]string{"", "discord", "in #<!here> on Discord"}).Draw(t, "place")
		closed := drawSlack(s)
		judgeSlack(t, closed, []string{"U0000001", "S0000001"})
		for _, b := range closed.Blocks {
			if kind := string(b.BlockType()); kind != "section" && kind != "rich_text" && kind != "context" {
				t.Errorf("a closed card with %s", kind)
			}
		}
	})
}

// parts lists every text of a request that a person must be able to read.
func parts(s render.Subject) []string {
	texts := []string{s.Context}
	for _, link := range s.Links {
		texts = append(texts, link.URL, render.Line(link.Label))
	}
	for _, f := range s.Files {
		texts = append(texts, f.Name, render.Fingerprint(f.SHA256))
	}
	for _, q := range s.Questions {
		texts = append(texts, q.Text, q.Header)
		for _, o := range q.Options {
			texts = append(texts, o.Label, o.Description, o.Preview)
		}
	}
	return texts
}

// holds reports whether the whole contains a text as written, or without the marks of its Markdown.
func holds(whole, part string) bool {
	if strings.Contains(whole, unspaced(render.Clean(part))) {
		return true
	}
	for _, parse := range []func(string) []render.Span{render.Prose, render.Markdown} {
		var shown, tagged strings.Builder // Without and with the languages of samples, which only Discord shows.
		for _, s := range parse(render.Clean(part)) {
			shown.WriteString(s.Text)
			tagged.WriteString(s.Language + s.Text)
		}
		for _, text := range []string{shown.String(), tagged.String()} {
			if strings.Contains(letters(fold(whole)), letters(fold(text))) {
				return true
			}
		}
	}
	return false
}

// unspaced takes away all that may differ between a text and how Slack shows it:
// white space, and what keeps right-to-left text to itself.
func unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2068' || r == '\u2069' {
			return -1
		}
		return r
	}, s)
}

// fold takes away what may differ between a text and how it is shown: white
// space, escapes, formatting and the look-alikes of what formats.
func fold(s string) string {
	s = strings.NewReplacer("＆", "&", "＜", "<", "﹥", ">", "›", ">").Replace(s)
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("*_~`∗ˍ∼ˋ\u2068\u2069", r) {
			return -1
		}
		return r
	}, s)
	unescape := strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
	for before := ""; s != before; {
		before, s = s, unescape.Replace(s)
	}
	return s
}
