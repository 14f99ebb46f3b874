package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// ended lays out a closed card as a record: what was chosen, how it ended, by which person and when; then what was
// asked, what was not chosen, and whether the agent has the answer. It has no controls.
func ended(s Subject, l Limits) Card {
	c := Card{Request: s.ID, State: s.Outcome.State, Language: s.Language, Summary: verdict(s, l)}
	c.Sections = []Section{{Kind: Body, ID: "end", Text: closingLine(s, l)}}
	if len(s.Questions) > 0 || s.Agent != "" {
		c.Sections = append(c.Sections, s.top(s.voice.Card.Asked(slot0, len(s.Questions)))...)
	}
	shares := len(s.Questions)
	if s.Vote != nil {
		shares++
	}
	share := share(shares, l)
	for i := range s.Questions {
		c.Sections = append(c.Sections, Section{Kind: Body, ID: fmt.Sprintf("q%d.text", i), Text: decidedQuestion(s, i, share, l)})
	}
	c.Sections = append(c.Sections, contextLine(s, l)...)
	if reason := endReason(s); reason != "" {
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "reason", Text: []Span{
			{Style: Aside, Text: reasonLabel(s)}, {Text: " " + Cut(reason, min(reasonShown, share), l.Width)},
		}})
	}
	c.Sections = append(c.Sections, fileSections(s)...)
	c.Sections = append(c.Sections, joinedSection(s)...)
	c.Sections = append(append(c.Sections, voteSections(s, l)...), receiptSection(s)...)
	if s.Plain {
		c.Sections = flat(c.Sections)
	}
	return c
}

// decidedQuestion is one question of a closed card on a line, with the choice below it.
func decidedQuestion(s Subject, i, share int, l Limits) []Span {
	q := s.Questions[i]
	asked := share * askedShown / (askedShown + chosenShown)
	var spans []Span
	if q.Header != "" && q.Header != q.Text {
		spans = append(spans, Span{Style: Bold, Text: Cut(q.Header, asked/3, l.Width)}, Span{Text: "\n"})
	}
	spans = append(spans, oneLine(Cut(Line(q.Text), asked*2/3, l.Width))...)
	spans = append(spans, permissionPreview(s, q, share, l)...)
	for _, a := range s.Outcome.Answers {
		if a.Index != i || s.Outcome.State != ask.Answered {
			continue
		}
		selected, each := chosen(a, share-asked, l)
		if heads(s, l) != nil {
			selected = nil
		}
		for _, label := range selected {
			spans = append(spans, Span{Text: "\n→ "}, Span{Style: Bold, Text: shortened(s, i, []string{label}, label, each, l)})
		}
		if more := len(a.Selected) - len(selected); more > 0 && selected != nil {
			spans = append(spans, Span{Text: "\n→ " + s.voice.Card.AndMore(more)})
		}
		if a.Other != "" {
			spans = append(spans, Span{Text: "\n→ "}, Span{Style: Aside, Text: s.voice.End.Typed}, Span{Text: " " + Cut(Line(a.Other), each, l.Width)})
		}
		if a.By.Key() != s.Outcome.By.Key() && a.By.ID != "" && s.Vote == nil {
			spans = append(spans, byline(s, s.voice.person(a.By, l))...)
		}
		spans = append(spans, answerNote(s, a.Notes, a.NotesBy, each, l)...)
		break
	}
	return append(append(spans, unansweredQuestion(s, i, share-asked, l)...), notChosen(s, i, min(notChosenShown, share/4), l)...)
}

// heads is the choice that heads a closed card: that of a lone question, if it is short enough. Nil shows the choices
// below each question.
func heads(s Subject, l Limits) []Span {
	if s.Outcome.State != ask.Answered || len(s.Questions) != 1 || len(s.Outcome.Answers) != 1 {
		return nil
	}
	a := s.Outcome.Answers[0]
	text := Line(strings.Join(a.Selected, ", "))
	if text == "" || a.Other != "" || l.width(text) > headShown {
		return nil
	}
	return []Span{{Style: Bold, Text: text}, {Text: " · "}}
}

// notChosen names the options of a question that no one chose, as far as the room goes, and counts the others. While a
// sealed vote hides what was chosen, it lists all options.
func notChosen(s Subject, i, room int, l Limits) []Span {
	var chosen, labels []string
	hidden := s.Outcome.State == ask.Answered
	for _, a := range s.Outcome.Answers {
		if a.Index == i && s.Outcome.State == ask.Answered {
			chosen, hidden = a.Selected, false
		}
	}
	isThis := func(u ask.Unanswered) bool { return u.Index == i }
	hidden = hidden && !slices.ContainsFunc(s.Outcome.Skipped, isThis) && !slices.ContainsFunc(s.Outcome.Left, isThis)
	left := 0
	for _, o := range s.Questions[i].Options {
		if slices.Contains(chosen, o.Label) {
			continue
		}
		label := Cut(Line(o.Label), room/2, l.Width)
		if room -= l.width(label) + 2; room < 0 || left > 0 {
			left++
			continue
		}
		labels = append(labels, label)
	}
	if len(labels) == 0 {
		return nil
	}
	text := " " + strings.Join(labels, ", ")
	if left > 0 {
		text += " " + s.voice.Card.AndMore(left)
	}
	if hidden {
		return []Span{{Text: "\n" + strings.TrimSpace(text)}}
	}
	return []Span{{Text: "\n"}, {Style: Aside, Text: s.voice.End.NotChosen}, {Text: text}}
}

