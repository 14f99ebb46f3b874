package record

import "time"

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
