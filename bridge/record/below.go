package record

import "time"

// Work is done below a card, once. Whoever does it takes note first that they begin, and tells
// how it went: while somebody does it nobody else does. A claimed record has nobody at work on
// it, so whoever began did not come to tell; then it is looked for before it is done again.
type Work int

// What is done below cards.
const (
	// Telling is to say what has happened; [Said] and [Unsaid] tell how it went.
	Telling Work = iota
	// Uploading is to upload the files of the request; [FilesStand], [NoFiles] and
	// [FilesFailed] tell how it went.
	Uploading
)

// stage returns whether the work may still have to be done below a card, and whether somebody
// has begun it.
func (w Work) stage(r *Record, c Copy) (due, begun bool) {
	if w == Uploading {
		return r.unfiled(c), c.Filing == BeingFiled
	}
	return r.unsaid(c), c.Saying != c.Said
}

// Wants reports whether somebody has to do the work below a card.
func (w Work) Wants(r *Record, c Copy, claimed bool) bool {
	due, begun := w.stage(r, c)
	return due && (claimed || !begun)
}

// Left returns below which cards the work is left to do: where nobody has begun it, and where
// somebody has and the record is claimed. What is put off with its card until after soon is not.
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

// Begin takes note that the caller begins the work below the cards where nobody has, and returns
// which those are, or [ErrUnchanged] where there is none. Only whoever stores that does it.
func (w Work) Begin(r *Record, soon time.Time) (begun []int, err error) {
	if begun, _ = w.Left(r, false, soon); begun == nil {
		return nil, ErrUnchanged
	}
	for _, n := range begun {
		if c := &r.Copies[n]; w == Uploading {
			c.Filing = BeingFiled
		} else {
			c.Saying = r.happened()
		}
	}
	return begun, nil
}

// WantsWork reports whether somebody has to do anything below a card.
func (r *Record) WantsWork(c Copy, claimed bool) bool {
	return Telling.Wants(r, c, claimed) || Uploading.Wants(r, c, claimed)
}

// What is said below the cards, in its order: the steps of the schedule as they happen, and
// the agent's replies to what people asked.

// happened is how much there is to say below the cards by now.
func (r *Record) happened() int {
	n := r.replies()
	if r.Schedule != nil {
		n += r.Schedule.Done
	}
	return n
}

// replies is how many replies the agent has given.
func (r *Record) replies() int {
	n := 0
	for _, asked := range r.AskedBack {
		if asked.Place > 0 {
			n++
		}
	}
	return n
}

// Below returns what there is to say below a card in the places behind what was said there,
// up to the last one: steps, and replies. Each place has one of them.
func (r *Record) Below(c Copy, last int) (steps []Step, replies []AskedBack) {
	done := 0
	for place := 1; place <= last; place++ {
		asked, reply := r.replyAt(place)
		if !reply {
			done++
		}
		switch {
		case place <= c.Said:
		case reply:
			replies = append(replies, asked)
		case r.Schedule != nil && done <= len(r.Schedule.Steps) && r.toldBelow(done-1, c):
			steps = append(steps, r.Schedule.Steps[done-1])
		}
	}
	return steps, replies
}

func (r *Record) replyAt(place int) (AskedBack, bool) {
	for _, asked := range r.AskedBack {
		if asked.Place == place {
			return asked, true
		}
	}
	return AskedBack{}, false
}

// Since is when the first of what is being said below a card happened.
func (r *Record) Since(c Copy) time.Time {
	var first time.Time
	earlier := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	steps, replies := r.Below(c, c.Saying)
	for _, s := range steps {
		earlier(s.At)
	}
	for _, asked := range replies {
		earlier(asked.RepliedAt)
	}
	return first
}
