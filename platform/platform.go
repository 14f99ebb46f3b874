package platform

import (
	"context"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// MessageRef identifies a posted message. Two references are equal if and only if
// they identify the same message.
type MessageRef = ask.MessageRef

// Missed is a person or group that a card could not notify.
type Missed = ask.Missed

// Platform is a chat platform on which people can be asked. Other abilities are
// optional interfaces, such as [Finder].
//
// Calls fail with an [*Error]. They must not retry: the bridge schedules retries.
type Platform interface {
	// Name returns the platform's name in places and person IDs, such as "slack".
	Name() string
	// Limits returns what one message of this platform can hold.
	Limits() render.Limits
	// CheckTarget returns an error if a place is malformed. It does no I/O.
	CheckTarget(t ask.Place) error
	// CheckResponder returns an error if an entry of [ask.Request.Responders] for
	// this platform is malformed. It does no I/O.
	CheckResponder(who string) error
	// Post posts a card and returns the message.
	Post(ctx context.Context, to ask.Place, c render.Card) (MessageRef, error)
	// Update replaces a card that Post returned or an interaction named.
	Update(ctx context.Context, ref MessageRef, c render.Card) error
	// Listen receives interactions and calls h for each of them, from any number of
	// goroutines, until ctx ends. It returns nil after all calls of h have returned. A
	// platform whose interactions arrive at an HTTP handler of its own only waits. A
	// second concurrent call fails.
	Listen(ctx context.Context, h Handler) error
}

// Handler processes one interaction. It returns after it has replied through the
// Responder; work that takes longer continues in the background. An error is only
// for the log: the person already has a reply.
type Handler func(ctx context.Context, i Interaction, r Responder) error
