package render_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// discordNasty is what Discord alone would format.
var discordNasty = []string{
	"# head", "\n# head", "\n-# small", "\n- item", "\n* item", "\n1. item", "\n12) item", "\n>>> quote", "||spoiler||", "__under__", "~~gone~~",
	"[a](https://evil.example)", "<https://evil.example>", "<t:0:R>", "<@300000000000000001>", "<@&400000000000000001>", "<#200000000000000001>",
	"</deploy:1>", "<id:customize>", "<:ok:1>", "<a:ok:1>", "@everyone", "@here", ":tada:", ":+1::100:", "a:b:c", "steam://run/1", "\\", "\\\\", "\\*", "\\`", "``", "`````",
}

func TestAnyRequestIsShownWholeAndWithinDiscordsLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := spiced().Filter(valid).Draw(t, "request")
		s := render.Subject{
			ID: "p01r3v7k2m9qxw", Agent: r.Agent, Context: r.Context, Links: r.Links, Files: ask.Attachments(r.Files), Questions: r.Questions, Deadline: asked,
			Eligible: eligible(ask.PolicyOf(rapid.SampledFrom([][]string{{"anyone"}, {"discord:1", "discord-role:2", "not_requester"}, {"slack:<@1>", "discord:@everyone"}}).Draw(t, "responders")...), "discord"),
			Plain:    rapid.IntRange(0, 4).Draw(t, "plain") == 0,
			Vote:     standings(r.Questions).Draw(t, "vote"),
			At:       rapid.IntRange(0, len(r.Questions)-1).Draw(t, "at"),
			Notify:   audiences("1", "2").Draw(t, "notify"),
			Claims:   rapid.Bool().Draw(t, "claims"), Passes: rapid.Bool().Draw(t, "passes"), AskBack: rapid.Bool().Draw(t, "ask back"),
		}
		live := []string{"<@1>", "<@&2>"}
		s.Draft = drafts(r.Questions).Draw(t, "draft")
		showsWhole(t, s, live)

		s.Outcome = outcomes(r.Questions).Draw(t, "outcome")
		s.Place = rapid.SampledFrom([]string{"", "slack", "in #<@1> on Slack"}).Draw(t, "place")
		closed := drawDiscord(s)
		judgeDiscord(t, closed, live)
		judgeBySchema(t, closed)
		if raw, _ := json.Marshal(closed.Components); strings.Contains(string(raw), "custom_id") {
			t.Errorf("a closed card with controls: %s", raw)
		}
	})
}

// A truncated list can keep a single item. Its mark is still that of a list, because the agent wrote one.
func TestTruncatedListKeepsOneItem(t *testing.T) {
	t.Parallel()
	s := render.Subject{
		ID: "p01x", Agent: "bot", Context: "0" + strings.Repeat("\n- a\n- b\n", 435), Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: "Yes"}}}},
		Eligible: anyone, Deadline: asked,
	}
	if shown, _ := judgeDiscord(t, drawDiscord(s), nil); !strings.Contains(shown, "\n\n- a…") {
		t.Errorf("the list does not end with one item: %s", shown)
	}
}

// spiced are requests with what Discord formats at the start of some texts.
func spiced() *rapid.Generator[ask.Request] {
	return rapid.Custom(func(t *rapid.T) ask.Request {
		r := requests().Draw(t, "request")
		spice(t, &r)
		return r
	})
}

func spice(t *rapid.T, r *ask.Request) {
	piece := rapid.SampledFrom(append(discordNasty, "", "", ""))
	r.Context = piece.Draw(t, "context spice") + r.Context
	for i := range r.Questions {
		q := &r.Questions[i]
		q.Text = piece.Draw(t, "text spice") + q.Text
		for n := range q.Options {
			q.Options[n].Description = piece.Draw(t, "description spice") + q.Options[n].Description
		}
	}
}

// showsWhole checks an open subject: every page is valid, every text is on a page or behind a button, and every
// question can be reached and answered.
func showsWhole(t reporter, s render.Subject, live []string) {
	t.Helper()
	m := drawDiscord(s)
	shown, read := judgeDiscord(t, m, live)
	judgeBySchema(t, m)
	opened := func(text string) string { return discordAngles.ReplaceAllString(text, "$1") }
	whole, without := bare(opened(shown)+"\n"+shown+"\n"+read), bare(opened(shown+"\n"+read))
	for _, part := range parts(s) {
		part = render.Clean(part)
		// If one address is live and the agent put another one in angle brackets, compare without brackets.
		if !strings.Contains(whole, bare(part)) && !strings.Contains(without, bare(opened(part))) && !holds(without, part) {
			t.Errorf("lost %d characters: %.200q", len([]rune(part)), part)
		}
	}
	pages := []surface{m.Components}
	for _, page := range m.Pages {
		pages = append(pages, page)
	}
	var drawn []string
	for _, page := range pages {
		raw, _ := json.Marshal(page)
		drawn = append(drawn, string(raw))
	}
	if inForms(s) { // They are drawn for the buttons of the pages.
		raw, _ := json.Marshal(m.Forms)
		drawn = []string{string(raw)}
	}
	for i, q := range s.Questions {
		lacks := func(page string) bool {
			return slices.ContainsFunc(ways(s, i, q), func(id string) bool { return !strings.Contains(page, id) })
		}
		if !slices.ContainsFunc(drawn, func(page string) bool { return !lacks(page) }) {
			t.Errorf("no page to answer question %d: %q", i, ways(s, i, q))
		}
	}
}

