// Package observe defines the events that a bridge reports for metrics and traces.
package observe

import (
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// Observer receives events. Each event is reported once, by the replica on which it
// happened. Observe is called in the path of requests and button presses, from many
// goroutines, so it must not block. It must not change what it receives.
type Observer interface {
	Observe(o Observation)
}

// Happening is the type of an [Observation].
type Happening string

// The types of events. Later versions may add more.
const (
	// RequestAsked: a new request was stored. Record is set; Took is the time since it was
	// submitted.
	RequestAsked Happening = "request_asked"
	// RequestEnded: a request was answered or ended in another way. Record is set; Took is
	// the time until that was stored.
	RequestEnded Happening = "request_ended"
	// ActJudged: a person's action was judged and stored, or Err is the reason why not.
	// Platform and Verdict are set, Record if the store has it; Took is the time until it
	// was stored.
	ActJudged Happening = "act_judged"
	// ActAcknowledged: a person got a reply. Platform and Took are set, Err if something
	// failed, Record and Verdict if an action was judged.
	ActAcknowledged Happening = "act_acknowledged"
	// PlatformCalled: a call to a platform returned. Platform, Op ("post", "update",
	// "find", "reply" or "upload"), Record and Took are set, and Err if it failed.
	PlatformCalled Happening = "platform_called"
	// CardPosted: a card was posted. Record and Platform are set; Took is the time since
	// the request was created.
	CardPosted Happening = "card_posted"
	// DeliveryPutOff: a post or update was delayed. Platform and Op are set; Wait is the
	// delay if known. Err is the reason; nil if the card waits in the queue.
	DeliveryPutOff Happening = "delivery_put_off"
	// AgentCalled: a webhook call returned. Record and Took are set, and Err if it failed.
	AgentCalled Happening = "agent_called"
)

// Observation is one event. Fields that do not apply to it are zero.
type Observation struct {
	What       Happening
	Record     *record.Record
	Platform   string
	Op         string
	Verdict    record.Verdict
	Took, Wait time.Duration
	Err        error
}
