package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// soonAttempts is how often an update is tried with the short backoff, in about a quarter of an hour.
	soonAttempts = 20
	// maxAttempts is how often it is tried in all, in about a day, before the card is given up.
	maxAttempts = 120
	// longAttempts is the same for what a person has to do something about first.
	longAttempts = 20
)

// Report is what came of one attempt to bring the outside world up to date.
type Report struct {
	// Copies are the results by copy, in the order of the record as it was when the
	// attempt began; nil where no call was made.
	Copies []Result
	// Call is the result of calling the agent; nil when that was not due.
	Call *CallResult
}

// Conclude writes a report down, works out when the record wants attention again,
// and ends the request as failed when no copy can be delivered. It reports whether
// it did.
func (r *Record) Conclude(done Report, now time.Time) (ended bool, err error) {
	tried := done.Call != nil
	for n, result := range done.Copies {
		if result != nil {
			tried = true
			result.write(r, &r.Copies[n], now)
		}
	}
	if done.Call != nil {
		done.Call.write(r, now)
	}
	next, putOff := r.NextAttempt()
	switch {
	case r.posting() && !r.DeliveryDue.IsZero():
		next = r.DeliveryDue // As in lag.
	case putOff:
		// Whoever stays on for it comes first.
		next = next.Add(r.lease())
	case r.Behind(), r.posting(), slices.ContainsFunc(r.Copies, func(c Copy) bool { return r.WantsWork(c, true) }):
		next = now.Add(r.lease())
	default:
		next = r.receiptDue()
	}
	if !tried && r.DeliveryDue.Equal(next) {
		return false, ErrUnchanged
	}
	switch {
	case !putOff || !r.troubled():
		r.Attempts = 0
	case r.Attempts < soonAttempts || slices.ContainsFunc(done.Copies, wears):
		r.Attempts++
	}
	r.DeliveryDue = next
	why := r.undeliverable()
	if why == "" || !r.Open() || r.Held != nil {
		return false, nil
	}
	r.end(ask.Outcome{State: ask.Failed, Reason: why}, now)
	if !r.Behind() {
		r.DeliveryDue = time.Time{}
	}
	return true, nil
}

// wears reports whether a result is a failure for which a card is given up when there are enough
// of them. A limit of the platform is none: it says when, and nothing of the card.
func wears(result Result) bool {
	switch failed := result.(type) {
	case Both:
		return wears(failed.First) || wears(failed.Then)
	case Unsaid:
		return wears(failed.Failure)
	case FilesFailed:
		return wears(failed.Failure)
	case Failure:
		return failed.Wait == 0
	case Unprepared:
		return true
	}
	return false
}

// afresh has what was put off for long tried at once and from the start, since there is more to show.
func (r *Record) afresh() {
	if r.Attempts < soonAttempts {
		return
	}
	r.Attempts = 0
	for n := range r.Copies {
		if c := &r.Copies[n]; c.State == Posted {
			c.RetryAt = time.Time{}
		}
	}
}

// Result is what came of the call that one copy needed. It is written down in a
// transition, on a record that others may have changed since the call was made.
type Result interface {
	write(r *Record, c *Copy, now time.Time)
}

// Stands is where the cards are of which a result tells that they stand there.
func Stands(result Result) []MessageRef {
	switch found := result.(type) {
	case Both:
		return append(Stands(found.First), Stands(found.Then)...)
	case NewCard:
		return []MessageRef{found.Ref}
	case FoundCards:
		return found.Refs
	case OtherCards:
		return found.Refs
	}
	return nil
}

// NewCard was posted and stands at Ref.
type NewCard struct {
	Ref      MessageRef
	Revision int64
	Plain    bool
	// Ambiguous tells that another one may stand there since an earlier post.
	Ambiguous bool
	// Quiet tells that it told nobody, and Missed whom it could not tell.
	Quiet  bool
	Missed []Missed
}

