package state

import (
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/bridge/record"
)

// followers passes changed records to everyone who follows.
type followers struct {
	mu  sync.Mutex
	all map[*follower]struct{}
	// ended holds the last published state of recently ended requests.
	ended *simplelru.LRU[string, published]
}

// published is the version of a published record and when it was stored.
type published struct {
	version int64
	changed time.Time
}

// maxEnded bounds the number of remembered ends.
const maxEnded = 4096

type follower struct {
	q     Selection
	Ready chan struct{}

	mu      sync.Mutex
	pending []*record.Record
	// at is the position of each request in pending.
	at map[string]int
	// newest is the latest version put per request.
	newest map[string]int64
	// reads marks a follower of [followers.JoinLater]. later are the versions that it has not received, by request, and
	// missed means that notifications were lost.
	reads  bool
	later  map[string]int64
	missed bool
}

// unknownVersion is the version of a notification without one.
const unknownVersion = math.MaxInt64

func (f *followers) Join(q Selection) *follower { return f.join(&follower{q: q}) }

// JoinLater adds a follower of everything for which no record is loaded: it takes the changes of other replicas as
// versions, and loads what it still needs when it gets to it.
func (f *followers) JoinLater() *follower {
	return f.join(&follower{q: Selection{All: true}, reads: true, later: map[string]int64{}})
}

func (f *followers) join(me *follower) *follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all, f.ended = map[*follower]struct{}{}, endCache()
	}
	me.Ready, me.at = make(chan struct{}, 1), map[string]int{}
	f.all[me] = struct{}{}
	return me
}

func (f *followers) Leave(me *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, me)
}

// want reports whether a follower lacks this version of a request. An empty ID matches
// any request, version zero is an unknown version.
func (f *followers) want(id string, version int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for me := range f.all {
		if !me.reads && (id == "" || me.q.Request == "" || me.q.Request == id) && !me.knows(id, version) {
			return true
		}
	}
	return false
}

// notify passes a notification to the followers of [followers.JoinLater]; one without an ID means that notifications
// were lost.
func (f *followers) notify(n record.Notification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for me := range f.all {
		if me.reads {
			me.postpone(n)
		}
	}
}

func (f *followers) publish(r *record.Record) {
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

// stale reports whether a record is older than its published end, or the same end again.
// Changes can be published out of order, and ended records are read again in case a
// notification was lost.
func (f *followers) stale(r *record.Record) bool {
	last, known := f.ended.Get(r.ID)
	if known && (r.Version < last.version || r.Version == last.version && r.Changed.Equal(last.changed)) {
		return true
	}
	if !r.Open() {
		f.ended.Add(r.ID, published{r.Version, r.Changed})
	}
	return false
}

// put keeps the newest state of each request until the follower takes it.
func (me *follower) put(r *record.Record) {
	me.mu.Lock()
	defer me.mu.Unlock()
	if me.reads {
		if me.later[r.ID] <= r.Version {
			delete(me.later, r.ID)
		}
	} else {
		me.remember(r)
	}
	if n, known := me.at[r.ID]; known {
		if r.Version > me.pending[n].Version {
			me.pending[n] = r
		}
		return
	}
	me.at[r.ID] = len(me.pending)
	me.pending = append(me.pending, r)
	me.wake()
}

func (me *follower) remember(r *record.Record) {
	if me.newest == nil {
		me.newest = map[string]int64{}
	}
	if me.newest[r.ID] = max(me.newest[r.ID], r.Version); !r.Open() {
		delete(me.newest, r.ID)
	}
}

// postpone notes a change unless the record was put.
func (me *follower) postpone(n record.Notification) {
	me.mu.Lock()
	defer me.mu.Unlock()
	version := n.Version
	if version == 0 {
		version = unknownVersion
	}
	at, known := me.at[n.ID]
	switch {
	case n.ID == "":
		me.missed = true
	case known && me.pending[at].Version >= version:
		return
	default:
		me.later[n.ID] = max(me.later[n.ID], version)
	}
	me.wake()
}

func (me *follower) wake() {
	select {
	case me.Ready <- struct{}{}:
	default:
	}
}

// knows reports whether the version was already put.
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
	clear(me.at)
	return taken
}

// TakeLater returns the versions of changed requests whose records were not put, and whether notifications were
// lost.
func (me *follower) TakeLater() (versions map[string]int64, missed bool) {
	me.mu.Lock()
	defer me.mu.Unlock()
	versions, missed = me.later, me.missed
	me.later, me.missed = map[string]int64{}, false
	return versions, missed
}

func endCache() *simplelru.LRU[string, published] {
	c, err := simplelru.NewLRU[string, published](maxEnded, nil)
	if err != nil {
		panic(err) // Only a size below one fails.
	}
	return c
}

// Selection selects the requests to follow.
type Selection struct {
	// Tenant owns the requests. It is ignored if All is set.
	Tenant string
	All    bool
	// Request selects a single request.
	Request string
	// After is the ID of the last event received. Without it the stream starts with the
	// current state of every open request.
	After string
}

// Holds reports whether the selection contains a record.
func (q Selection) Holds(r *record.Record) bool {
	return (q.All || r.Tenant == q.Tenant) && (q.Request == "" || q.Request == r.ID)
}
