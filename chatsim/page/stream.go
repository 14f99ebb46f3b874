package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

const (
	// pulse is the keep-alive interval of an idle stream.
	pulse = 15 * time.Second
	// comeBack is the browser's reconnect delay in milliseconds.
	comeBack = 1000
)

// change is one event of a stream. Unchanged members are omitted.
type change struct {
	// First is set on the first event of a stream, which contains the full state.
	First bool                  `json:"first,omitempty"`
	Chats map[string]chatChange `json:"chats,omitempty"`
	// Exchanges are the new and changed ones.
	Exchanges []chatsim.Exchange `json:"exchanges,omitempty"`
}

// chatChange is the change on one platform.
type chatChange struct {
	Snapshot   json.RawMessage     `json:"snapshot,omitempty"`
	Events     []chatsim.Event     `json:"events,omitempty"`
	Violations []chatsim.Violation `json:"violations,omitempty"`
}

// viewer is one open page: the person selected on each platform, and what was already sent.
type viewer struct {
	h          *handler
	people     map[string]string
	snapshots  map[string][]byte
	events     map[string]int
	violations map[string]int
	exchanges  int
	cleared    int
	started    bool
}

func newViewer(h *handler) *viewer {
	return &viewer{
		h: h, people: map[string]string{}, snapshots: map[string][]byte{}, events: map[string]int{},
		violations: map[string]int{}, cleared: h.cleared(),
	}
}

// cleared counts the resets of the platforms.
func (h *handler) cleared() int {
	n := 0
	for _, c := range h.chats {
		n += c.Timeline().Cleared()
	}
	return n
}

// stream sends a page the views of its people and all changes. The query names a person for
// each platform: ?slack=U0000001.
func (h *handler) stream(w http.ResponseWriter, r *http.Request) {
	v := newViewer(h)
	for _, c := range h.chats {
		v.people[c.Platform()] = r.URL.Query().Get(c.Platform())
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetWriteDeadline(time.Time{}) // A stream outlives the server's timeout; test recorders have none.
	if _, err := fmt.Fprintf(w, "retry: %d\n\n", comeBack); err != nil {
		return
	}
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	for {
		wake := v.subscribe(r, beat)
		update, err := v.changes()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if update != nil {
			_, err = fmt.Fprintf(w, "data: %s\n\n", update)
		} else {
			_, err = fmt.Fprint(w, ": keep-alive\n\n")
		}
		if err != nil || out.Flush() != nil {
			return
		}
		if !wake() {
			return
		}
	}
}

// subscribe registers for changes before the state is read, so that none is missed, and returns the
// function that waits for one. That function returns false when the stream ends.
func (v *viewer) subscribe(r *http.Request, beat *time.Ticker) func() bool {
	cases := []reflect.SelectCase{receive(r.Context().Done()), receive(beat.C), receive(v.h.opts.Traffic.Changed())}
	for _, c := range v.h.chats {
		cases = append(cases, receive(c.Watch()))
	}
	return func() bool {
		chosen, _, _ := reflect.Select(cases)
		return chosen > 0
	}
}

func receive(ch any) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)}
}

// changes returns the changes since the last call as JSON, or nil.
func (v *viewer) changes() ([]byte, error) {
	if v.h.cleared() != v.cleared { // Send the full state again.
		fresh := newViewer(v.h)
		fresh.people = v.people
		*v = *fresh
	}
	update := change{First: !v.started, Chats: map[string]chatChange{}}
	update.Exchanges, v.exchanges = v.h.opts.Traffic.Since(v.exchanges)
	for _, c := range v.h.chats {
		changed, err := v.chatChanges(c)
		if err != nil {
			return nil, err
		}
		if changed.Snapshot != nil || len(changed.Events) > 0 || len(changed.Violations) > 0 {
			update.Chats[c.Platform()] = changed
		}
	}
	if v.started && len(update.Chats) == 0 && len(update.Exchanges) == 0 {
		return nil, nil
	}
	v.started = true
	out, err := json.Marshal(update)
	if err != nil {
		return nil, fmt.Errorf("page: encode: %w", err)
	}
	return out, nil
}

func (v *viewer) chatChanges(c Chat) (chatChange, error) {
	var out chatChange
	name := c.Platform()
	snapshot, err := json.Marshal(c.Snapshot(v.people[name]))
	if err != nil {
		return out, fmt.Errorf("page: encode %s snapshot: %w", name, err)
	}
	if !bytes.Equal(snapshot, v.snapshots[name]) {
		out.Snapshot, v.snapshots[name] = snapshot, snapshot
	}
	out.Events = c.Timeline().Since(v.events[name])
	v.events[name] += len(out.Events)
	all := c.Ledger().All()
	out.Violations = all[min(v.violations[name], len(all)):]
	v.violations[name] = len(all)
	return out, nil
}
