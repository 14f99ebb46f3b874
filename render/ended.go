package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// What a closed card shows at most, in characters as sent. Ten questions of
// this size stay below what any platform takes, and share less where it takes
// less.
const (
	askedShown  = 300
	chosenShown = 700
	reasonShown = 600
	// aboutShown and aboutLines are how much of what a permission covers.
	aboutShown = 300
	aboutLines = 6
)

// ended lays out a closed card: no controls, what was decided, and the line
// that says how, by whom and when.
func ended(s Subject, l Limits) Card {
	c := Card{Request: s.ID, State: s.Outcome.State, Language: s.Language, Summary: s.verdict(l)}
	if len(s.Questions) > 0 || s.Agent != "" {
		c.Sections = s.top(s.voice.Card.Asked(slot0, len(s.Questions)))
	}
	shares := len(s.Questions)
	if s.Vote != nil {
		shares++
	}
	share := share(shares, l)
	for i := range s.Questions {
		c.Sections = append(c.Sections, Section{Kind: Body, ID: fmt.Sprintf("q%d.text", i), Text: s.decided(i, share, l)})
	}
	if reason := s.reason(); reason != "" {
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "reason", Text: []Span{
			{Style: Aside, Text: s.reasonLabel()}, {Text: " " + Cut(reason, min(reasonShown, share), l.Width)},
		}})
	}
	c.Sections = append(c.Sections, s.files()...)
	c.Sections = append(c.Sections, s.joined()...)
	c.Sections = append(append(c.Sections, s.votes(l)...), Section{Kind: Frame, ID: "end", Text: s.closed(l)})
	c.Sections = append(c.Sections, s.receipt()...)
	if s.Plain {
		c.Sections = flat(c.Sections)
	}
	return c
}

// share is how much text each of n questions may take on a closed card.
func share(n int, l Limits) int {
	if l.Text == 0 {
		return askedShown + chosenShown
	}
	return min(askedShown+chosenShown, l.Text*2/3/(n+1))
}

// decided is one question of a closed card on a line, and below it what was
// chosen.
func (s Subject) decided(i, share int, l Limits) []Span {
	q := s.Questions[i]
	asked := share * askedShown / (askedShown + chosenShown)
	var spans []Span
	if q.Header != "" && q.Header != q.Text {
		spans = append(spans, Span{Style: Bold, Text: Cut(q.Header, asked/3, l.Width)}, Span{Text: "\n"})
	}
	spans = append(spans, oneLine(Cut(Line(q.Text), asked*2/3, l.Width))...)
	spans = append(spans, s.about(q, share, l)...)
	for _, a := range s.Outcome.Answers {
		if a.Index != i || s.Outcome.State != ask.Answered {
			continue
		}
		selected, each := chosen(a, share-asked, l)
		for _, label := range selected {
			spans = append(spans, Span{Text: "\n→ "}, Span{Style: Bold, Text: s.shortened(i, []string{label}, label, each, l)})
		}
		if more := len(a.Selected) - len(selected); more > 0 {
			spans = append(spans, Span{Text: "\n→ " + s.voice.Card.AndMore(more)})
		}
		if a.Other != "" {
			spans = append(spans, Span{Text: "\n→ "}, Span{Style: Aside, Text: s.voice.End.Typed}, Span{Text: " " + Cut(Line(a.Other), each, l.Width)})
		}
		if a.By.Key() != s.Outcome.By.Key() && a.By.ID != "" && s.Vote == nil {
			spans = append(spans, s.by(s.voice.person(a.By, l))...)
		}
		spans = append(spans, s.noted(a.Notes, a.NotesBy, each, l)...)
		break
	}
	return append(spans, s.undecided(i, share-asked, l)...)
}

