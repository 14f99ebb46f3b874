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
	// journalAge is how long writes can be repeated, longer than a failover takes.
	journalAge = time.Minute
	// journalSize is the maximum number of writes in the journal.
	journalSize = 1024
)

// journal contains the recent writes of this process. A failover, or a restart that truncates the log,
// can lose acknowledged writes.
type journal struct {
	mu     sync.Mutex
	writes []write
	// server is the run ID of the server that has all writes. left is when the last subscription to
	// it ended: writes much older than that were not lost.
	server string
	left   time.Time
}

// write is an acknowledged write: a swap or a create.
type write struct {
	at time.Time
	*swapAttempt
	created bool
}

func (j *journal) add(w write) {
	w.at = time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	old := max(0, len(j.writes)+1-journalSize)
	for old < len(j.writes) && w.at.Sub(j.writes[old].at) > journalAge {
		old++
	}
	j.writes = append(j.writes[old:], w)
}

// since returns the writes to repeat on a server, none if it acknowledged them.
func (j *journal) since(server string) []write {
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
	return append([]write(nil), j.writes[old:]...)
}

// caughtUp records that a server has all writes.
func (j *journal) caughtUp(server string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.server = server
}

// unsubscribed records that a subscription ended, perhaps because the server did.
func (j *journal) unsubscribed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.left = time.Now()
}

// replay repeats writes that a new run of the server may have lost. Each write is again a swap of the
// version before it, so writes that survived, and later ones, do not change.
//
// Watch calls it after each new subscription, and again while it fails: a server that just took over or
// is still loading may not accept writes yet. In a Cluster a subscription concerns only one of many
// servers, so nothing is repeated; require replicas instead.
func (r *records) replay(ctx context.Context) error {
	if r.conn.cluster {
		return nil
	}
	text, err := r.conn.client.Info(ctx, "server").Result()
	if _, refused := errors.AsType[goredis.Error](err); refused {
		return nil // The user may not read the run ID.
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
			_, _, err = r.insert(ctx, w.next, func(goredis.Pipeliner) {})
		} else {
			again := *w.swapAttempt
			again.now = 0 // The time was checked the first time.
			_, _, err = r.swap(ctx, &again)
		}
		if errors.Is(err, storage.ErrUnavailable) || err != nil && r.conn.ready(ctx) != nil {
			return err
		}
	}
	r.journal.caughtUp(server)
	return nil
}
