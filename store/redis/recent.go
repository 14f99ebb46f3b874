package redis

import (
	"container/list"
	"sync"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// recent is an LRU cache of records, so that a change needs no read first. Entries may be out of date,
// which only a swap detects.
type recent struct {
	mu    sync.Mutex
	most  int
	byID  map[string]*list.Element
	order list.List // Of *codec.Entry, most recently used first.
}

func newRecent(most int) *recent {
	return &recent{most: most, byID: map[string]*list.Element{}}
}

// get returns nil for a record that is not cached.
func (r *recent) get(id string) *codec.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	el, ok := r.byID[id]
	if !ok {
		return nil
	}
	r.order.MoveToFront(el)
	return el.Value.(*codec.Entry)
}

// put caches e unless a newer version is cached. Records that have ended and been delivered are not
// cached, since they do not change.
func (r *recent) put(e *codec.Entry) {
	if !e.Rec.EndedAt.IsZero() && e.Rec.DeliveryDue.IsZero() {
		r.forget(e.Rec.ID)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if el, ok := r.byID[e.Rec.ID]; ok {
		if el.Value.(*codec.Entry).Rec.Version <= e.Rec.Version {
			el.Value = e
		}
		r.order.MoveToFront(el)
		return
	}
	r.byID[e.Rec.ID] = r.order.PushFront(e)
	if r.order.Len() > r.most {
		oldest := r.order.Back()
		r.order.Remove(oldest)
		delete(r.byID, oldest.Value.(*codec.Entry).Rec.ID)
	}
}

// forget removes a record that is out of date.
func (r *recent) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if el, ok := r.byID[id]; ok {
		r.order.Remove(el)
		delete(r.byID, id)
	}
}