// about is the beginning of what a permission covers: the command or the file, with the folder.
func (s Subject) about(q ask.Question, share int, l Limits) []Span {
	if !s.Permission || len(q.Options) == 0 || q.Options[0].Preview == "" {
		return nil
	}
	text := strings.SplitAfterN(q.Options[0].Preview, "\n", aboutLines+1)
	shown := strings.TrimRight(strings.Join(text[:min(len(text), aboutLines)], ""), "\n")
	if len(text) > aboutLines {
		shown += "\n…"
	}
	return []Span{{Style: Code, Text: Cut(shown, min(aboutShown, share/3), l.Width)}}
}

// undecided says of an optional question without an answer that it has none, and why.
func (s Subject) undecided(i, room int, l Limits) []Span {
	for _, none := range []struct {
		all  []ask.Unanswered
		word string
	}{{s.Outcome.Skipped, s.voice.End.LeftOut}, {s.Outcome.Left, s.voice.End.NotAnswered}} {
		for _, u := range none.all {
			if u.Index != i || s.Outcome.State != ask.Answered {
				continue
			}
			spans := []Span{{Text: "\n→ "}, {Style: Aside, Text: none.word}}
			if u.By.Key() != s.Outcome.By.Key() && u.By.ID != "" && s.Vote == nil {
				spans = append(spans, s.by(s.voice.person(u.By, l))...)
			}
			return append(spans, s.noted(u.Notes, u.NotesBy, room, l)...)
		}
	}
	return nil
}

// noted is the note beside an answer, if there is one.
func (s Subject) noted(note string, by ask.Person, room int, l Limits) []Span {
	if note == "" {
		return nil
	}
	spans := []Span{{Text: "\n"}, {Style: Aside, Text: s.voice.End.Note}, {Text: " " + Cut(Line(note), room, l.Width)}}
	if by.ID != "" && by.Key() != s.Outcome.By.Key() {
		spans = append(spans, s.by(s.voice.person(by, l))...)
	}
	return spans
}

// leastShown is how much room an answer needs to be known by.
const leastShown = 20

// chosen is which labels of an answer a closed card names within so much room,
// and how much of it each text of the answer may take.
func chosen(a ask.Answer, room int, l Limits) (labels []string, each int) {
	total := l.width(a.Other) + l.width(a.Notes)
	for _, label := range a.Selected {
		total += l.width(label)
	}
	if n := len(a.Selected); total > room || n*leastShown > room {
		labels = a.Selected[:min(n, max(1, room/leastShown))]
		return labels, room / (len(labels) + 2)
	}
	return a.Selected, room
}

// shortened is a text that names options of question q, behind their numbers where it is cut: long
// labels may begin alike, and the open card has numbered them.
func (s Subject) shortened(q int, selected []string, text string, most int, l Limits) string {
	if l.width(text) <= most || q >= len(s.Questions) {
		return Cut(text, most, l.Width)
	}
	var numbers []string
	for _, label := range selected {
		if n := slices.IndexFunc(s.Questions[q].Options, func(o ask.Option) bool { return o.Label == label }); n >= 0 {
			numbers = append(numbers, strconv.Itoa(n+1))
		}
	}
	if len(numbers) == 0 {
		return Cut(text, most, l.Width)
	}
	number := strings.Join(numbers, ", ") + ". "
	return number + Isolate(Cut(text, max(most-len(number), leastShown/2), l.Width))
}

// closed is the line that says how the request ended.
func (s Subject) closed(l Limits) []Span {
	spans := s.ending(l)
	if s.Outcome.State == ask.Answered {
		spans = append([]Span{{Text: "✓ "}}, spans...)
	}
	if s.Held != nil {
		return append(spans, s.undoable()...)
	}
	if !s.Outcome.At.IsZero() {
		spans = append(spans, Span{Text: " · "}, s.moment(s.Outcome.At))
	}
	if s.Handed > 0 {
		spans = append(spans, fill(Plain, " · "+s.voice.End.Handed(s.Handed, slot0), one(s.moment(s.HandedAt)))...)
	}
	return spans
}

// undoable says how long a decision can be undone. From a minute on it names the moment:
// who opens the card after nine of ten minutes would read that there are ten.
func (s Subject) undoable() []Span {
	if s.Held.For < time.Minute {
		return []Span{{Text: " · " + s.voice.End.Undoable(int(s.Held.For.Round(time.Second).Seconds()))}}
	}
	return fill(Plain, " · "+s.voice.End.UndoableUntil(slot0), one(s.moment(s.Held.Until)))
}

