package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// InboxView is everything a person's inbox is laid out from.
type InboxView struct {
	// Language is that of the person.
	Language string
	// Note is what has just happened to an act of the person, and NoteWho people to name after it.
	Note    string
	NoteWho ask.Eligible
	// Total is how many requests wait. Items are those from entry From on, at most [InboxPage].
	Total, From int
	Items       []InboxItem
	// Decided and Passed are what the person did lately, newest first.
	Decided, Passed []InboxLine
	// Refresh offers to read the inbox again, where changes do not appear by themselves.
	Refresh bool
}

// InboxItem is one request that waits.
type InboxItem struct {
	// Subject is that of the card of the request.
	Subject Subject
	// Pass offers to pass the request on.
	Pass bool
	// Link is the address of the card; empty if it is unknown.
	Link string
}

// InboxLine is one request that the person decided or passed on.
type InboxLine struct {
	Title, Agent string
	// Chosen is what the request was answered with, and At when; empty for a pass.
	Chosen string
	At     time.Time
	// To is the person it was passed on to, and Open whether it is still open.
	To   ask.Person
	Open bool
}

const (
	// InboxPage is the maximum number of requests on a page.
	InboxPage = 5
	// InboxLines is the maximum number of lines about what the person did.
	InboxLines = 3
	// itemShown is the length of a request in the inbox. A longer one is answered on its card, because a person
	// answers only what they can read in full.
	itemShown = 600
	// titleShown is the length of a title there.
	titleShown = 80
)

// Inbox lays a person's inbox out as one message. Its controls carry the same tokens as on the cards. A page holds as many
// of the items as fit.
func Inbox(v InboxView, l Limits) Card {
	voice := voiceIn(v.Language)
	l.SharedDraft = false
	var c Card
	for n := min(len(v.Items), InboxPage); ; n-- {
		if c = inboxCard(v, voice, n, l); n <= 1 || l.fits(c) {
			return c
		}
	}
}

// inboxCard shows the first n items.
func inboxCard(v InboxView, voice *voice, n int, l Limits) Card {
	state := voice.Inbox.Empty
	if v.Total > 0 {
		state = voice.Inbox.Waiting(v.Total)
	}
	title := []Span{{Style: Bold, Text: voice.Inbox.Title}, {Text: " · " + state}}
	if n > 0 && n < v.Total {
		title = append(title, Span{Text: " · " + voice.Inbox.Shown(v.From+1, v.From+n, v.Total)})
	}
	c := Card{Request: InboxID, State: ask.Open, Language: v.Language, Summary: []Span{{Text: voice.Inbox.Title + " · " + state}}}
	c.Sections = []Section{{Kind: Body, ID: "title", Text: title}}
	if v.Note != "" {
		note := []Span{{Text: Clean(v.Note)}}
		if who := Who(v.NoteWho, l, v.Language); len(who) > 0 {
			note = append(append(note, Span{Text: " "}), who...)
		}
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "note", Text: note})
	}
	for at, item := range v.Items[:n] {
		c.Sections = append(c.Sections, Section{Kind: Rule, ID: fmt.Sprintf("i%d.rule", at)})
		for _, sec := range inboxItem(item, v.Language, l) {
			sec.ID = fmt.Sprintf("i%d.%s", at, sec.ID)
			c.Sections = append(c.Sections, sec)
		}
	}
	var row []Button
	if v.From > 0 {
		row = append(row, Button{Token: InboxToken(max(0, v.From-InboxPage)), Label: voice.label.back})
	}
	if v.From+n < v.Total {
		row = append(row, Button{Token: InboxToken(v.From + n), Label: voice.label.next})
	}
	if v.Refresh {
		row = append(row, Button{Token: InboxToken(v.From), Label: voice.Inbox.Refresh})
		row[len(row)-1].Token.Option = 0 // Two controls of a message differ.
	}
	if len(row) > 0 {
		c.Sections = append(c.Sections, Section{Kind: Row, ID: "pages", Buttons: row})
	}
	below := slices.Concat(inboxLines(v.Decided, "decided", voice.Inbox.Decided, voice, l), inboxLines(v.Passed, "passed", voice.Inbox.Passed, voice, l))
	if len(below) > 0 {
		c.Sections = append(append(c.Sections, Section{Kind: Rule, ID: "rule"}), below...)
	}
	return c
}

