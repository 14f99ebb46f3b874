package slack

import (
	"context"
	"errors"
	"sync"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

// speaker responds to a person's message.
type speaker struct {
	in     *workspace
	at     origin // the message and its thread
	person string
	reply  replier

	mu    sync.Mutex
	acked bool
}

var (
	_ connector.Responder = (*speaker)(nil)
	_ platform.Announcer  = (*speaker)(nil)
)

// Ack acknowledges the event, which is invisible to people.
func (s *speaker) Ack(ctx context.Context) error {
	if !s.first() {
		return nil
	}
	return s.reply(ctx, nil)
}

func (s *speaker) first() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.acked
	s.acked = true
	return first
}

// Redraw is Ack: no card was used.
func (s *speaker) Redraw(ctx context.Context, _ render.Card) error { return s.Ack(ctx) }

// OpenForm is Ack: only a press can open a form.
func (s *speaker) OpenForm(ctx context.Context, _ render.Form) error { return s.Ack(ctx) }

// Finish acknowledges if that was not done yet.
func (s *speaker) Finish(ctx context.Context) error { return s.Ack(ctx) }

// Late acknowledges in time, so that Slack does not redeliver the event while it is being
// handled.
func (s *speaker) Late(ctx context.Context) bool {
	if !s.first() {
		return false
	}
	_ = s.reply(ctx, nil) // On failure Slack redelivers the event, which is deduplicated.
	return true
}

// ReplyEphemeral shows a note to this person only, near their message.
func (s *speaker) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	acked := s.Ack(ctx)
	spans := s.in.directory.wording(n)
	if len(spans) == 0 {
		return acked
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	blocks, text := blockkit.Note(spans)
	return errors.Join(acked, s.in.api.sendEphemeral(ctx, s.at, s.person, saying(blocks, text)))
}

// Announce posts in the thread of the message. It implements [platform.Announcer].
func (s *speaker) Announce(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	blocks, plain := blockkit.Note([]render.Span{{Text: render.Clean(text)}})
	_, err := s.in.api.send(ctx, s.at.Channel, s.at.Thread, saying(blocks, plain))
	return err
}
