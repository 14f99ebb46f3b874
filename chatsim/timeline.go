package chatsim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	Posted         Kind = "posted"         // a message appeared
	Edited         Kind = "edited"         // a message was edited
	Deleted        Kind = "deleted"        // a message was deleted
	Ephemeral      Kind = "said privately" // an ephemeral message was shown to one person
	OpenedForm     Kind = "opened form"    // a form opened for a person
	ChangedForm    Kind = "changed form"   // an open form was replaced
	ClosedForm     Kind = "closed form"    // a form closed
	ChangedHome    Kind = "changed home"   // a person's view of the app's Home tab changed
	Pressed        Kind = "pressed"        // a person pressed a button
	Picked         Kind = "picked"         // a person changed a selection
	Filled         Kind = "filled"         // a person typed text
	Attached       Kind = "attached"       // a person chose a file for a form
	Submitted      Kind = "submitted"      // a person submitted a form
	Dismissed      Kind = "dismissed"      // a person closed a form
	Acknowledged   Kind = "acknowledged"   // the program acknowledged an interaction in time
	Unacknowledged Kind = "unacknowledged" // it did not, and the person saw a warning
	Refused        Kind = "refused"        // the platform rejected a call
	Violated       Kind = "violated"       // a rule was broken, see Violation
	Warned         Kind = "warned"         // accepted, but a careful app would not send it
	Pinged         Kind = "pinged"         // text notified someone
	Mentioned      Kind = "mentioned"      // a live mention that notifies no one: in an edit or an ephemeral message
	Rung           Kind = "rung"           // a person was notified: by name, by group or role, or in their direct messages
	Faulted        Kind = "faulted"        // an injected fault occurred
	Connected      Kind = "connected"      // a connection was opened
	Disconnected   Kind = "disconnected"   // a connection was closed
)

// Event is one entry of the timeline.
type Event struct {
	Seq     int       `json:"seq"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Person  string    `json:"person,omitempty"`  // the actor or the person concerned
	Channel string    `json:"channel,omitempty"` // conversation
	Message string    `json:"message,omitempty"` // message
	Form    string    `json:"form,omitempty"`    // form
	Where   string    `json:"where,omitempty"`   // the call, or the control
	Text    string    `json:"text,omitempty"`    // the text that was sent, selected or rejected
	Under   string    `json:"under,omitempty"`   // the text above the used control, or the id of the message replied to
	Options []string  `json:"options,omitempty"` // the options that a pick toggled, if not in Text
}

// String describes the event on one line.
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

// Timeline records events in order. The zero value is empty and ready to use.
type Timeline struct {
	mu      sync.Mutex
	events  []Event
	cleared int
}

// Clear removes all events; numbering restarts at one.
func (t *Timeline) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = nil
	t.cleared++
}

// Cleared counts the calls of Clear, so that readers of Since can detect a restart.
func (t *Timeline) Cleared() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cleared
}

// Add appends an event and assigns its number and time.
func (t *Timeline) Add(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Seq = len(t.events) + 1
	e.At = time.Now()
	t.events = append(t.events, e)
}

// Events returns all events, or only those of the given kinds.
func (t *Timeline) Events(kinds ...Kind) []Event {
	return t.Since(0, kinds...)
}

// Since returns the events after a number, or only those of the given kinds.
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

// String describes the whole timeline, one event per line, for test failures.
func (t *Timeline) String() string {
	var b strings.Builder
	for _, e := range t.Events() {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}
