package state

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/bridge/record"
)

// followers hands changed records to everybody who follows.
type followers struct {
	mu  sync.Mutex
	all map[*follower]struct{}
	// ended are the last requests whose end was told here, as they were told last.
	ended *simplelru.LRU[string, told]
}

// told is the version of a record that was told, and when it was stored.
type told struct {
	version int64
	changed time.Time
}

// maxEnded is how many ends are remembered, of requests that somebody may have news of yet.
const maxEnded = 4096

type follower struct {
	q     Selection
	Ready chan struct{}

	mu      sync.Mutex
	pending []*record.Record
	// newest is the last version put of each request.
	newest map[string]int64
}

func (f *followers) Join(q Selection) *follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all, f.ended = map[*follower]struct{}{}, endCache()
	}
	me := &follower{q: q, Ready: make(chan struct{}, 1)}
	f.all[me] = struct{}{}
	return me
}

func (f *followers) Leave(me *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, me)
}

// want reports whether anybody follows the request and has not been told of the
// version; an empty id stands for any, and version zero for an unknown one.
func (f *followers) want(id string, version int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for me := range f.all {
		if (id == "" || me.q.Request == "" || me.q.Request == id) && !me.knows(id, version) {
			return true
		}
	}
	return false
}

func (f *followers) tell(r *record.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == 0 || f.stale(r) {
		return
	}
	for me := range f.all {
		if me.q.Holds(r) {
			me.put(r)
		}
	}
}

// stale reports whether a record is older than its end as it was told, or is that end once
// more: what was stored before may be told after it, and ends are read again now and then in
// case that their notification was lost.
func (f *followers) stale(r *record.Record) bool {
	last, known := f.ended.Get(r.ID)
	if known && (r.Version < last.version || r.Version == last.version && r.Changed.Equal(last.changed)) {
		return true
	}
	if !r.Open() {
		f.ended.Add(r.ID, told{r.Version, r.Changed})
	}
	return false
}

// put keeps the newest state of each request until the follower takes it.
func (me *follower) put(r *record.Record) {
	me.mu.Lock()
	defer me.mu.Unlock()
	if me.newest == nil {
		me.newest = map[string]int64{}
	}
	if me.newest[r.ID] = max(me.newest[r.ID], r.Version); !r.Open() {
		delete(me.newest, r.ID)
	}
	for n, old := range me.pending {
		if old.ID == r.ID {
			if r.Version > old.Version {
				me.pending[n] = r
			}
			return
		}
	}
	me.pending = append(me.pending, r)
	select {
	case me.Ready <- struct{}{}:
	default:
	}
}

// knows reports whether the version has been put already.
func (me *follower) knows(id string, version int64) bool {
	me.mu.Lock()
	defer me.mu.Unlock()
	return version > 0 && me.newest[id] >= version
}

func (me *follower) Take() []*record.Record {
	me.mu.Lock()
	defer me.mu.Unlock()
	taken := me.pending
	me.pending = nil
	return taken
}

func endCache() *simplelru.LRU[string, told] {
	c, err := simplelru.NewLRU[string, told](maxEnded, nil)
	if err != nil {
		panic(err) // Only a size below one fails.
	}
	return c
}

// Selection says which requests to follow.
type Selection struct {
	// Tenant owns the requests; every tenant's when All is set.
	Tenant string
	All    bool
	// Request narrows the stream to one request.
	Request string
	// After is the ID of the last event seen. Without it the stream begins with
	// every open request as it stands.
	After string
}

func (q Selection) Holds(r *record.Record) bool {
	return (q.All || r.Tenant == q.Tenant) && (q.Request == "" || q.Request == r.ID)
}
