package render

import (
	"cmp"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// DigestView is everything a digest is laid out from: the message that lists what waits for a person or in a channel.
type DigestView struct {
	// ID identifies the message.
	ID       string
	Language string
	// Channel is true for a channel, At is when the list was made.
	Channel bool
	At      time.Time
	// Total is how many requests wait. Items are the first [DigestItems] of them.
	Total int
	Items []DigestItem
}

// DigestItem is one request that waits.
type DigestItem struct {
	Title, Agent string
	// Deadline is zero for none.
	Deadline time.Time
	// Link is the address of the card; empty if it is unknown.
	Link string
}

// DigestItems is the maximum number of requests that a digest names.
const DigestItems = 5

// Digest lays out a digest. Its buttons only lead to the cards.
func Digest(v DigestView) Card {
	voice := voiceIn(v.Language)
	title := voice.Inbox.Waiting(v.Total)
	switch {
	case v.Channel && v.Total == 0:
		title = voice.Digest.DoneHere
	case v.Channel:
		title = voice.Digest.Here(v.Total)
	case v.Total == 0:
		title = voice.Digest.Done
	}
	c := Card{Request: v.ID, State: ask.Open, Language: v.Language, Summary: []Span{{Text: title}}}
	c.Sections = []Section{{Kind: Body, ID: "title", Text: []Span{{Style: Bold, Text: title}}}}
	for n, item := range v.Items[:min(len(v.Items), DigestItems)] {
		c.Sections = append(c.Sections, digestItem(v.ID, n, item, voice)...)
	}
	if more := v.Total - DigestItems; more > 0 {
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "more", Text: []Span{{Text: voice.Card.AndMore(more)}}})
	}
	asOf := fill(Plain, voice.Digest.AsOf(slot0), one(Subject{voice: voice}.moment(v.At)))
	c.Sections = append(c.Sections, Section{Kind: Frame, ID: "as_of", Text: asOf})
	return c
}

// digestItem is one request: its title, who asks until when, and the way to its card.
func digestItem(request string, n int, item DigestItem, voice *voice) []Section {
	id := fmt.Sprintf("d%d", n)
	title := cmp.Or(Cut(Line(Clean(item.Title)), titleShown, nil), voice.Card.NoText)
	below := []Span{{Text: cmp.Or(Cut(Line(Clean(item.Agent)), agentShown, nil), voice.Card.AnAgent)}}
	if !item.Deadline.IsZero() {
		below = append(below, Span{Text: " · "})
		below = append(below, fill(Plain, voice.Card.Until(slot0), one(Subject{voice: voice}.deadline(item.Deadline)))...)
	}
	sections := []Section{
		{Kind: Body, ID: id, Text: []Span{{Text: title}}},
		{Kind: Frame, ID: id + ".below", Text: below},
	}
	if item.Link != "" {
		link := Button{Token: Token{Request: request, Verb: Follow, Question: n, Option: -1}, Label: linkSign + " " + voice.Inbox.Open, URL: item.Link}
		sections = append(sections, Section{Kind: Row, ID: id + ".row", Buttons: []Button{link}})
	}
	return sections
}
