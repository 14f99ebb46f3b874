package chatsim

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Exchange is one request that crossed between two parties, with its answer.
type Exchange struct {
	Seq int       `json:"seq"`
	At  time.Time `json:"at"`
	// Took is how long the answer took in milliseconds, counted from the first of folded requests.
	Took float64 `json:"took"`
	Open bool    `json:"open,omitempty"` // the answer is not there yet
	From string  `json:"from"`           // who asked, such as "Slack" or "app"
	To   string  `json:"to"`
	// Name is what the platform calls it: a method, a route, the type of a payload.
	Name   string `json:"name"`
	Method string `json:"method,omitempty"` // of HTTP
	Path   string `json:"path,omitempty"`

	Request  string `json:"request,omitempty"` // bodies, cut where they are very long
	Status   int    `json:"status,omitempty"`  // of HTTP; 0 where there was no answer
	Response string `json:"response,omitempty"`
	Trouble  string `json:"trouble,omitempty"` // why there was none

	// Times counts equal requests that were folded into this one, such as those of an agent that goes on waiting.
	Times int `json:"times,omitempty"`

	change int // grows with every change of any exchange
}

// Acknowledge fills in how the program took what a platform sent it.
func (e *Exchange) Acknowledge(answer []byte, err error) {
	if e.Response = string(answer); err != nil {
		e.Trouble = err.Error()
		return
	}
	e.Status = http.StatusOK
}

// maxBody bounds what is kept of a body.
const maxBody = 64 << 10

// Traffic keeps the newest exchanges. The zero value keeps none, so that a test pays nothing for it: call Keep first.
type Traffic struct {
	changed Signal

	mu     sync.Mutex
	keep   int
	next   int
	change int
	list   []Exchange
}

// Keep makes it keep so many exchanges from now on.
func (t *Traffic) Keep(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep = n
}

// Clear forgets the exchanges there are.
func (t *Traffic) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = nil
	t.change++
	t.changed.Notify()
}

// On tells whether anything is kept.
func (t *Traffic) On() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keep > 0
}

// Begin notes a request and returns the function that notes its answer: it is given the exchange to fill in.
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

// repeats tells whether an exchange asks once more what an earlier one asked, as an agent does that waits.
func (e Exchange) repeats(earlier Exchange) bool {
	same := earlier.From == e.From && earlier.Method == e.Method && earlier.Path == e.Path && earlier.Request == e.Request
	return same && !earlier.Open && strings.Contains(e.Path, "wait=")
}

func (t *Traffic) end(seq int, fill func(*Exchange)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.list, func(e Exchange) bool { return e.Seq == seq })
	if i < 0 {
		return // Newer ones took its place.
	}
	e := t.touch(t.list[i])
	fill(&e)
	e.Response = bounded(e.Response)
	e.Open, e.Took = false, float64(time.Since(e.At).Microseconds())/1000
	t.list[i] = e
}

// Since returns what is new or changed after an earlier call returned this mark, in order, and the next mark.
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

// bounded cuts a text that is too long to keep, between two characters.
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
