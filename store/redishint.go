package store

import (
	"strconv"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/bridge"
)

// hint is what is published of a write: the id and the token of the version,
// with a space between. The swap script makes the same, and puts the whole value
// in the place of its token when a record ends.
func hint(e *entry) string { return e.rec.ID + " " + e.token() }

// readHint is the inverse of hint; what it does not know it leaves empty.
func readHint(message string) (id string, version int64, value string) {
	id, news, _ := strings.Cut(message, " ")
	token, _, whole := strings.Cut(news, " ")
	number, _, _ := strings.Cut(token, ".")
	version, _ = strconv.ParseInt(number, 10, 64)
	if whole {
		value = news
	}
	return id, version, value
}

// mostBrought is how many values are kept for somebody to ask for; whoever
// waits asks at once.
const mostBrought = 256

// brought are the values that came with hints, by id. They are decoded when
// somebody asks, which is seldom.
type brought struct {
	mu     sync.Mutex
	values map[string]string
	order  []string
}

func (b *brought) put(id, value string) {
	if value == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.values == nil {
		b.values = map[string]string{}
	}
	if len(b.order) == mostBrought {
		delete(b.values, b.order[0])
		b.order = b.order[1:]
	}
	b.values[id] = value
	b.order = append(b.order, id)
}

func (b *brought) get(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.values[id]
}

// Ended implements [bridge.Herald].
func (r *Redis) Ended(id string) (bridge.Record, bool) {
	value := r.brought.get(id)
	if value == "" {
		return bridge.Record{}, false
	}
	e, err := r.seen(id, value)
	if err != nil {
		return bridge.Record{}, false
	}
	return e.rec.Clone(), true
}