func (n NewCard) write(r *Record, c *Copy, _ time.Time) {
	for i := range r.Copies {
		if r.Copies[i].Ref == n.Ref {
			r.Copies[i].Rendered = max(r.Copies[i].Rendered, n.Revision)
			r.Copies[i].Ambiguous = r.Copies[i].Ambiguous || n.Ambiguous
			return
		}
	}
	card := Copy{Target: c.Target, State: Posted, Ref: n.Ref, Rendered: n.Revision, Plain: n.Plain, Ambiguous: n.Ambiguous}
	card.Reposted, card.Step, card.Said, card.Saying = c.Reposted, c.Step, c.Said, c.Saying
	switch {
	case !r.Says(*c):
	case c.Reposted:
		card.Quiet, card.Missed = c.Quiet, c.Missed
	default:
		card.Quiet, card.Missed = n.Quiet, n.Missed
	}
	if c.Ref == (MessageRef{}) {
		*c = card
		return
	}
	card.Adopted = true
	r.Copies = append(r.Copies, card)
}

// FoundCards stand where a card was missing: their posts were accepted and the
// replies lost.
type FoundCards struct{ Refs []MessageRef }

func (f FoundCards) write(r *Record, c *Copy, now time.Time) {
	beside := Copy{Target: c.Target, Ref: f.Refs[0]}
	NewCard{Ref: f.Refs[0], Plain: c.Plain}.write(r, c, now)
	for _, ref := range f.Refs[1:] {
		NewCard{Ref: ref}.write(r, &beside, now)
	}
}

// OtherCards stand beside a known one.
type OtherCards struct{ Refs []MessageRef }

func (o OtherCards) write(r *Record, c *Copy, now time.Time) {
	c.Ambiguous, c.Problem, c.RetryAt = false, "", time.Time{}
	known := *c
	for _, ref := range o.Refs {
		NewCard{Ref: ref}.write(r, &known, now)
	}
}

// drawTime is how long what draws a card can be on its way. Platforms take no reply to an
// interaction that is older
// (https://docs.discord.com/developers/interactions/receiving-and-responding), and a call that
// outlives whoever made it arrives sooner.
const drawTime = 3 * time.Second

// Drawn tells that the card shows the revision. Where another process has drawn a newer one
// meanwhile, nobody knows which of the two was the last, so it is drawn once more. So is a card that
// was closed while somebody may have been drawing it open, when that must have arrived: they may be
// dead, or have drawn it by a reply, of which nobody hears whether it came.
type Drawn struct {
	Revision int64
	// Begun is when the call or the reply was begun by which it was drawn. It can be written
	// down long after that, where the store was away.
	Begun time.Time
	// Below tells that it was posted below the card, which nothing can draw any more.
	Below bool
}

func (d Drawn) write(r *Record, c *Copy, _ time.Time) {
	if c.Ref == (MessageRef{}) {
		return // Another replica has found it deleted since.
	}
	c.Rendered = d.Revision
	c.RetryAt, c.State = time.Time{}, Posted
	if !r.Open() && !d.Below && d.Revision >= r.Revision {
		if arrived := c.Changing.Add(drawTime); !c.Changing.IsZero() && d.Begun.Before(arrived) {
			c.Rendered, c.RetryAt = 0, arrived
		} else {
			c.Changing = time.Time{}
		}
	}
	if c.Filing != Unfilable {
		c.Problem = ""
	}
}

// LostCard was posted and is out of reach now.
type LostCard struct{ Why string }

func (l LostCard) write(_ *Record, c *Copy, _ time.Time) {
	c.State, c.Problem, c.RetryAt = Lost, l.Why, time.Time{}
}

// GivenUp is a copy that cannot be posted.
type GivenUp struct {
	Why string
	// UnlessPosted writes nothing down when somebody else has posted the card since.
	UnlessPosted bool
}

func (g GivenUp) write(_ *Record, c *Copy, _ time.Time) {
	if g.UnlessPosted && c.Ref != (MessageRef{}) {
		return
	}
	c.State, c.Problem, c.Queue, c.RetryAt = Undeliverable, g.Why, 0, time.Time{}
}

// Unprepared is a card that could not be laid out. One that does not stand yet
// is given up, so that the agent hears of it at once; one that stands is tried
// again later, perhaps by another version of this program.
type Unprepared struct{ Spread float64 }

func (u Unprepared) write(r *Record, c *Copy, now time.Time) {
	const why = "internal error while preparing the card"
	switch {
	case c.Ref == (MessageRef{}):
		GivenUp{Why: why}.write(r, c, now)
	case r.Attempts >= maxAttempts:
		LostCard{why}.write(r, c, now)
	default:
		c.Problem, c.RetryAt = why, now.Add(updateBackoff(r.Attempts, u.Spread))
	}
}

