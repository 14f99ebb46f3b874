package audit

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Kinds of lines that are not kinds of record events.
const (
	// kindErased records an erasure.
	kindErased = "erased"
	// KindWrote is a part of an answer that another person wrote than the one who ended the request.
	KindWrote = "wrote"
	// KindCounted is a vote that counted at the end of a request.
	KindCounted = "counted"
)

// maxText is the maximum length of one text.
const maxText = 16 << 10

// draft is an event that is not in a chain yet.
type draft struct {
	line Line
	text Text
	card *record.Copy // Whose address belongs in the line.
	at   time.Time    // Sort key among other drafts.
}

// draftsOf returns the lines of a record's events after one.
func draftsOf(r *record.Record, after int64) (all []*draft) {
	if r.Trail == nil {
		return nil
	}
	for n := range r.Trail.Events {
		if e := &r.Trail.Events[n]; e.Seq > after {
			all = append(all, draftsOfEvent(r, e)...)
		}
	}
	return all
}

// draftsOfEvent returns the lines of one event. The end of a request also has a line for each
// counted vote and for each other person who wrote a part of the answer, because a text is
// erased together with the person of its line.
func draftsOfEvent(r *record.Record, e *record.Event) []*draft {
	d := &draft{line: Line{
		At: e.At.UTC(), Tenant: r.Tenant, Request: r.ID, Seq: e.Seq, Revision: e.Revision, Kind: string(e.Kind), Agent: r.Agent, Act: e.Act, Detail: e.Detail,
	}}
	if e.Kind == record.EventAsked {
		d.line.Route = r.Route
	}
	all := []*draft{d}
	d.by(r, e.By)
	d.chose(e.Choices)
	d.say(e.Text)
	if e.Kind == record.EventPosted {
		d.card = postedAt(r, e.Detail)
	}
	o := &r.Outcome
	if string(e.Kind) != string(o.State) || r.Open() {
		return all
	}
	extra := func(kind string, who ask.Person) *draft {
		next := &draft{line: d.line}
		next.line.Kind, next.line.Act, next.line.Detail, next.line.Choices = kind, "", "", nil
		next.by(r, who)
		all = append(all, next)
		return next
	}
	authors := map[string]*draft{e.By.Key(): d}
	say := func(who ask.Person, text string) {
		if text == "" {
			return
		}
		who = cmp.Or(who, e.By)
		if authors[who.Key()] == nil {
			authors[who.Key()] = extra(KindWrote, who)
		}
		authors[who.Key()].say(text)
	}
	for _, a := range o.Answers {
		d.line.Choices = append(d.line.Choices, Choice{Question: a.Index, Labels: a.Selected, Typed: a.Other != ""})
		say(a.By, a.Other)
		say(cmp.Or(a.NotesBy, a.By), a.Notes)
	}
	for _, s := range o.Skipped {
		d.line.Choices = append(d.line.Choices, Choice{Question: s.Index, Skipped: true})
		say(cmp.Or(s.NotesBy, s.By), s.Notes)
	}
	d.say(o.Reason)
	for _, v := range o.Votes {
		counted := extra(KindCounted, v.By)
		counted.chose(v.Choices)
		if v.Dismissed {
			counted.line.Detail = "dismiss"
		}
		counted.say(v.Reply)
	}
	return all
}

// postedAt returns the card at a place; nil if there is none.
func postedAt(r *record.Record, place string) *record.Copy {
	n := slices.IndexFunc(r.Copies, func(c record.Copy) bool { return c.Target.String() == place && c.Ref != (record.MessageRef{}) })
	if n < 0 {
		return nil
	}
	card := r.Copies[n] // A copy: the record belongs to the caller.
	return &card
}

// link adds the address of the card to the line of its post.
func (d *draft) link(address func(ask.Place, record.MessageRef) string) {
	if d.card == nil {
		return
	}
	d.line.Detail = strings.TrimSpace(d.line.Detail + " " + address(d.card.Target, d.card.Ref))
	d.card = nil // A failed write is repeated.
}

func (d *draft) by(r *record.Record, who ask.Person) {
	if who == (ask.Person{}) {
		return
	}
	d.line.By = who.Key()
	d.text.Name = who.Name
	if r.Voting != nil {
		d.line.Human = r.Voting.Links[who.Key()]
	}
}

func (d *draft) chose(all []ask.Choice) {
	for _, c := range all {
		d.line.Choices = append(d.line.Choices, Choice{Question: c.Index, Labels: c.Selected, Typed: c.Other != "", Skipped: c.Skipped})
		d.say(c.Other)
		d.say(c.Notes)
	}
}

func (d *draft) say(text string) {
	if text != "" {
		d.text.Said = append(d.text.Said, cutTo(text, maxText))
	}
}

// place encodes the event as the line after another one, with its text and the line's hash. It
// truncates an event that is longer than a batch, which must not block all later events.
func (d *draft) place(n int64, prev string) (line, text []byte, sum string) {
	d.line.N, d.line.Prev = n, prev
	for most := maxText; ; most /= 2 {
		if d.text.Name != "" || len(d.text.Said) > 0 {
			salt := make([]byte, 16)
			_, _ = rand.Read(salt) // Never fails.
			d.text.N, d.text.By, d.text.Salt = n, d.line.By, hex.EncodeToString(salt)
			text, d.line.Text = d.text.encode()
		}
		line, sum = d.line.encode()
		if max(len(line), len(text)) <= maxBatch || most == 0 {
			return line, text, sum
		}
		d.cut(most)
	}
}

// cut truncates each part of the event.
func (d *draft) cut(most int) {
	d.text.Name = cutTo(d.text.Name, most)
	for n, text := range d.text.Said {
		d.text.Said[n] = cutTo(text, most)
	}
	d.line.Detail = cutTo(d.line.Detail, most)
	d.line.Choices = slices.Clone(d.line.Choices)
	for n := range d.line.Choices {
		labels := slices.Clone(d.line.Choices[n].Labels) // The record owns them.
		for i := range labels {
			labels[i] = cutTo(labels[i], most)
		}
		d.line.Choices[n].Labels = labels
	}
}

// cutTo truncates a text to a number of bytes. JSON repairs a split character.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
