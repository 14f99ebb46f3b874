package store

import (
	"container/list"
	"sync"
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
func (r *recent) get(id string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	el, ok := r.byID[id]
	if !ok {
		return nil
	}
	r.order.MoveToFront(el)
	return el.Value.(*entry)
}

// put remembers e, unless a newer version is there.
func (r *recent) put(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if el, ok := r.byID[e.rec.ID]; ok {
		if el.Value.(*entry).rec.Version <= e.rec.Version {
			el.Value = e
		}
		r.order.MoveToFront(el)
		return
	}
	r.byID[e.rec.ID] = r.order.PushFront(e)
	if r.order.Len() > r.most {
		oldest := r.order.Back()
		r.order.Remove(oldest)
		delete(r.byID, oldest.Value.(*entry).rec.ID)
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