// Deleted is a card that somebody deleted where it stood. It is put back, once.
type Deleted struct{ Ref MessageRef }

func (d Deleted) write(_ *Record, c *Copy, _ time.Time) {
	if c.Ref != d.Ref {
		return // Another replica has put it back.
	}
	*c = Copy{Target: c.Target, State: Delayed, Plain: c.Plain, Reposted: true, Quiet: c.Quiet, Missed: c.Missed, Step: c.Step, Said: c.Said, Saying: c.Saying}
}

// PostAwaited puts off what to do with a card that somebody else may be posting
// just now: after a lease they have noted where it stands, or never will.
type PostAwaited struct{}

func (PostAwaited) write(_ *Record, c *Copy, now time.Time) {
	if c.Ref == (MessageRef{}) {
		c.RetryAt = now.Add(Lease)
	}
}

// Queued is a post whose turn comes later.
type Queued struct {
	Wait time.Duration
	// Before is how many posts come first.
	Before int
}

func (q Queued) write(_ *Record, c *Copy, now time.Time) {
	if c.Ref == (MessageRef{}) {
		c.State, c.Problem, c.Queue, c.RetryAt = Delayed, "", q.Before+1, now.Add(q.Wait)
	}
}

// Failure is a call that failed and is made again later.
type Failure struct {
	Why string
	// Posted tells that the card stood when the call was made.
	Posted bool
	// Ambiguous tells that the call may have been carried out nonetheless.
	Ambiguous bool
	// Wait is how long the platform asked to be left alone; zero leaves it to
	// [Backoff], which is given Spread, and to AtLeast.
	Wait, AtLeast time.Duration
	// Long leaves it to the long backoff: a person has to do something first.
	Long   bool
	Spread float64
}

func (f Failure) write(r *Record, c *Copy, now time.Time) {
	if !f.Posted && c.Ref != (MessageRef{}) {
		// Somebody else has posted it since, and ours may stand beside it.
		c.Ambiguous = c.Ambiguous || f.Ambiguous
		return
	}
	if most := maxAttempts; f.Posted {
		if f.Long {
			most = longAttempts
		}
		if r.Attempts >= most {
			LostCard{f.Why}.write(r, c, now)
			return
		}
	}
	var wait time.Duration
	switch {
	case f.Long:
		wait = longBackoff(r.Attempts, f.Spread)
	case f.Wait > 0 && f.Posted:
		wait = max(f.Wait, Backoff(r.Attempts, f.Spread)) // What waits for one limit must not come back all at once.
	case f.Wait > 0:
		wait = f.Wait
	case f.Posted:
		wait = max(updateBackoff(r.Attempts, f.Spread), f.AtLeast)
	default:
		wait = max(Backoff(r.Attempts, f.Spread), f.AtLeast)
	}
	c.Problem, c.Queue, c.RetryAt = f.Why, 0, now.Add(wait)
	if !f.Posted {
		c.State = Delayed
		c.Ambiguous = c.Ambiguous || f.Ambiguous
	}
}

// updateBackoff is the short one at first, and then grows to a quarter of an hour, for a platform that stays away.
func updateBackoff(attempts int, spread float64) time.Duration {
	if attempts < soonAttempts {
		return Backoff(attempts, spread)
	}
	return spreadOut(wait.Backoff(2*time.Minute, 15*time.Minute, attempts-soonAttempts), spread)
}

// longBackoff grows from ten minutes to six hours, for what a person has to do
// first whom nobody asks to. All tries together take about four days.
func longBackoff(attempts int, spread float64) time.Duration {
	return spreadOut(wait.Backoff(10*time.Minute, 6*time.Hour, attempts), spread)
}

// spreadOut is a pause of three quarters up to five quarters of what is given.
func spreadOut(pause time.Duration, spread float64) time.Duration {
	return pause*3/4 + time.Duration(spread*float64(pause/2))
}

// Backoff grows from a second to a minute. Spread, from 0 up to 1, is chance that
// keeps many records from coming back together.
func Backoff(attempts int, spread float64) time.Duration {
	pause := wait.Backoff(time.Second, time.Minute, attempts)
	return pause/2 + time.Duration(spread*float64(pause))
}
