package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Delivery is the delivery state of one copy of the card.
type Delivery string

// The states of a copy.
const (
	// Pending: one process is posting it, see [Unposted].
	Pending Delivery = "pending"
	// Delayed: it will be posted at RetryAt by any replica, because the platform limited or
	// failed the call, or no replica has got to it yet.
	Delayed Delivery = "delayed"
	// Posted: people can see it.
	Posted Delivery = "posted"
	// Lost: it was posted, and is deleted or out of reach now.
	Lost Delivery = "lost"
	// Undeliverable: it cannot be posted; Problem has the reason.
	Undeliverable Delivery = "failed"
)

// Filing is the state of a request's files below one of its cards. A card accepts answers only once
// its files are posted: an approval covers only what people could read.
type Filing string

// The states of the files below a card.
const (
	// Unfiled: no upload has begun.
	Unfiled Filing = ""
	// BeingFiled: an upload has begun.
	BeingFiled Filing = "begun"
	// Filed: the files are posted below the card.
	Filed Filing = "filed"
	// Unfilable: the upload failed for good, so this card accepts no answers.
	Unfilable Filing = "never"
)

// MessageRef is [ask.MessageRef].
type MessageRef = ask.MessageRef

// Missed is [ask.Missed].
type Missed = ask.Missed

// Copy is the card in one place.
type Copy struct {
	Target ask.Place
	State  Delivery
	Ref    MessageRef
	// Rendered is the revision last drawn there.
	Rendered int64
	// Plain marks a card that the platform accepted only as plain text.
	Plain bool
	// Ambiguous marks a place where an unknown card may exist, because the reply to a post was
	// lost. The bridge searches for it before it posts again, and once the request has ended.
	Ambiguous bool
	// Adopted marks a copy found through a click or a search rather than posted on purpose.
	Adopted bool
	// Reposted marks a card that was posted again after it had been deleted.
	Reposted bool
	// Quiet marks a card that was posted without notifying people, because an earlier one may
	// have. Quiet and Missed are kept with [Record.Audience] only.
	Quiet bool
	// Missed are the [Recipients] that the message could not notify.
	Missed []Missed
	// Step is the step of the schedule that added the copy, starting at 1; zero for a place that
	// the request names.
	Step int
	// Said counts the events announced below the card, or that need no announcement. Saying is
	// how many a process has begun to announce: see [Announcing] and [Below].
	Said, Saying int
	// Filing is the state of the request's files below the card.
	Filing  Filing
	Problem string
	// Queue is the last known position of a delayed post in its channel's queue, 1 for the next;
	// zero if it waits for something else.
	Queue   int
	RetryAt time.Time
	// Changing is when a process last began to draw the open request, by a call or by the reply
	// to an act, either of which may still arrive for some seconds.
	Changing time.Time
}

// unposted reports whether the card is not known to be posted, and still can be.
func (c Copy) unposted() bool {
	return c.Ref == (MessageRef{}) && (c.State == Pending || c.State == Delayed)
}

// sentTo reports whether a copy was sent to the person alone.
func (c Copy) sentTo(who ask.Person) bool {
	return c.Target.Platform == who.Platform && c.Target.User == who.ID && (who.Installation == "" ||
		who.Installation == c.Target.Installation || who.Installation == c.Ref.Installation)
}

// addressee is the person of a direct message as interactions name them. The installation is that of
// the posted card, since a place may name a workspace of the organization that has installed the app.
func (c Copy) addressee() ask.Person {
	return ask.Person{Platform: c.Target.Platform, Installation: c.Ref.Installation, ID: c.Target.User}
}

// canNotify reports whether a message at the copy's place can notify an entry: one of its
// platform, and in a direct message only its addressee.
func (c Copy) canNotify(entry string) bool {
	e, _ := ask.ParseEntry(entry)
	return e.Platform == c.Target.Platform && (e.Installation == "" || e.Installation == c.Target.Installation) && (c.Target.User == "" || e.Kind == "" && e.ID == c.Target.User)
}

// requeued is the copy as it waits to be posted again, with what people have already been sent.
func (c Copy) requeued() Copy {
	return Copy{
		Target: c.Target, State: Delayed, Reposted: c.Reposted, Quiet: c.Quiet, Missed: c.Missed,
		Step: c.Step, Said: c.Said, Saying: c.Saying,
	}
}

// Copies are all copies of a request's card.
type Copies []Copy

// At returns the copy at ref; if there is none, a copy with only the platform set.
func (cs Copies) At(ref MessageRef) Copy {
	for _, c := range cs {
		if c.Ref == ref && ref != (MessageRef{}) {
			return c
		}
	}
	return Copy{Target: ask.Place{Platform: ref.Platform}}
}

// Addressee is the person who was sent the card at ref as a direct message; empty for a card in a
// channel and for an unknown one.
func (cs Copies) Addressee(ref MessageRef) string { return cs.At(ref).Target.User }

// Knows reports whether ref is a known card, or zero because the platform does not report the card.
func (cs Copies) Knows(ref MessageRef) bool {
	return ref == (MessageRef{}) || slices.ContainsFunc(cs, func(c Copy) bool { return c.Ref == ref })
}

// Serve reports whether an act at ref can be about the cards: ref is a known card or, without one, a
// card was posted in the installation of the person, where the platform names one.
func (cs Copies) Serve(ref MessageRef, who ask.Person) bool {
	if ref != (MessageRef{}) || who.Installation == "" {
		return cs.Knows(ref)
	}
	return slices.ContainsFunc(cs, func(c Copy) bool {
		return c.Ref.Platform == who.Platform && c.Ref.Installation == who.Installation
	})
}

// public reports whether a card was sent to anything but a direct message. Only then may people
// who were sent no card answer over the API.
func (cs Copies) public() bool {
	return slices.ContainsFunc(cs, func(c Copy) bool { return c.Target.User == "" })
}

// on reports whether there is a copy on the platform.
func (cs Copies) on(platform string) bool {
	return slices.ContainsFunc(cs, func(c Copy) bool { return c.Target.Platform == platform })
}

// platforms are the platforms of the copies, one for each copy.
func (cs Copies) platforms() []string {
	var all []string
	for _, c := range cs {
		all = append(all, c.Target.Platform)
	}
	return all
}
