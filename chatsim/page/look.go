package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// longestWait limits the wait of a control API call.
const longestWait = time.Minute

// waiting parses the wait of a call: ?wait=10s.
func waiting(q url.Values) (time.Duration, error) {
	text := q.Get("wait")
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestWait {
		return 0, errors.New("wait must be a duration such as 10s, at most 60s")
	}
	return d, nil
}

// sees returns what a person sees once all of these texts are visible and none of those is:
// ?platform=slack&person=Dana&text=…&without=…&wait=10s.
func (h *handler) sees(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	c := h.chat(q.Get("platform"))
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	person, err := who(c, q.Get("person"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	wait, err := waiting(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	seat := c.Seat(person.ID, q.Get("channel"), q.Get("message"))
	met := func(now string) bool {
		holds := func(text string) bool { return strings.Contains(now, text) }
		return !slices.ContainsFunc(q["text"], func(text string) bool { return !holds(text) }) && !slices.ContainsFunc(q["without"], holds)
	}
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	now := seat.Sees()
	if !met(now) && wait > 0 {
		_ = seat.Await(ctx, met) // The result is evaluated below.
		now = seat.Sees()
	}
	writeJSON(w, map[string]any{"met": met(now), "sees": now})
}

// timeline returns a platform's events after a sequence number, and waits for one if there are
// none: ?platform=slack&after=12&wait=10s.
func (h *handler) timeline(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	c := h.chat(q.Get("platform"))
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	after, err := strconv.Atoi(q.Get("after"))
	if err != nil && q.Get("after") != "" || after < 0 {
		http.Error(w, "after must be the sequence number of an event.", http.StatusBadRequest)
		return
	}
	wait, err := waiting(q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	for {
		next := c.Watch()
		events := c.Timeline().Since(after)
		if len(events) > 0 || wait == 0 {
			writeEvents(w, events, after)
			return
		}
		select {
		case <-next:
		case <-limit.C:
			wait = 0
		case <-r.Context().Done():
			return
		}
	}
}

func writeEvents(w http.ResponseWriter, events []chatsim.Event, after int) {
	last := after
	if n := len(events); n > 0 {
		last = events[n-1].Seq
	}
	writeJSON(w, map[string]any{"events": events, "last": last})
}

// violation is a violated rule of one platform.
type violation struct {
	Platform string `json:"platform"`
	chatsim.Violation
}

// verdict lists rule violations.
type verdict struct {
	Violations []violation `json:"violations"` // unexpected violations
	Missing    []violation `json:"missing"`    // expected violations that did not occur
}

func (h *handler) judge() verdict {
	v := verdict{[]violation{}, []violation{}}
	for _, c := range h.chats {
		for _, found := range c.Ledger().Unexpected() {
			v.Violations = append(v.Violations, violation{c.Platform(), found})
		}
		for _, rule := range c.Ledger().Missing() {
			v.Missing = append(v.Missing, violation{c.Platform(), chatsim.Violation{Rule: rule}})
		}
	}
	return v
}

func (h *handler) violations(w http.ResponseWriter, _ *http.Request) { writeJSON(w, h.judge()) }

// verify responds with 409 if an unexpected rule was broken or an expected one was not. It is
// the one call a test needs at its end.
func (h *handler) verify(w http.ResponseWriter, _ *http.Request) {
	v := h.judge()
	status := http.StatusOK
	if len(v.Violations)+len(v.Missing) > 0 {
		status = http.StatusConflict
	}
	writeStatus(w, status, v)
}

// expect declares that rules will be broken on purpose.
func (h *handler) expect(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Platform string
		Rules    []string
	}
	if !readAction(w, r, &want) {
		return
	}
	c := h.chat(want.Platform)
	if c == nil {
		http.Error(w, "No such platform.", http.StatusNotFound)
		return
	}
	known := c.Coverage().Rules
	for _, rule := range want.Rules {
		if !slices.ContainsFunc(known, func(k chatsim.Covered) bool { return k.Name == rule }) {
			http.Error(w, "Unknown rule "+strconv.Quote(rule)+"; GET api/coverage lists the rules.", http.StatusBadRequest)
			return
		}
	}
	c.Ledger().Expect(want.Rules...)
	writeJSON(w, map[string]any{"rules": want.Rules})
}

func (h *handler) coverage(w http.ResponseWriter, _ *http.Request) {
	out := []chatsim.Coverage{}
	for _, c := range h.chats {
		out = append(out, c.Coverage())
	}
	writeJSON(w, map[string]any{"platforms": out})
}
