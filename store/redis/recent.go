package redis

import (
	"container/list"
	"sync"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// recent remembers the records this process has seen last, so that a change of
// one of them needs no read before it. What it holds may be out of date: only
// a swap tells.
type recent struct {
	mu    sync.Mutex
	most  int
	byID  map[string]*list.Element
	order list.List // Of *entry, the one seen last in front.
}

func newRecent(most int) *recent {
	return &recent{most: most, byID: map[string]*list.Element{}}
}

// get returns nil for a record that is not remembered.
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

// put remembers e, unless a newer version is there or nothing is left to change: a
// record that has ended and been delivered would only be scanned by the collector.
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

// forget drops what has proved to be out of date.
func (r *recent) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if el, ok := r.byID[id]; ok {
		r.order.Remove(el)
		delete(r.byID, id)
	}
}
