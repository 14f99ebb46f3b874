package record

import (
	"time"
)

// callSchedule is the pause after each failed webhook call. After the last one the webhook is dead:
// about three days, as
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
// advises.
var callSchedule = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// CallResult is the result of a webhook call. If the webhook was replayed in the meantime, this counts
// as one of its attempts.
type CallResult struct {
	// Asked is the number of the last question from people that was reported; zero for a call about
	// the end.
	Asked int
	// Problem is what went wrong, in plain words; empty if the call was accepted.
	Problem string
	// Stop means that the receiver wants no more calls.
	Stop bool
	// AtLeast is the pause that the receiver demanded.
	AtLeast time.Duration
	// Spread is a random number from 0 up to 1 that spreads retries.
	Spread float64
}

func (res CallResult) write(r *Record, now time.Time) {
	next := *r.Webhook
	if res.Asked > 0 && !r.Open() {
		return // The end has to be reported instead.
	}
	next.Attempts++
	next.Problem, next.RetryAt = res.Problem, time.Time{}
	switch {
	case res.Asked > 0 && (res.Problem == "" || res.Stop || next.Attempts > len(callSchedule)):
		next.Attempts, next.Problem, next.Asked = 0, "", max(next.Asked, res.Asked)
	case res.Problem == "":
		next.State = Taken
		if r.AwaitsReceipt() {
			acknowledge(r, now)
		}
	case res.Stop, next.Attempts > len(callSchedule):
		next.State = Dead
	default:
		wait := callSchedule[next.Attempts-1]
		next.RetryAt = now.Add(max(jitter(wait, res.Spread), res.AtLeast))
	}
	r.Webhook = &next
}

// Replay calls a dead webhook again, from the start of its schedule.
func (r *Record) Replay(now time.Time) error {
	if r.Webhook == nil || r.Webhook.State != Dead {
		return ErrUnchanged
	}
	r.Webhook = &Webhook{Address: r.Webhook.Address, State: Due}
	lease(r, now)
	return nil
}
