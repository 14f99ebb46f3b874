package render

import (
	"slices"
	"sort"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// shrinking is how long each text of a question may be, one step after the
// other, until the question fits a page of its own: first whole, then cut more
// and more. The last step fits what any platform takes.
var shrinking = []int{0, 3500, 3000, 2500, 2000, 1500, 1000, 700, 500, 250, 120, 60, 30, 15}

// page is some of a request's questions, as one message shows them.
type page struct {
	first, last int
	sections    []Section
	// cut lists what the page truncates: questions, and -1 for the context.
	cut []int
}

// pagedCard shows the page that holds question s.At.
func pagedCard(s Subject, l Limits) []Section {
	pages := paginate(s, l)
	at := max(0, slices.IndexFunc(pages, func(p page) bool { return p.first <= s.At && s.At <= p.last }))
	p := pages[at]
	return framed(s, p.sections, progress(s, at, len(pages)), pageButtons(s, pages, at, l), l)
}

// paginate splits the questions, in their order, into as few messages as show each whole. Only a
// question that no message can hold is truncated.
func paginate(s Subject, l Limits) []page {
	var pages []page
	lead, cut := lead(s, l)
	for i := range s.Questions {
		sections, shrunk := shrunk(s, i, lead, l)
		if shrunk {
			cut = append(cut, i)
		}
		n := len(pages)
		joins := n > 0 && (!inForms(s, l) || fitsOneForm(s, pages[n-1].first, i, l))
		if joins && fitsPage(s, slices.Concat(pages[n-1].sections, sections), l) {
			last := &pages[n-1]
			last.last, last.sections, last.cut = i, append(last.sections, sections...), append(last.cut, cut...)
		} else {
			pages = append(pages, page{first: i, last: i, sections: slices.Concat(lead, sections), cut: cut})
		}
		lead, cut = nil, nil
	}
	return pages
}

// lead is the context with links and files on the first page: the context whole if the first question
// leaves room for it.
func lead(s Subject, l Limits) (sections []Section, cut []int) {
	if cutsAddress(s, l) {
		cut = []int{-1}
	}
	context, _ := contextSection(s, 0, l)
	whole := append(context, linksAndFiles(s, l)...)
	if s.Context == "" || fitsPage(s, append(slices.Clone(whole), question(s, 0, l)...), l) {
		return whole, cut
	}
	context, shortened := contextSection(s, contextShown, l)
	if shortened {
		cut = []int{-1}
	}
	return append(context, linksAndFiles(s, l)...), cut
}

// shrunk lays question i out so that it fits a page together with the lead.
func shrunk(s Subject, i int, lead []Section, l Limits) (sections []Section, cut bool) {
	fits := func(step int) bool {
		sections = question(cutTo(s, i, shrinking[step], l), i, l)
		return fitsPage(s, slices.Concat(lead, sections), l)
	}
	if fits(0) {
		return sections, false
	}
	last := len(shrinking) - 1
	for shrinking[last] < s.room.least {
		last--
	}
	step := 1 + sort.Search(last-1, func(n int) bool { return fits(n + 1) })
	return question(cutTo(s, i, shrinking[step], l), i, l), true
}

// fitsPage reports whether a page with these sections fits, with every button that may be below.
func fitsPage(s Subject, sections []Section, l Limits) bool {
	var row []Button
	labels := []string{s.voice.label.submit, s.voice.label.back, s.voice.label.next, s.voice.label.read}
	if inForms(s, l) {
		labels = []string{s.voice.label.answer, s.voice.label.other, s.voice.label.back, s.voice.label.next, s.voice.label.read}
	}
	for n, label := range labels {
		row = append(row, Button{Token: s.token(TurnPage, n, -1), Label: label})
	}
	return l.fits(Card{Request: s.ID, State: ask.Open, Sections: framed(s, sections, progress(s, 98, 99), row, l)})
}

// framed puts a page between the bridge's own lines.
func framed(s Subject, sections []Section, progress string, turning []Button, l Limits) []Section {
	top := s.opening(l)
	if progress != "" {
		top[0].Text = append(top[0].Text, Span{Text: progress})
	}
	return slices.Concat(top, withControls(s, sections, turning), voteSections(s, l), talkSections(s, l), stepSections(s, l), s.notice(), []Section{terms(s, l)})
}

// progress names the page and how many questions are answered.
func progress(s Subject, at, pages int) string {
	if pages < 2 {
		return ""
	}
	text := " · " + s.voice.Card.Page(at+1, pages)
	if done := len(s.Questions) - len(s.Draft.Left(s.Questions)); done > 0 {
		text += " · " + s.voice.Card.Answered(done)
	}
	return text
}

// pageButtons are the buttons of a page: to send the answers, turn the page and read it in full.
func pageButtons(s Subject, pages []page, at int, l Limits) []Button {
	var row []Button
	last := at == len(pages)-1
	if inForms(s, l) {
		row = formButtons(s, pages[at].first, pages[at].last, l)
	}
	if at > 0 {
		row = append(row, Button{Token: s.token(TurnPage, pages[at-1].first, -1), Label: s.voice.label.back})
	}
	if !last {
		row = append(row, Button{Token: s.token(TurnPage, pages[at+1].first, -1), Label: s.voice.label.next, Main: !inForms(s, l)})
	}
	if !inForms(s, l) && needsSubmit(s, l) {
		row = append(row, Button{Token: s.token(Submit, -1, -1), Label: s.voice.label.submit, Main: last})
	}
	if cut := pages[at].cut; len(cut) > 0 {
		about := -1
		if len(cut) == 1 {
			about = cut[0]
		}
		row = append(row, Button{Token: s.token(ShowFull, about, -1), Label: s.voice.label.read})
	}
	return row
}

// plainPage is the plain form where there is no form for all questions: one
// question in one text, and its buttons.
func plainPage(s Subject, l Limits) []Section {
	l.Menus = 0
	pages := make([]page, len(s.Questions))
	for i := range pages {
		pages[i] = page{first: i, last: i}
	}
	at := min(max(0, s.At), len(pages)-1)
	controls := slices.DeleteFunc(question(s, at, l), func(sec Section) bool { return sec.Kind == Body })
	var sections []Section
	for step, most := range shrinking {
		if step > 0 && most < s.room.least {
			break
		}
		asked := spelledOut(cutTo(s, at, most, l), at)
		top := s.voice.Card.Asks(s.asker(), 1)
		if s.prompt != nil {
			top = s.lead(s.asker())
		}
		text := top + progress(s, at, len(pages)) + "\n\n" + linkLines(s, l) + asked
		pages[at].cut = nil
		if step > 0 {
			pages[at].cut = append(pages[at].cut, at)
		}
		if s.Context != "" || cutsAddress(s, l) {
			pages[at].cut = append(pages[at].cut, -1)
		}
		shown := append([]Section{{Kind: Body, ID: "plain", Text: []Span{{Text: strings.TrimSpace(text)}}}}, controls...)
		shown = withControls(s, shown, pageButtons(s, pages, at, l))
		sections = slices.Concat(shown, plainVoteSections(s, l), talkSections(s, l), stepSections(s, l), s.notice())
		if l.width(asked) <= plainShown && l.fits(Card{Request: s.ID, State: ask.Open, Sections: sections}) {
			break
		}
	}
	return sections
}
