package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Reminder is a message below a card that says that the agent is waiting. Once the request has
// ended it is edited to say how, and then removed from [Record.Reminders].
type Reminder struct {
	// To is the place of its card, and Ref the message.
	To  ask.Place
	Ref MessageRef
	// After and Last limit the events that it announced: those after the first place, up to the
	// second; see [Below].
	After, Last int
	// Attempts counts failed edits, and RetryAt is when the next one is due.
	Attempts int
	RetryAt  time.Time
}

// Replies returns the agent's replies that the reminder contains.
func (m Reminder) Replies(r *Record) []AskedBack {
	var all []AskedBack
	for place := m.After + 1; place <= m.Last; place++ {
		if asked, reply := replyAt(r, place); reply {
			all = append(all, asked)
		}
	}
	return all
}

// OutdatedReminders returns the reminders that say that the agent is waiting although the request
// has ended.
func OutdatedReminders(r *Record) []Reminder {
	if r.Open() {
		return nil
	}
	return r.Reminders
}

// addReminder records a reminder, unless it is known.
func addReminder(r *Record, m Reminder) {
	if !slices.ContainsFunc(r.Reminders, func(known Reminder) bool { return known.Ref == m.Ref }) {
		r.Reminders = append(slices.Clone(r.Reminders), m)
	}
}