// inForms reports whether the questions are answered in forms instead of on the card.
func inForms(s render.Subject) bool {
	more := func(q ask.Question) bool { return q.Optional || q.Notes }
	return len(s.Questions) > 1 && !s.Plain && !slices.ContainsFunc(s.Questions, more)
}

// ways lists the ids of the controls that answer question i.
func ways(s render.Subject, i int, q ask.Question) []string {
	id := func(v render.Verb, option int) string {
		return `"` + render.Token{Request: s.ID, Verb: v, Question: i, Option: option}.String() + `"`
	}
	var all []string
	switch {
	case q.NoOther:
	case inForms(s):
		all = append(all, id(render.SubmitText, -1))
	default:
		all = append(all, id(render.OpenText, -1))
	}
	switch {
	case !q.Optional:
	case s.Vote == nil && s.Draft[i].Skipped:
		all = append(all, id(render.Unskip, -1))
	default:
		all = append(all, id(render.Skip, -1))
	}
	several := s.Vote != nil && (len(s.Questions) > 1 || q.MultiSelect || q.Notes) || len(s.Questions) >= 6
	if len(q.Options) > 10 || len(q.Options) > 0 && (inForms(s) || several && !s.Plain) {
		return append(all, id(render.Pick, -1))
	}
	for n := range q.Options {
		verb := render.Choose
		if s.Vote == nil && q.MultiSelect && slices.Contains(s.Draft[i].Selected, n) {
			verb = render.Drop
		}
		all = append(all, id(verb, n))
	}
	return all
}

// discordAngles are the invisible angle brackets around a live address.
var discordAngles = regexp.MustCompile(`<(https?://[^\s<>]+)>`)

// bare is fold for Discord, whose escapes are backslashes.
func bare(s string) string { return strings.ReplaceAll(fold(s), `\`, "") }

func TestPagesTurnBothWaysThroughAllQuestions(t *testing.T) {
	t.Parallel()
	q := ask.Question{Text: strings.Repeat("Which of them, and why? ", 100), Options: []ask.Option{{Label: "A"}, {Label: "B"}}}
	s := render.Subject{ID: "p01x", Questions: []ask.Question{q, q, q, q}, Eligible: anyone}
	turns := func(at int) string {
		s.At = at
		return controls(render.Layout(s, components.Limits()))
	}
	for at, want := range []string{"a0.0 t1 m", "a1.1 t0 t2 m", "a2.2 t1 t3 m", "a3.3 t2 m"} {
		if got := turns(at); got != want {
			t.Errorf("page of question %d: %q, want %q", at, got, want)
		}
	}
	for _, at := range []int{-1, 4} {
		if got := turns(at); got != "a0.0 t1 m" {
			t.Errorf("a question that does not exist, %d, shows %q", at, got)
		}
	}
}

// FuzzDiscordText puts one text everywhere an agent or a person can.
func FuzzDiscordText(f *testing.F) {
	for _, s := range append(nasty, discordNasty...) {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		// Clean shows broken text as the very character by which the judge knows
		// that we broke it.
		a, b = strings.ReplaceAll(strings.ToValidUTF8(a, ""), "\uFFFD", ""), strings.ReplaceAll(strings.ToValidUTF8(b, ""), "\uFFFD", "")
		q := ask.Question{Header: a, Text: a + b, Options: []ask.Option{{Label: a, Description: b, Preview: a + b}, {Label: b, Description: a, Preview: b}}}
		s := render.Subject{ID: "p01x", Agent: a, Context: b + a, Questions: []ask.Question{q, q}, Eligible: eligible(ask.PolicyOf("discord:"+a, "slack:"+b), "discord")}
		s.Draft = ask.Draft{0: {Other: a}, 1: {Other: b}}
		judgeDiscord(t, drawDiscord(s), []string{"<@" + render.Line(a) + ">"})
		s.Outcome = ask.Outcome{
			State: ask.Answered, At: asked, By: ask.Person{Platform: "slack", ID: "U1", Name: a},
			Answers: []ask.Answer{{Index: 0, Selected: []string{a, b}, Other: b, Notes: a, By: ask.Person{Platform: "irc", Name: b, ID: a}}},
		}
		judgeDiscord(t, drawDiscord(s), nil)
	})
}