// contextLine is the beginning of the context, without the marks of its Markdown.
func contextLine(s Subject, l Limits) []Section {
	var text strings.Builder
	for _, span := range markdown(s.Context) {
		text.WriteString(span.Text)
	}
	first, _, more := strings.Cut(text.String(), "\n")
	if first == "" {
		return nil
	}
	if more {
		first += " " + Ellipsis
	}
	return []Section{{Kind: Body, ID: "context", Text: oneLine(Cut(Line(first), contextKept, l.Width))}}
}

// permissionPreview is the beginning of what a permission covers: the command or the file, with the
// folder.
func permissionPreview(s Subject, q ask.Question, share int, l Limits) []Span {
	if s.prompt == nil {
		return nil
	}
	text := strings.SplitAfterN(s.prompt.whole(), "\n", aboutLines+1)
	shown := strings.TrimRight(strings.Join(text[:min(len(text), aboutLines)], ""), "\n")
	if len(text) > aboutLines {
		shown += "\n…"
	}
	return []Span{{Style: Code, Text: Cut(shown, min(aboutShown, share/3), l.Width)}}
}

// unansweredQuestion states that an optional question has no answer, and why.
func unansweredQuestion(s Subject, i, room int, l Limits) []Span {
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
				spans = append(spans, byline(s, s.voice.person(u.By, l))...)
			}
			return append(spans, answerNote(s, u.Notes, u.NotesBy, room, l)...)
		}
	}
	return nil
}

// answerNote is the note on an answer, if there is one.
func answerNote(s Subject, note string, by ask.Person, room int, l Limits) []Span {
	if note == "" {
		return nil
	}
	spans := []Span{{Text: "\n"}, {Style: Aside, Text: s.voice.End.Note}, {Text: " " + Cut(Line(note), room, l.Width)}}
	if by.ID != "" && by.Key() != s.Outcome.By.Key() {
		spans = append(spans, byline(s, s.voice.person(by, l))...)
	}
	return spans
}

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

// closingLine states how the request ended.
func closingLine(s Subject, l Limits) []Span {
	spans := append(heads(s, l), ending(s, l)...)
	if s.Outcome.State == ask.Answered {
		spans = append([]Span{{Text: "✓ "}}, spans...)
	}
	if s.Held != nil {
		return append(spans, undoNotice(s)...)
	}
	if !s.Outcome.At.IsZero() {
		spans = append(spans, Span{Text: " · "}, s.moment(s.Outcome.At))
	}
	if s.Handed > 0 {
		spans = append(spans, fill(Plain, " · "+s.voice.End.Handed(s.Handed, slot0), one(s.moment(s.HandedAt)))...)
	}
	return spans
}

// undoNotice states how long a decision can be undone. From a minute on it names the time instead: a
// reader who opens the card after nine of ten minutes would read that there are ten.
func undoNotice(s Subject) []Span {
	if s.Held.For < time.Minute {
		return []Span{{Text: " · " + s.voice.End.Undoable(int(s.Held.For.Round(time.Second).Seconds()))}}
	}
	return fill(Plain, " · "+s.voice.End.UndoableUntil(slot0), one(s.moment(s.Held.Until)))
}

// ending states in a few words how the request ended, by which person and where.
func ending(s Subject, l Limits) []Span {
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
		by = Span{Text: name} // The platform follows.
	}
	spans = append(spans, byline(s, by)...)
	if s.Place != "" {
		spans = append(spans, Span{Text: " " + decidedPlace(s)})
	}
	return spans
}

// byline continues a line with who did something.
func byline(s Subject, who Span) []Span { return fill(Plain, " "+s.voice.End.By(slot0), one(who)) }

// decidedPlace names the place where the request was decided.
func decidedPlace(s Subject) string {
	if strings.Contains(s.Place, " ") {
		return Cut(s.Place, 2*agentShown, nil)
	}
	return s.voice.End.On(s.voice.titled(s.Place))
}

// endReason is why the request ended, if the closing line does not include it.
func endReason(s Subject) string {
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

func reasonLabel(s Subject) string {
	if s.Outcome.End() == ask.EndReplied {
		return s.voice.End.Reply
	}
	return s.voice.End.Reason
}

// verdict is the summary of a closed card.
func verdict(s Subject, l Limits) []Span {
	spans := ending(s, l)
	var about []string
	for _, a := range s.Outcome.Answers {
		var chosen []string
		for _, label := range a.Selected {
			chosen = append(chosen, shortened(s, a.Index, []string{label}, label, summaryShown, Limits{}))
		}
		if a.Other != "" {
			chosen = append(chosen, Line(a.Other))
		}
		about = append(about, strings.Join(chosen, ", "))
	}
	if len(about) > 0 {
		spans = append(spans, Span{Text: ": " + Cut(strings.Join(about, "; "), summaryShown, nil)})
	}
	if len(s.Questions) > 0 {
		asked := s.voice.Card.Asked(s.asker(), len(s.Questions)) + ": " + Cut(Line(s.Questions[0].Text), summaryShown, nil)
		spans = append(spans, Span{Text: " · " + asked})
	}
	return spans
}

// held lays out a card whose request is decided and can still be undone: like a closed card, with a
// button to undo it. For a vote that is secret until the end it shows only that there is a decision.
func held(s Subject, l Limits) Card {
	if s.Vote != nil && s.Vote.Rule.Show != ask.ShowLive {
		s.Outcome = ask.Outcome{State: ask.Answered}
	}
	c := ended(s, l)
	c.State = ask.Open
	undo := Button{Token: s.token(Undo, -1, s.Held.Number), Label: s.voice.label.undo}
	c.Sections = append(c.Sections, Section{Kind: Row, ID: "undo", Buttons: append([]Button{undo}, more(s)...)})
	return c
}
