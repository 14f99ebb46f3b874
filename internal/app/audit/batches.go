package audit

import "fmt"

// batches are the batches of one chain that a verifier has read. A device can be given a batch
// again, after a crash or a timeout, but always all of it. So a verifier counts a batch that
// appears again once, and calls every other repeated line inserted.
type batches struct {
	// known are the complete ones, by their first line.
	known map[int64]*batch
	// open is the one being read. It is nil behind a head.
	open *batch
	// repeat is the one in known that open repeats, or nil.
	repeat *batch
}

// batch is a run of lines with a head behind it.
type batch struct {
	first, last int64
	// at is where it begins in the input, and times how often it appears.
	at, times int
}

// next adds a new line to the batch being read.
func (b *batches) next(n int64, at int) {
	if b.open == nil {
		b.open = &batch{first: n, at: at}
	}
	b.open.last = n
}

// again adds a line that was read before, and reports whether it belongs to a repeated batch.
func (b *batches) again(n int64, at int) bool {
	switch {
	case b.open == nil && b.known[n] != nil:
		b.open, b.repeat = &batch{first: n, last: n, at: at}, b.known[n]
	case b.repeat != nil && n == b.open.last+1 && n <= b.repeat.last:
		b.open.last = n
	default:
		return false
	}
	return true
}

// ends reports whether a head of line n completes the batch being read.
func (b *batches) ends(n int64) bool {
	return b.open != nil && b.open.last == n && (b.repeat == nil || b.repeat.last == n)
}

// end completes the batch being read, and reports whether it was new.
func (b *batches) end() bool {
	done, repeat := b.open, b.repeat
	b.open, b.repeat = nil, nil
	if repeat != nil {
		repeat.times++
		return false
	}
	done.times = 1
	b.known[done.first] = done
	return true
}

// readAgain reads a line whose number was read before.
func (v *verifier) readAgain(c *chainState, l *Line, sum string) {
	switch {
	case c.read[l.N].line != sum:
		v.wrong("is line %d of %q a second time, with different content", l.N, l.Tenant)
	case c.again(l.N, v.at):
		v.behind.chain, v.behind.n = c, l.N
	default:
		v.wrong("is line %d of %q a second time: it was inserted", l.N, l.Tenant)
	}
}

// unfinished reports the lines of a repeated batch that has not ended with its head.
func (v *verifier) unfinished(tenant string, c *chainState) {
	if c.repeat == nil {
		return
	}
	v.wrongAt(c.open.at, "is line %d of %q a second time, without the rest of its batch: it was inserted", c.open.first, tenant)
	c.open, c.repeat = nil, nil
}

// noteRepeats notes how many batches appear more than once.
func (v *verifier) noteRepeats() {
	repeated, most := 0, 0
	for _, c := range v.chains {
		for _, b := range c.known {
			if b.times > 1 {
				repeated, most = repeated+1, max(most, b.times)
			}
		}
	}
	times := "twice"
	if most > 2 {
		times = fmt.Sprintf("up to %d times", most)
	}
	switch repeated {
	case 0:
	case 1:
		v.report.Notes = append(v.report.Notes, fmt.Sprintf("1 batch appears %s; counted once", times))
	default:
		v.report.Notes = append(v.report.Notes, fmt.Sprintf("%d batches appear %s; counted once", repeated, times))
	}
}
