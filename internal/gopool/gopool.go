// Package gopool runs short functions in goroutines that are used again, so that their stacks
// need not grow anew each time. Why, and what it gains: docs/decisions/0062-goroutines-are-used-again.md.
package gopool

// resting is how many goroutines of a pool wait for something to do at most.
const resting = 64

// Pool is a number of goroutines. Any number of functions can be under way.
type Pool struct {
	next   chan func()
	places chan struct{} // one for each that rests
	closed <-chan struct{}
}

// New returns a pool whose goroutines do not outlast what they do any more once closed is
// closed. It can be used after that nonetheless.
func New(closed <-chan struct{}) *Pool {
	return &Pool{next: make(chan func()), places: make(chan struct{}, resting), closed: closed}
}

// Go runs f in a goroutine of its own, as the statement does.
func (p *Pool) Go(f func()) {
	select {
	case p.next <- f:
	default:
		go p.run(f)
	}
}

func (p *Pool) run(f func()) {
	for {
		f()
		select {
		case p.places <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-p.next:
			<-p.places
		case <-p.closed:
			return
		}
	}
}
