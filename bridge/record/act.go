package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Act is one action of one person, as a platform delivered and authenticated it.
type Act struct {
	// ID is unique per act and the same in every delivery of it.
	ID string
	// Order is the time of the act. It grows with time on one platform, and no redelivery has a
	// later one.
	Order int64
	// Message is where it was done; zero if the platform does not report that.
	Message MessageRef
	// Private means that it was done on a private message about Message, so that no reply draws the card.
	Private bool
	// By is what the platform knows of the person; [Record.Responder] adds what the record knows.
	By     ask.Responder
	Action ask.Action
	// Said is the message that a person typed instead of using a control; zero for a control.
	// SaidAt is when, by the platform's clock; zero if unknown.
	Said   MessageRef
	SaidAt time.Time
	// Token is the ID of the API token of the person; empty for an act on a card.
	Token string
}

// cleaned returns the act with its names and typed text sanitized for storage.
func (a Act) cleaned() Act {
	a.By.Name, a.Action.To.Name = ask.Line(a.By.Name), ask.Line(a.Action.To.Name)
	a.Action = a.Action.Cleaned()
	return a
}

// DraftMode is how a platform shows drafts, and what it knows of people.
type DraftMode struct {
	// Shared: all people of the platform share one draft, which the card shows.
	Shared bool
	// Redraws: the reply to the act draws the card.
	Redraws bool
	// Ungrouped: in a direct message the platform does not report groups, and they cannot be looked
	// up.
	Ungrouped bool
}
