package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Work is done below a card, once. A process first stores that it begins, then reports the result;
// in between no other process does the same work. If a process finds work begun on a record that it
// has claimed, the one that began it has crashed, so it searches for the result before it repeats
// the work.
type Work int

// The kinds of work below cards.
const (
	// Announcing announces what has happened; [Announced] and [NotAnnounced] report the result.
	Announcing Work = iota
	// Uploading uploads the files of the request; [FilesPosted], [FilesGivenUp] and [FilesFailed] report
	// the result.
	Uploading
)

// stage returns whether the work may still have to be done below a card, and whether a process has
// begun it.
func (w Work) stage(r *Record, c Copy) (due, begun bool) {
	if w == Uploading {
		return unfiled(r, c), c.Filing == BeingFiled
	}
	return unannounced(r, c), c.Saying != c.Said
}

// Wants reports whether a process has to do the work below a card.
func (w Work) Wants(r *Record, c Copy, claimed bool) bool {
	due, begun := w.stage(r, c)
	return due && (claimed || !begun)
}

// Left returns the cards below which work is left: free ones, where no process has begun it, and
// doubted ones, where one has and the record is claimed. Work that is postponed with its card until
// after soon is left out.
func (w Work) Left(r *Record, claimed bool, soon time.Time) (free, doubted []int) {
	for n, c := range r.Copies {
		due, begun := w.stage(r, c)
		switch {
		case !due, c.RetryAt.After(soon):
		case !begun:
			free = append(free, n)
		case claimed:
			doubted = append(doubted, n)
		}
	}
	return free, doubted
}

// Begin marks the work as begun below the cards where it is free, and returns which those are, or
// [ErrUnchanged] if there are none. Only the caller that stores this does the work.
func (w Work) Begin(r *Record, soon time.Time) (begun []int, err error) {
	if begun, _ = w.Left(r, false, soon); begun == nil {
		return nil, ErrUnchanged
	}
	for _, n := range begun {
		if c := &r.Copies[n]; w == Uploading {
			c.Filing = BeingFiled
		} else {
			c.Saying = announcements(r)
		}
	}
	return begun, nil
}

// NeedsWork reports whether a process has any work to do below a card.
func NeedsWork(r *Record, c Copy, claimed bool) bool {
	return Announcing.Wants(r, c, claimed) || Uploading.Wants(r, c, claimed)
}

// Two kinds of events are announced below the cards, in one order: the steps of the schedule, and
// the agent's replies to questions from people. Each has a place in that order, starting at 1.

// announcements is the number of events so far.
func announcements(r *Record) int {
	n := 0
	for _, asked := range r.AskedBack {
		if asked.Place > 0 {
			n++
		}
	}
	if r.Schedule != nil {
		n += r.Schedule.Done
	}
	return n
}

// unannounced reports whether an event has not been announced below a card yet. Once the request
// has ended nothing more is announced, but a reminder may be posted of which no process has recorded
// the message, and which has to be edited.
func unannounced(r *Record, c Copy) bool {
	if c.State != Posted || c.Adopted {
		return false
	}
	if !r.Open() {
		steps, _ := Below(r, c, c.Saying)
		return len(steps) > 0
	}
	steps, replies := Below(r, c, announcements(r))
	return len(steps)+len(replies) > 0
}

// Below returns the steps and replies to announce below a card: those after the ones already
// announced there, up to the place last. A step is announced only where that notifies a person.
func Below(r *Record, c Copy, last int) (steps []Step, replies []AskedBack) {
	done := 0
	for place := 1; place <= last; place++ {
		asked, reply := replyAt(r, place)
		if !reply {
			done++
		}
		switch {
		case place <= c.Said:
		case reply:
			replies = append(replies, asked)
		case r.Schedule != nil && done <= len(r.Schedule.Steps) && announcedBelow(r, done-1, c):
			steps = append(steps, r.Schedule.Steps[done-1])
		}
	}
	return steps, replies
}

