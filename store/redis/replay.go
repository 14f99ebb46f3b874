package redis

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
)

const (
	// journalAge is how long this process can repeat what it has written: longer
	// than any failover takes.
	journalAge = time.Minute
	// journalSize bounds how many writes it keeps for that.
	journalSize = 1024
)

// journal remembers what this process has lately stored. A failover, or a
// restart without the end of the log, can lose it although it was acknowledged.
type journal struct {
	mu     sync.Mutex
	writes []written
	// server is the run of the server that has them all, left when a subscription to it
	// ended last: what is much older than that cannot be what it has lost.
	server string
	left   time.Time
}

// written is one write that was acknowledged: a swap, or a create when it has
// put nothing in the place of nothing.
type written struct {
	at time.Time
	*swapping
	created bool
}

func (j *journal) note(w written) {
	w.at = time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	old := max(0, len(j.writes)+1-journalSize)
	for old < len(j.writes) && w.at.Sub(j.writes[old].at) > journalAge {
		old++
	}
	j.writes = append(j.writes[old:], w)
}

// since returns what to repeat on a server, which is nothing if it is the one
// that has acknowledged it.
func (j *journal) since(server string) []written {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.server == "" {
		j.server = server
	}
	if j.server == server {
		return nil
	}
	old := 0
	for old < len(j.writes) && j.left.Sub(j.writes[old].at) > journalAge {
		old++
	}
	return append([]written(nil), j.writes[old:]...)
}

// has notes that a server has all that was written.
func (j *journal) has(server string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.server = server
}

// leave notes that a subscription has ended, and with it perhaps the server.
func (j *journal) leave() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.left = time.Now()
}

// replay repeats what another run of the server may have lost. Each write is
// again a swap of the version before it, so what did survive, and whatever
// anybody has made of it since, stays as it is.
//
// Watch calls it with each new subscription, and again as long as it fails: a server that has
// just taken over, or is still loading, may take no writes yet. In a Cluster a subscription tells
// of one server among many, and there is no replay; ask for replicas instead.
func (r *Store) replay(ctx context.Context) error {
	if r.peers.scattered {
		return nil
	}
	text, err := r.client.Info(ctx, "server").Result()
	if _, refused := errors.AsType[goredis.Error](err); refused {
		return nil // It will not say which run it is.
	}
	if err != nil {
		return err
	}
	var server string
	for line := range strings.Lines(text) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "run_id:"); ok {
			server = id
		}
	}
	for _, w := range r.journal.since(server) {
		if w.created {
			_, _, err = r.insert(ctx, w.next)
		} else {
			again := *w.swapping
			again.now = 0 // It was judged when it was made.
			_, _, err = r.swap(ctx, &again)
		}
		if errors.Is(err, storage.ErrUnavailable) || err != nil && r.open(ctx) != nil {
			return err
		}
	}
	r.journal.has(server)
	return nil
}
