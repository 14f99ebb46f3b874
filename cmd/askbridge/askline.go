package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/visible"
)

// waitingLine shows at a terminal how long the command has been waiting. It prints nothing elsewhere.
type waitingLine struct {
	w    *os.File
	stop chan struct{}
	done sync.WaitGroup
}

func newWaitingLine(w io.Writer) *waitingLine {
	l := &waitingLine{}
	if s, ok := w.(*screen); ok {
		l.w = s.file // The line moves the cursor by itself.
	}
	return l
}

// begin shows the line until end.
func (l *waitingLine) begin(id string, places []string) {
	if l.w == nil || l.stop != nil {
		return
	}
	what := "Asked"
	if len(places) > 0 {
		what += " in " + strings.Join(places, ", ")
	}
	what = visible.Reveal(fmt.Sprintf("%s (%s)", what, id))
	l.stop = make(chan struct{})
	l.done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for began := time.Now(); ; {
			// The line is drawn over itself, and taken away in the end.
			fmt.Fprintf(l.w, "\r\x1b[K%s, waiting for %s", what, time.Since(began).Round(time.Second))
			select {
			case <-tick.C:
			case <-l.stop:
				fmt.Fprint(l.w, "\r\x1b[K")
				return
			}
		}
	})
}

// end takes the line away. Ending twice is fine.
func (l *waitingLine) end() {
	if l.stop == nil {
		return
	}
	close(l.stop)
	l.done.Wait()
	l.stop = nil
}
