package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// think is how long the person takes. By then the posted card has been stored, as it is when people answer.
const think = 20 * time.Millisecond

// lives holds the times of many life-cycles.
type lives struct {
	mu               sync.Mutex
	ask, ack, answer times

	cpu float64 // Milliseconds of processor time per life-cycle, of the program alone.
}

func (l *lives) add(ask, ack, answer time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask, l.ack, l.answer = append(l.ask, ask), append(l.ack, ack), append(l.answer, answer)
}

// live runs one life-cycle: an agent asks on one replica and waits there, and a person clicks on the same or
// another replica.
func (w *fixture) live(ctx context.Context, clickAt string, thinking time.Duration, into *lives) error {
	mark, posted := w.expect()
	type reply struct {
		got asked
		at  time.Time
		err error
	}
	replied := make(chan reply, 1)
	began := time.Now()
	go func() {
		got, err := call(ctx, w.agent, token, http.MethodPost, w.url+"/v1/requests?wait=60s", question(w.kind, mark, mark%1000, ""))
		replied <- reply{got, time.Now(), err}
	}()
	var card time.Duration
	select {
	case p := <-posted:
		card = p.At.Sub(began)
		if err := rest(ctx, thinking); err != nil {
			return err
		}
		clicked := time.Now()
		ack, err := w.press(ctx, clickAt, p)
		if err != nil {
			return err
		}
		r := <-replied
		if r.err != nil || r.got.State != "answered" {
			return fmt.Errorf("bench: asked: %+v, %w", r.got, r.err)
		}
		into.add(card, ack, r.at.Sub(clicked))
		return nil
	case r := <-replied:
		return fmt.Errorf("bench: asked: %+v before its card, %w", r.got, r.err)
	}
}

// steady starts life-cycles at a fixed rate, no matter how long they take.
func (w *fixture) steady(ctx context.Context, clickAt string, thinking time.Duration, n, rate int, into *lives) error {
	every := time.NewTicker(time.Second / time.Duration(rate))
	defer every.Stop()
	failed := make(chan error, n)
	for range n {
		go func() { failed <- w.live(ctx, clickAt, thinking, into) }()
		<-every.C
	}
	for range n {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// together calls do n times, with at most at calls at once.
func together(ctx context.Context, n, at int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range at {
		all.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}