func replyAt(r *Record, place int) (AskedBack, bool) {
	for _, asked := range r.AskedBack {
		if asked.Place == place {
			return asked, true
		}
	}
	return AskedBack{}, false
}

// announcedBelow reports whether a step is announced below the card: where it notifies a person. The
// recipient of a pass gets a card of their own, which shows it. If they had one before, the pass is
// announced below that one. If they cannot be sent a card, or could not answer on it, it is announced
// below the first public card on their platform.
func announcedBelow(r *Record, step int, c Copy) bool {
	p := r.Schedule.Steps[step].Pass
	if p == nil {
		return slices.ContainsFunc(r.Schedule.Steps[step].Who, c.canNotify)
	}
	first := func(is func(Copy) bool) (Copy, bool) {
		n := slices.IndexFunc(r.Copies, is)
		if n < 0 {
			return Copy{}, false
		}
		return r.Copies[n], true
	}
	if card, sent := first(func(c Copy) bool { return c.Step == step+1 }); sent && card.State != Undeliverable {
		return false
	}
	if card, had := first(func(c Copy) bool { return c.sentTo(p.To) && c.State != Undeliverable }); had {
		return card.Ref == c.Ref
	}
	card, there := first(func(c Copy) bool {
		return c.Target.Platform == p.To.Platform && c.Target.User == "" && c.State == Posted && !c.Adopted
	})
	return there && card.Ref == c.Ref
}

// BelowSince is when the first of the events being announced below a card happened.
func BelowSince(r *Record, c Copy) time.Time {
	var first time.Time
	earlier := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	steps, replies := Below(r, c, c.Saying)
	for _, s := range steps {
		earlier(s.At)
	}
	for _, asked := range replies {
		earlier(asked.RepliedAt)
	}
	return first
}

// BelowRecipients returns the people and groups that the announcement being made below a card
// notifies: those of its platform, and in a direct message only its addressee.
func BelowRecipients(r *Record, c Copy) []string {
	var who []string
	notify := func(entry string) {
		if c.canNotify(entry) && !slices.Contains(who, entry) {
			who = append(who, entry)
		}
	}
	steps, replies := Below(r, c, c.Saying)
	for _, s := range steps {
		for _, entry := range s.Who {
			notify(entry)
		}
	}
	for _, asked := range replies {
		notify(asked.By.Key())
	}
	return who
}

// ShowsEverything reports whether a copy shows all that the request asks about, files included.
func ShowsEverything(r *Record, c Copy) bool { return len(r.Files) == 0 || c.Filing == Filed }

// shown reports whether the person who acts could read everything: on the card that they use, or on
// any card if that is unknown. The API reports the files to its callers.
func shown(r *Record, a Act) bool {
	if len(r.Files) == 0 || a.By.Platform == ask.API {
		return true
	}
	return slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Filing == Filed && (a.Message == (MessageRef{}) || c.Ref == a.Message)
	})
}

// unfiled reports whether the files of the request are not known to be posted below a card, and still
// can be.
func unfiled(r *Record, c Copy) bool {
	return len(r.Files) > 0 && r.Open() && r.Held == nil && c.State == Posted && !c.Adopted && (c.Filing == Unfiled || c.Filing == BeingFiled)
}

// uploading reports whether these files are being uploaded below a card. They are not if the card has
// been replaced since, or the agent has revised the files.
func uploading(r *Record, c *Copy, files []ask.Attachment) bool {
	return c.Filing == BeingFiled && slices.Equal(files, r.Files)
}

// refile replaces the files of a request. If they differ, they are uploaded again below every card, which
// accepts no answers until then.
func refile(r *Record, files []ask.Attachment) {
	all := len(files) == 0 || slices.ContainsFunc(files, func(f ask.Attachment) bool { return !slices.Contains(r.Files, f) })
	for n := range r.Copies {
		if c := &r.Copies[n]; all || c.Filing == BeingFiled {
			c.Filing = Unfiled
		}
	}
	r.Files = files
}
