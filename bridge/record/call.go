package record

import "time"

// callSchedule is how long after a failed call the next one is made. After the
// last the webhook is dead: about three days, as
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
// advises.
var callSchedule = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// CallResult is what came of a call to the agent. The webhook may have been
// replayed meanwhile; then this was one of its attempts.
type CallResult struct {
	// Asked is up to which number what people asked was told; zero for a call about the
	// end.
	Asked int
	// Problem is what went wrong, in words for anybody; empty when the call was
	// taken.
	Problem string
	// Stop tells that nobody wants to hear of it any more.
	Stop bool
	// AtLeast is how long the receiver asked to be left alone.
	AtLeast time.Duration
	// Spread, from 0 up to 1, is chance that spreads retries.
	Spread float64
}

func (res CallResult) write(r *Record, now time.Time) {
	next := *r.Webhook
	if res.Asked > 0 && !r.Open() {
		return // Meanwhile there is more to tell.
	}
	next.Attempts++
	next.Problem, next.RetryAt = res.Problem, time.Time{}
	switch {
	case res.Asked > 0 && (res.Problem == "" || res.Stop || next.Attempts > len(callSchedule)):
		next.Attempts, next.Problem, next.Asked = 0, "", max(next.Asked, res.Asked)
	case res.Problem == "":
		next.State = Taken
		if r.Awaited() {
			r.take(now)
		}
	case res.Stop, next.Attempts > len(callSchedule):
		next.State = Dead
	default:
		wait := callSchedule[next.Attempts-1]
		next.RetryAt = now.Add(max(spreadOut(wait, res.Spread), res.AtLeast))
	}
	r.Webhook = &next
}

// Replay has a dead webhook called again, from the start of its schedule.
func (r *Record) Replay(now time.Time) error {
	if r.Webhook == nil || r.Webhook.State != Dead {
		return ErrUnchanged
	}
	r.Webhook = &Webhook{Address: r.Webhook.Address, State: Due}
	r.DeliveryDue = now.Add(r.lease())
	return nil
}