// ending says in a few words how the request ended, by whom and where.
func (s Subject) ending(l Limits) []Span {
	o := s.Outcome
	how := s.voice.End.Unanswered
	switch o.End() {
	case ask.EndAnswered:
		if how = s.voice.End.Answered; len(o.Answers) == 0 && len(o.Skipped)+len(o.Left) > 0 {
			how = s.voice.End.Skipped
		}
	case ask.EndReplied:
		how = s.voice.End.Replied
	case ask.EndDismissed:
		how = s.voice.End.Dismissed
	case ask.EndWithdrawn:
		how = s.voice.End.Withdrawn
	case ask.EndExpired:
		if how = s.voice.End.Expired; s.Vote != nil && len(s.Vote.Votes) > 0 {
			how = s.voice.End.Undecided
		}
	case ask.EndSuperseded:
		how = s.voice.End.Replaced
	}
	if s.Vote != nil && o.End() == ask.EndAnswered {
		return []Span{{Text: s.voice.End.ByVote}}
	}
	spans := []Span{{Text: how}}
	if o.By.ID == "" {
		return spans
	}
	by := s.voice.person(o.By, l)
	if name := Cut(Line(o.By.Name), agentShown, nil); by.Style != Mention && s.Place != "" && name != "" {
		by = Span{Text: name} // The platform stands behind it.
	}
	spans = append(spans, s.by(by)...)
	if s.Place != "" {
		spans = append(spans, Span{Text: " " + s.place()})
	}
	return spans
}

// by goes on with who did something.
func (s Subject) by(who Span) []Span { return fill(Plain, " "+s.voice.End.By(slot0), one(who)) }

// place says in words where the request was decided.
func (s Subject) place() string {
	if strings.Contains(s.Place, " ") {
		return Cut(s.Place, 2*agentShown, nil)
	}
	return s.voice.End.On(s.voice.titled(s.Place))
}

// reason is why the request ended, where the closing line does not say it.
func (s Subject) reason() string {
	switch s.Outcome.End() {
	case ask.EndExpired:
		if s.Vote == nil || len(s.Vote.Votes) == 0 {
			return ""
		}
	case ask.EndAnswered, ask.EndDismissed, ask.EndSuperseded:
		return ""
	}
	return s.voice.Reason(s.Outcome.Reason)
}

func (s Subject) reasonLabel() string {
	if s.Outcome.End() == ask.EndReplied {
		return s.voice.End.Reply
	}
	return s.voice.End.Reason
}

// verdict is the summary of a closed card.
func (s Subject) verdict(l Limits) []Span {
	spans := s.ending(l)
	var about []string
	for _, a := range s.Outcome.Answers {
		var chosen []string
		for _, label := range a.Selected {
			chosen = append(chosen, s.shortened(a.Index, []string{label}, label, summaryShown, Limits{}))
		}
		if a.Other != "" {
			chosen = append(chosen, Line(a.Other))
		}
		about = append(about, strings.Join(chosen, ", "))
	}
	if s.Outcome.State != ask.Answered && len(s.Questions) > 0 {
		about = []string{Line(s.Questions[0].Text)}
	}
	if len(about) > 0 {
		spans = append(spans, Span{Text: ": " + Cut(strings.Join(about, "; "), summaryShown, nil)})
	}
	return spans
}

// flat is the plain form of a closed card: one text.
func flat(sections []Section) []Section {
	one := Section{Kind: Body, ID: "plain"}
	for i, sec := range sections {
		if i > 0 {
			one.Text = append(one.Text, Span{Text: "\n\n"})
		}
		one.Text = append(one.Text, sec.Text...)
	}
	for i := range one.Text {
		switch span := &one.Text[i]; span.Style {
		case Bold, Aside, Mono, Link:
			span.Style = Plain
		}
	}
	return []Section{one}
}
