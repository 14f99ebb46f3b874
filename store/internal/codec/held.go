package codec

import (
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// storedHeld is what is decided and can still be undone, as it is stored.
type storedHeld struct {
	Outcome  ask.Outcome    `json:"oc"`
	Winner   string         `json:"wi"`
	WonAt    storedRef      `json:"wa,omitzero"`
	Revision int64          `json:"fa"`
	Until    time.Time      `json:"un"`
	Said     string         `json:"sd,omitempty"`
	Order    int64          `json:"or,omitempty"`
	Before   []storedBallot `json:"ba,omitempty"`
}

func storedHeldOf(h *record.Held) *storedHeld {
	if h == nil {
		return nil
	}
	return &storedHeld{h.Outcome, h.Winner, storedRef(h.WonAt), h.Revision, h.Until, h.Said, h.Order, storedBallotsOf(h.Before)}
}

func (s *storedHeld) held() *record.Held {
	if s == nil {
		return nil
	}
	return &record.Held{
		Outcome: s.Outcome, Winner: s.Winner, WonAt: ask.MessageRef(s.WonAt), Revision: s.Revision, Until: s.Until,
		Said: s.Said, Order: s.Order, Before: ballotsOf(s.Before),
	}
}
