package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Trail is the audit trail of a request. It is part of the record, so that every change is stored
// together with its events; exporters read it from there.
type Trail struct {
	// Seq is the number of the last event. Numbers start at 1 without gaps, so a reader knows when
	// it has missed events.
	Seq int64
	// Refused counts the refusals among them.
	Refused int
	// Events are the last ones, oldest first.
	Events []Event
}

// Event is one thing that happened to a request.
type Event struct {
	Seq int64
	// At is the store's time, and Revision that of the record after the event.
	At       time.Time
	Kind     EventKind
	Revision int64
	// By is the person who acted, as the platform identified them; zero for the agent and for time.
	By ask.Person
	// Act is the mark of the interaction.
	Act string
	// Detail is in the program's words: a place, a step, a verdict.
	Detail string
	// Choices and Text are what a person chose and wrote, unless the record keeps it elsewhere: the
	// outcome of a request is in its record.
	Choices []ask.Choice
	Text    string
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of events. The event of the end is named after its [ask.State].
const (
	// EventAsked: Detail is the fingerprint of the content, and who may answer.
	EventAsked EventKind = "asked"
	// EventPosted and EventNotPosted: the card was posted at Detail, or cannot be.
	EventPosted    EventKind = "posted"
	EventNotPosted EventKind = "not_posted"
	// EventVoted and EventWithdrawn: a person voted, or took their vote back.
	EventVoted     EventKind = "voted"
	EventWithdrawn EventKind = "withdrawn"
	// EventRefused: a person acted without permission. Detail is the verdict.
	EventRefused EventKind = "refused"
	// EventHeld: the request was decided and can be undone. EventUndone: it was undone.
	EventHeld   EventKind = "held"
	EventUndone EventKind = "undone"
	// EventStep: a step of the schedule happened; Detail is its number and kind.
	EventStep EventKind = "step"
	// EventClaimed: a person claimed the request.
	EventClaimed EventKind = "claimed"
	// EventPassed: a person passed the request on; Detail is the recipient.
	EventPassed EventKind = "passed"
	// EventRevised: the agent revised the request; Detail is the number of revisions.
	EventRevised EventKind = "revised"
	// EventAskedBack: a person asked the agent, in Text. EventReplied: it replied, in Text.
	EventAskedBack EventKind = "asked_back"
	EventReplied   EventKind = "replied"
	// EventGranted: the answer approves the same call again without asking; Detail is the scope and
	// the duration. A request that a grant answers has the grant as its Detail.
	EventGranted EventKind = "granted"
	// EventJoined: an equal request now shares this one; Detail is how many do.
	EventJoined EventKind = "joined"
	// EventTaken: the agent acknowledged the decision.
	EventTaken EventKind = "taken"
	// EventOverruled: the agent used something else, in Text.
	EventOverruled EventKind = "overruled"
	// EventPolicy: the policy changed; Detail is the new one.
	EventPolicy EventKind = "policy"
	// EventAgentTold and EventAgentGivenUp: the webhook call was accepted, or given up.
	EventAgentTold    EventKind = "agent_told"
	EventAgentGivenUp EventKind = "agent_given_up"
)

const (
	// maxTrail is how many events a record keeps, and maxTrailText how many bytes of what people
	// wrote and chose. Exporters read them within seconds.
	maxTrail     = 64
	maxTrailText = 16 << 10
	// maxRefused bounds what strangers can add by pressing again and again.
	maxRefused = 100
)

// with returns the trail with another event, without the oldest ones that are too many.
func (t *Trail) with(e Event) *Trail {
	next := *t
	next.Seq++
	e.Seq = next.Seq
	next.Events = slices.Concat(t.Events, []Event{e}) // Other versions share the old ones, so they are copied.
	first, text := len(next.Events)-1, next.Events[len(next.Events)-1].size()
	for first > 0 && len(next.Events)-first < maxTrail && text+next.Events[first-1].size() <= maxTrailText {
		first--
		text += next.Events[first].size()
	}
	next.Events = next.Events[first:]
	return &next
}

// canRefuse reports whether a refusal is new and there is room for it: a person who is refused again
// for the same reason adds nothing.
func (t *Trail) canRefuse(e Event) bool {
	return t != nil && t.Refused < maxRefused && !slices.ContainsFunc(t.Events, func(old Event) bool {
		return old.Kind == EventRefused && old.By.Key() == e.By.Key() && old.Detail == e.Detail
	})
}

func (e *Event) size() int {
	n := len(e.Text) + len(e.By.Name)
	for _, c := range e.Choices {
		n += len(c.Other) + len(c.Notes)
		for _, label := range c.Selected {
			n += len(label)
		}
	}
	return n
}
