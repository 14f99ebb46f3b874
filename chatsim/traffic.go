package chatsim

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Exchange is one request between two parties, with its response.
type Exchange struct {
	Seq int       `json:"seq"`
	At  time.Time `json:"at"`
	// Took is the response time in milliseconds, measured from the first of folded requests.
	Took float64 `json:"took"`
	Open bool    `json:"open,omitempty"` // no response yet
	From string  `json:"from"`           // the caller, such as "Slack" or "app"
	To   string  `json:"to"`
	// Name is the platform's name for it: a method, a route, a payload type.
	Name   string `json:"name"`
	Method string `json:"method,omitempty"` // HTTP method
	Path   string `json:"path,omitempty"`

	Request  string `json:"request,omitempty"` // bodies, truncated if very long
	Status   int    `json:"status,omitempty"`  // HTTP status; 0 if there was no response
	Response string `json:"response,omitempty"`
	Trouble  string `json:"trouble,omitempty"` // why there was no response

	// Times counts identical requests folded into this one, such as an agent's long polls.
	Times int `json:"times,omitempty"`

	change int // increases with every change of any exchange
}

// Acknowledge records the program's response to a delivery.
func (e *Exchange) Acknowledge(answer []byte, err error) {
	if e.Response = string(answer); err != nil {
		e.Trouble = err.Error()
		return
	}
	e.Status = http.StatusOK
}

// maxBody is the number of bytes kept of a body.
const maxBody = 64 << 10

// Traffic keeps the newest exchanges. The zero value keeps none, so that tests do not pay for
// it: call Keep first.
type Traffic struct {
	changed Signal

	mu     sync.Mutex
	keep   int
	next   int
	change int
	list   []Exchange
}

// Keep sets the number of exchanges to keep.
func (t *Traffic) Keep(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep = n
}

// Clear removes all exchanges.
func (t *Traffic) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = nil
	t.change++
	t.changed.Notify()
}

// On reports whether exchanges are kept.
func (t *Traffic) On() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keep > 0
}

// Begin records a request and returns the function that records its response by filling in the
// exchange.
func (t *Traffic) Begin(e Exchange) (end func(fill func(*Exchange))) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keep == 0 {
		return func(func(*Exchange)) {}
	}
	e.Request = bounded(e.Request)
	if i := slices.IndexFunc(t.list, e.repeats); i >= 0 {
		before := &t.list[i]
		e.Seq, e.At, e.Times = before.Seq, before.At, max(1, before.Times)+1
		*before = t.touch(e)
	} else {
		t.next++
		e.Seq, e.At = t.next, time.Now()
		t.list = append(t.list, t.touch(e))
	}
	if len(t.list) > t.keep {
		t.list = slices.Clone(t.list[len(t.list)-t.keep:])
	}
	return func(fill func(*Exchange)) { t.end(e.Seq, fill) }
}

// touch marks an exchange as changed and open.
func (t *Traffic) touch(e Exchange) Exchange {
	t.change++
	e.Open, e.change = true, t.change
	t.changed.Notify()
	return e
}

// repeats reports whether an exchange repeats an earlier request, as an agent's long poll does.
func (e Exchange) repeats(earlier Exchange) bool {
	same := earlier.From == e.From && earlier.Method == e.Method && earlier.Path == e.Path && earlier.Request == e.Request
	return same && !earlier.Open && strings.Contains(e.Path, "wait=")
}

func (t *Traffic) end(seq int, fill func(*Exchange)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.list, func(e Exchange) bool { return e.Seq == seq })
	if i < 0 {
		return // It was evicted by newer ones.
	}
	e := t.touch(t.list[i])
	fill(&e)
	e.Response = bounded(e.Response)
	e.Open, e.Took = false, float64(time.Since(e.At).Microseconds())/1000
	t.list[i] = e
}

// Since returns the exchanges that are new or changed since a mark, in order, and the next
// mark.
func (t *Traffic) Since(mark int) ([]Exchange, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []Exchange{}
	for _, e := range t.list {
		if e.change > mark {
			out = append(out, e)
		}
	}
	return out, t.change
}

// Changed returns a channel that is closed at the next change.
func (t *Traffic) Changed() <-chan struct{} { return t.changed.Next() }

// bounded truncates a long text at a character boundary.
func bounded(body string) string {
	if len(body) <= maxBody {
		return body
	}
	at := maxBody
	for at > 0 && !utf8.RuneStart(body[at]) {
		at--
	}
	return body[:at] + "… (cut)"
}
