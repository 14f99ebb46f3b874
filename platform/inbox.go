package platform

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/render"
)

// InboxResponder is a [Responder] that can show people their inbox: a card that lists what
// waits for them. It responds to every interaction with [Interaction.Inbox].
type InboxResponder interface {
	Responder
	// ShowInbox shows the inbox, in place of the one on which the person acted. It
	// acknowledges if nothing has yet. An [*Error] of kind [Transient] or [RateLimited]
	// means that another try with a newer card can succeed; after any other error the
	// inbox is not shown any more.
	ShowInbox(ctx context.Context, c render.Card) error
	// InboxLife returns how long after the interaction ShowInbox may be called again to
	// show changes. Zero means never: the person sees changes after the next press.
	InboxLife() time.Duration
}
