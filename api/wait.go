package api

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/internal/hijack"
)

const (
	// comeBack is the Retry-After of a call that ended early because of a shutdown.
	comeBack = time.Second
	// waitPause is the Retry-After of a call that cannot wait because too many calls of its
	// token, or too many connections, already do.
	waitPause = 5 * time.Second
	// patience is how long a call waits in its handler before its connection is taken over from
	// the server, since a shorter wait does not repay the cost.
	patience = 250 * time.Millisecond
)

// waitTime parses ?wait, as in "30s" or "30". Larger values are capped.
func (x *exchange) waitTime() (time.Duration, error) {
	s := x.r.URL.Query().Get("wait")
	if s == "" {
		return 0, nil
	}
	if strings.Trim(s, "0123456789") == "" {
		s += "s"
	}
	wait, err := time.ParseDuration(s)
	if err != nil || wait < 0 {
		return 0, parameter("wait", "is not a duration such as 30s")
	}
	return min(wait, x.s.opts.MaxWait), nil
}

// heardUpTo parses ?heard.
func (x *exchange) heardUpTo() (int, error) {
	s := x.r.URL.Query().Get("heard")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, parameter("heard", "is not the number of something that was asked")
	}
	return n, nil
}

// whenHeard is whenEnded for a caller that also waits for people's questions with a number
// above heard.
func (x *exchange) whenHeard(r *bridge.Record, wait time.Duration, heard int, then func(*bridge.Record, error) error) error {
	for wait > 0 && r.Open() && r.AskBack == ask.AskBackStay {
		if record.AwaitsReply(r, heard) {
			return then(r, nil)
		}
		if x.place.Listen(r, heard) {
			break
		}
		next, err := x.fetch(r.ID)
		if err != nil {
			return then(r, err)
		}
		r = next
	}
	return x.whenEnded(r, wait, then)
}

// parked is the state of a waiting call. It is small because there may be a hundred thousand of
// them.
type parked struct {
	id    string
	until time.Time
	then  func(*bridge.Record, error) error
}

// whenEnded responds with the result of then: immediately if the request has ended or the call
// does not wait, else when the request or the wait ends. It must be a route's last action, and
// the call must have its place.
func (x *exchange) whenEnded(r *bridge.Record, wait time.Duration, then func(*bridge.Record, error) error) error {
	if wait == 0 || !r.Open() {
		return then(r, nil)
	}
	if x.waits = connlimit.MayWait(x.r.Context()) && x.who.Quota.BeginWait(); !x.waits {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(waitPause.Seconds())))
		return then(r, nil)
	}
	x.parked = &parked{id: r.ID, until: time.Now().Add(wait), then: then}
	return nil
}

// park waits and then ends the call, unless a [stream] or package hijack does both. It reports
// whether that is so.
func (x *exchange) park() (left bool) {
	if c, ok := x.w.(*stream); ok {
		c.wait(x)
		return true
	}
	until := x.parked.until
	if x.movable() && time.Until(until) > patience && x.rest(patience) && x.move() {
		return true
	}
	x.rest(time.Until(until))
	x.run(x.resume)
	return false
}

// movable reports whether the connection of the call can be taken over from the server.
func (x *exchange) movable() bool { return hijack.Can(x.r, x.read) }

// move continues the wait with only the connection; the exchange must not be touched
// afterwards. It reports whether that was possible.
func (x *exchange) move() bool {
	w, r := x.w, x.r
	x.w, x.r = nil, nil // Release the server's buffers.
	if x.s.lines.Take(w, r, x) {
		return true
	}
	x.w, x.r = w, r
	return false
}

// Until implements [hijack.Call].
func (x *exchange) Until() time.Time { return x.parked.until }

// Notify implements [hijack.Call].
func (x *exchange) Notify(wake func()) {
	x.place.Notify(func(*bridge.Record, error) { wake() })
}

// Answer implements [hijack.Call].
func (x *exchange) Answer(w http.ResponseWriter, r *http.Request, wait bool) bool {
	x.w, x.r = w, r
	if wait {
		x.rest(time.Until(x.parked.until))
	}
	x.run(x.resume)
	return !x.aborted
}

// mayStay rejects a long-lived call if too few connections are left for others.
func (x *exchange) mayStay() error {
	if connlimit.MayWait(x.r.Context()) {
		return nil
	}
	return problem(http.StatusServiceUnavailable, "too many calls wait on connections of their own").later(waitPause)
}

// rest waits for an event that concerns the call, at most for d. It reports whether there was
// none.
func (x *exchange) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.place.Over():
	case <-x.r.Context().Done():
	case <-x.s.draining.Done():
	}
	return false
}

// resume completes a call that has waited.
func (x *exchange) resume() error {
	p := x.parked
	x.parked = nil
	if x.gone() {
		x.status = statusGone
		return nil
	}
	r, why := x.place.Last()
	if refused := x.still(); refused != nil {
		return refused
	}
	if r != nil {
		return p.then(r, nil)
	}
	// Read it again: even without an answer the delivery state may have changed, and a lost
	// notification is noticed.
	r, err := x.fetch(p.id)
	if err == nil && r.Open() && (why != nil || x.s.draining.Err() != nil) {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(comeBack.Seconds())))
	}
	return p.then(r, err)
}

// still rejects a caller whose token has been revoked meanwhile.
func (x *exchange) still() error {
	ctx, cancel := budgetBefore(x.r.Context())
	defer cancel()
	return x.who.Still(ctx)
}

// fetch reads a request.
func (x *exchange) fetch(id string) (*bridge.Record, error) {
	ctx, cancel := budgetBefore(x.r.Context())
	defer cancel()
	r, err := x.who.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// sleepers are the waiting streams.
type sleepers struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

func (s *sleepers) add(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*stream]struct{}{}
	}
	s.all[one] = struct{}{}
}

func (s *sleepers) remove(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one)
}

func (s *sleepers) rouse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.all {
		one.rouse()
	}
}
