package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Result is the result of the call that one copy needed. A transition stores it, on a record that may
// have changed since the call was made.
type Result interface {
	write(r *Record, c *Copy, now time.Time)
}

// PostedRefs are the messages that a result reports as posted cards.
func PostedRefs(result Result) []MessageRef {
	switch found := result.(type) {
	case Both:
		return append(PostedRefs(found.First), PostedRefs(found.Then)...)
	case NewCard:
		return []MessageRef{found.Ref}
	case FoundCards:
		return found.Refs
	case OtherCards:
		return found.Refs
	}
	return nil
}

// NewCard reports that a card was posted at Ref.
type NewCard struct {
	Ref      MessageRef
	Revision int64
	Plain    bool
	// Ambiguous means that an earlier post may have left another card there.
	Ambiguous bool
	// Quiet means that it notified no one, and Missed are the recipients that it could not notify.
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
	case !NamesRecipients(r, *c):
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

// FoundCards reports that a search found cards whose posts were accepted while the replies were lost.
type FoundCards struct{ Refs []MessageRef }

func (f FoundCards) write(r *Record, c *Copy, now time.Time) {
	first := Copy{Target: c.Target, Ref: f.Refs[0]}
	NewCard{Ref: f.Refs[0], Plain: c.Plain}.write(r, c, now)
	for _, ref := range f.Refs[1:] {
		NewCard{Ref: ref}.write(r, &first, now)
	}
}

// OtherCards reports that a search for further cards in the place of a known one has finished.
type OtherCards struct{ Refs []MessageRef }

func (o OtherCards) write(r *Record, c *Copy, now time.Time) {
	c.Ambiguous, c.Problem, c.RetryAt = false, "", time.Time{}
	known := *c
	for _, ref := range o.Refs {
		NewCard{Ref: ref}.write(r, &known, now)
	}
}

// drawTime is how long an update of a card can take to arrive. Platforms accept no reply to an
// interaction that is older
// (https://docs.discord.com/developers/interactions/receiving-and-responding), and a call that
// outlives its caller arrives sooner.
const drawTime = 3 * time.Second

// Drawn reports that the card shows the revision. If another process has drawn a newer one in the meantime, the
// order of the two is unknown, so the card is drawn once more. The same goes for a card that was closed
// while a process may have been drawing it open, once that update must have arrived: the process may
// have crashed, or drawn the card by a reply whose arrival nothing confirms.
type Drawn struct {
	Revision int64
	// Begun is when the call or the reply that drew it began. It may be stored much later, if the
	// store was down.
	Begun time.Time
	// Below means that something was posted below the card, which no other process can redraw.
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

// LostCard reports that the card was posted and is out of reach now.
type LostCard struct{ Why string }

func (l LostCard) write(_ *Record, c *Copy, _ time.Time) {
	c.State, c.Problem, c.RetryAt = Lost, l.Why, time.Time{}
}

// GivenUp reports that the copy cannot be posted.
type GivenUp struct {
	Why string
	// UnlessPosted ignores the result if another process has posted the card since.
	UnlessPosted bool
}

func (g GivenUp) write(_ *Record, c *Copy, _ time.Time) {
	if g.UnlessPosted && c.Ref != (MessageRef{}) {
		return
	}
	c.State, c.Problem, c.Queue, c.RetryAt = Undeliverable, g.Why, 0, time.Time{}
}

// Unprepared reports that the card could not be rendered. A card that is not posted yet is given up, so that the
// agent learns of it at once; a posted one is tried again later, perhaps by another version of this
// program.
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

// Deleted reports that the card was deleted on the platform. It is posted again, once.
type Deleted struct{ Ref MessageRef }

func (d Deleted) write(_ *Record, c *Copy, _ time.Time) {
	if c.Ref != d.Ref {
		return // Another replica has posted it again.
	}
	plain := c.Plain
	*c = c.requeued()
	c.Plain, c.Reposted = plain, true
}

// PostAwaited reports that another process may be posting the card right now. After a lease it has stored where
// the card is, or never will.
type PostAwaited struct{}

func (PostAwaited) write(_ *Record, c *Copy, now time.Time) {
	if c.Ref == (MessageRef{}) {
		c.RetryAt = now.Add(Lease)
	}
}

// Queued reports that the post waits in the queue of its channel.
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

// Failure reports that the call failed and will be retried.
type Failure struct {
	Why string
	// Posted means that the card was posted when the call was made.
	Posted bool
	// Ambiguous means that the call may have taken effect nonetheless.
	Ambiguous bool
	// Wait is the pause that the platform demanded; zero leaves it to [Backoff], which is given
	// Spread, and to AtLeast.
	Wait, AtLeast time.Duration
	// Long uses the long backoff, because a person has to fix something first.
	Long   bool
	Spread float64
}

func (f Failure) write(r *Record, c *Copy, now time.Time) {
	if !f.Posted && c.Ref != (MessageRef{}) {
		// Another process has posted it since, and ours may be a second card.
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
		wait = max(f.Wait, Backoff(r.Attempts, f.Spread)) // Calls that wait for one limit must not return all at once.
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

// Announced reports that the events after After, up to Steps, were announced below the card, or never
// will be.
type Announced struct {
	After, Steps int
	// Reminder is the message, if it says that the agent is waiting.
	Reminder MessageRef
}

func (s Announced) write(r *Record, c *Copy, _ time.Time) {
	if s.Reminder != (MessageRef{}) {
		addReminder(r, Reminder{To: c.Target, Ref: s.Reminder, After: s.After, Last: s.Steps})
	}
	c.Said = max(c.Said, s.Steps)
	c.Saying = max(c.Saying, c.Said)
	if c.State == Posted && !NeedsCall(r, *c) {
		c.Problem, c.RetryAt = "", time.Time{} // It was postponed for this.
	}
}

// soughtFor is how long after the end a reminder is searched for of which no process has recorded the
// message.
const soughtFor = time.Hour

// NotAnnounced reports that the events up to Steps could not be announced, and are not known to have been.
type NotAnnounced struct {
	Failure

	Steps int
	// Doubted means that they may have been, and a search failed. The work stays begun, so that the
	// next replica that claims the record searches again.
	Doubted bool
}

func (u NotAnnounced) write(r *Record, c *Copy, now time.Time) {
	if u.Doubted {
		if c.Problem = u.Why; !r.Open() && now.After(r.EndedAt.Add(soughtFor)) {
			Announced{Steps: u.Steps}.write(r, c, now)
		}
		return
	}
	c.Saying = c.Said
	if r.Attempts < maxAttempts {
		u.Failure.write(r, c, now)
		return
	}
	Announced{Steps: u.Steps}.write(r, c, now) // The card shows them.
}

// ReminderEdit is the result of editing an outdated reminder.
type ReminderEdit struct {
	Ref MessageRef
	// Failed is why it is tried again; nil if it was edited, or never can be.
	Failed *Failure
}

func (e ReminderEdit) write(r *Record, now time.Time) {
	n := slices.IndexFunc(r.Reminders, func(m Reminder) bool { return m.Ref == e.Ref })
	if n < 0 {
		return
	}
	all := slices.Clone(r.Reminders)
	if m := &all[n]; e.Failed == nil || m.Attempts >= maxAttempts {
		all = slices.Delete(all, n, n+1)
	} else {
		m.RetryAt = now.Add(max(e.Failed.Wait, e.Failed.AtLeast, updateBackoff(m.Attempts, e.Failed.Spread)))
		m.Attempts++
	}
	if r.Reminders = all; len(all) == 0 {
		r.Reminders = nil // As it is read back.
	}
}

// FilesPosted reports that the files are posted below the card, and people can answer on it.
type FilesPosted struct{ Files []ask.Attachment }

func (f FilesPosted) write(r *Record, c *Copy, _ time.Time) {
	if !uploading(r, c, f.Files) {
		return
	}
	c.Filing, c.Problem, c.RetryAt = Filed, "", time.Time{}
	r.Revision++
}

// FilesGivenUp reports that the files can never be posted below the card. If that is so everywhere, the request fails.
type FilesGivenUp struct {
	Files []ask.Attachment
	Why   string
}

func (f FilesGivenUp) write(r *Record, c *Copy, _ time.Time) {
	if !uploading(r, c, f.Files) {
		return
	}
	c.Filing, c.Problem, c.RetryAt = Unfilable, f.Why, time.Time{}
	r.Revision++
}

// FilesFailed reports that the upload failed. It is retried as often as an update.
type FilesFailed struct {
	Failure

	Files []ask.Attachment
}

func (f FilesFailed) write(r *Record, c *Copy, now time.Time) {
	switch {
	case !uploading(r, c, f.Files):
		return
	case r.Attempts >= maxAttempts:
		FilesGivenUp{f.Files, f.Why}.write(r, c, now)
		return
	}
	if !f.Ambiguous {
		c.Filing = Unfiled
	}
	f.Failure.write(r, c, now)
}

// Both are two results of one copy: its card was drawn, and work was done below it. Either may be nil.
type Both struct{ First, Then Result }

func (b Both) write(r *Record, c *Copy, now time.Time) {
	for _, result := range []Result{b.First, b.Then} {
		if result != nil {
			result.write(r, c, now)
		}
	}
}
