package main

import (
	"fmt"
	"io"
	"time"
)

// progress shows the progress of a long command on one line of a terminal. It prints nothing elsewhere.
type progress struct {
	to    io.Writer
	last  time.Time
	shown bool
}

// progressPause is how long what is shown stays.
const progressPause = 200 * time.Millisecond

func newProgress(to io.Writer) *progress {
	if s, terminal := to.(*screen); terminal {
		return &progress{to: s.file} // It never prints untrusted text.
	}
	return &progress{}
}

func (p *progress) say(format string, args ...any) {
	if p.to == nil || time.Since(p.last) < progressPause {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.to, "\r\x1b[K"+format, args...)
}

// done takes the line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
}