// inboxItem shows one request: in full with its controls, or its beginning with the way to its card.
func inboxItem(item InboxItem, language string, l Limits) []Section {
	s := item.Subject
	s.Language, s.Draft, s.room = language, nil, rooms[0]
	s = s.clean()
	top := s.asks()
	for _, until := range expiry(s) {
		top[0].Text = append(append(top[0].Text, Span{Text: " · "}), until.Text...)
	}
	text, whole := inboxText(s, l)
	sections := slices.Concat(top, text, voteSections(s, l))
	var row []Button
	if whole {
		row = inboxButtons(s, l)
	}
	if row == nil {
		sections = append(sections, Section{Kind: Frame, ID: "on_card", Text: []Span{{Text: s.voice.Inbox.OnCard}}})
	}
	if item.Pass {
		row = append(row, Button{Token: s.token(OpenPass, -1, -1), Label: s.voice.label.pass})
	}
	if item.Link != "" {
		row = append(row, Button{Token: s.token(Follow, 0, -1), Label: linkSign + " " + s.voice.Inbox.Open, URL: item.Link})
	}
	if len(row) > 0 {
		sections = append(sections, Section{Kind: Row, ID: "row", Buttons: row})
	}
	return sections
}

// inboxText is what a request asks, and whether that is all of it: what a person cannot read here they do not
// answer here.
func inboxText(s Subject, l Limits) (sections []Section, whole bool) {
	sections, _ = contextSection(s, 0, l)
	sections = append(sections, linkSections(s, l)...)
	for n := range s.Questions {
		sections = append(sections, question(s, n, l)...)
	}
	size := 0
	sections = slices.DeleteFunc(sections, func(sec Section) bool { return sec.Kind != Body })
	for _, sec := range sections {
		for _, span := range sec.Text {
			size += l.width(span.Text)
		}
	}
	if size <= itemShown && len(s.Files) == 0 && s.Filing == FilesStand {
		return sections, true
	}
	return []Section{{Kind: Body, ID: "outline", Text: outline(s, itemShown/3, l)}}, false
}

// inboxButtons answer a request in the inbox: the buttons of its card, or one that opens its form; none if it takes
// the card.
func inboxButtons(s Subject, l Limits) []Button {
	if len(s.Questions) == 1 {
		a := asking{Subject: s, l: l, q: s.Questions[0], how: choose(s, s.Questions[0], l)}
		a.offer = s.voice.offering(a.q, l.buttonText(), false)
		if !a.q.MultiSelect && (a.how == buttons || a.how == written) {
			return a.row()
		}
	}
	switch last := len(s.Questions) - 1; {
	case inForms(s, l) && fitsOneForm(s, 0, last, l):
		return formButtons(s, 0, last, l)
	case l.FormFields == 0:
		return answering(s)
	}
	return nil
}

// inboxLines list requests that the person dealt with, one a line.
func inboxLines(lines []InboxLine, id, heading string, voice *voice, l Limits) []Section {
	if len(lines) == 0 {
		return nil
	}
	text := []Span{{Style: Bold, Text: heading}}
	for _, line := range lines[:min(len(lines), InboxLines)] {
		text = append(text, Span{Text: "\n"})
		title := Span{Text: Isolate(unbracketed.Replace(Cut(Line(line.Title), titleShown, nil)))}
		switch {
		case line.To.ID != "":
			state := voice.Inbox.Over
			if line.Open {
				state = voice.Inbox.Pending
			}
			text = append(text, title, Span{Text: " · "})
			text = append(text, fill(Plain, voice.Inbox.PassedTo(slot0), one(voice.person(line.To, l)))...)
			text = append(text, Span{Text: " · " + state})
		default:
			text = append(text, Span{Style: Bold, Text: Cut(Line(line.Chosen), titleShown, nil)}, Span{Text: " · "}, title, Span{Text: " · "}, Subject{voice: voice}.moment(line.At))
		}
	}
	return []Section{{Kind: Body, ID: id, Text: text}}
}
