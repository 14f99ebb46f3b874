package chatsim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind says what sort of thing happened.
type Kind string

// The kinds of entries of a timeline.
const (
	Posted         Kind = "posted"         // a message appeared
	Edited         Kind = "edited"         // a message changed
	Deleted        Kind = "deleted"        // a message went away
	Ephemeral      Kind = "said privately" // a note appeared that one person sees
	OpenedForm     Kind = "opened form"    // a form came up in front of a person
	ChangedForm    Kind = "changed form"   // an open form was replaced
	ClosedForm     Kind = "closed form"    // a form went away
	ChangedHome    Kind = "changed home"   // what somebody sees on the app's own page changed
	Pressed        Kind = "pressed"        // a person used a button
	Picked         Kind = "picked"         // a person changed a choice
	Filled         Kind = "filled"         // a person typed text
	Attached       Kind = "attached"       // a person chose a file for a form
	Submitted      Kind = "submitted"      // a person sent a form
	Dismissed      Kind = "dismissed"      // a person closed a form
	Acknowledged   Kind = "acknowledged"   // the program answered an interaction in time
	Unacknowledged Kind = "unacknowledged" // it did not, and the person was shown a warning
	Refused        Kind = "refused"        // the platform said no to a call
	Violated       Kind = "violated"       // a rule was broken, see Violation
	Warned         Kind = "warned"         // accepted, and worth a second look
	Pinged         Kind = "pinged"         // text notified somebody
	Mentioned      Kind = "mentioned"      // text named somebody live where that notifies nobody: an edit, a note for one person
	Rung           Kind = "rung"           // somebody heard of a message: named in it, in a group or role that it names, or in their direct messages
	Faulted        Kind = "faulted"        // something went wrong on cue
	Connected      Kind = "connected"      // a socket was opened
	Disconnected   Kind = "disconnected"   // a socket was closed
)

// Event is one thing that happened.
type Event struct {
	Seq     int       `json:"seq"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Person  string    `json:"person,omitempty"`  // who did it or whom it concerns
	Channel string    `json:"channel,omitempty"` // in which conversation
	Message string    `json:"message,omitempty"` // on which message
	Form    string    `json:"form,omitempty"`    // on which form
	Where   string    `json:"where,omitempty"`   // the call, or the control
	Text    string    `json:"text,omitempty"`    // what was said, chosen or refused
	Under   string    `json:"under,omitempty"`   // what stood over the control that was used, or the id of the message that is replied to
	Options []string  `json:"options,omitempty"` // which options a pick switched on or off, where that is not the text
}

// String tells the event on one line.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.At.Format("15:04:05.000"), e.Kind)
	for _, part := range []struct{ name, value string }{
		{"by", e.Person}, {"in", e.Channel}, {"on", e.Message}, {"form", e.Form}, {"at", e.Where},
	} {
		if part.value != "" {
			fmt.Fprintf(&b, " %s %s", part.name, part.value)
		}
	}
	if e.Text != "" {
		fmt.Fprintf(&b, ": %s", e.Text)
	}
	return b.String()
}

// Timeline is the record of what happened, in order. The zero value is empty and ready.
type Timeline struct {
	mu      sync.Mutex
	events  []Event
	cleared int
}

// Clear forgets everything; numbers start again at one.
func (t *Timeline) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = nil
	t.cleared++
}

// Cleared counts the calls of Clear, so that whoever reads on with Since knows when to start again.
func (t *Timeline) Cleared() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cleared
}

// Add appends an event and gives it its number and time.
func (t *Timeline) Add(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Seq = len(t.events) + 1
	e.At = time.Now()
	t.events = append(t.events, e)
}

// Events returns everything so far, or only the given kinds.
func (t *Timeline) Events(kinds ...Kind) []Event {
	return t.Since(0, kinds...)
}

// Since returns what came after the event with this number, or only the given kinds of it.
func (t *Timeline) Since(seq int, kinds ...Kind) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []Event{}
	for _, e := range t.events[min(max(seq, 0), len(t.events)):] {
		if len(kinds) == 0 || slices.Contains(kinds, e.Kind) {
			out = append(out, e)
		}
	}
	return out
}

// String tells the whole timeline, one event a line, for test failures.
func (t *Timeline) String() string {
	var b strings.Builder
	for _, e := range t.Events() {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}
