package state

import (
	"sync"

	"github.com/askbridge/askbridge/bridge/record"
)

// inbox collects notifications until the watcher takes them.
type inbox struct {
	ready chan struct{}

	mu     sync.Mutex
	newest map[string]record.Notification // by record; version 0 is an unknown version
	missed bool
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), newest: map[string]record.Notification{}}
}

func (i *inbox) put(n record.Notification) {
	i.mu.Lock()
	switch old, known := i.newest[n.ID]; {
	case n.ID == "":
		i.missed = true
	case n.Version == 0 || known && old.Version == 0:
		i.newest[n.ID] = record.Notification{ID: n.ID}
	case n.Version >= old.Version:
		i.newest[n.ID] = n
	}
	i.mu.Unlock()
	select {
	case i.ready <- struct{}{}:
	default:
	}
}

func (i *inbox) take() (changes map[string]record.Notification, missed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	changes, i.newest = i.newest, map[string]record.Notification{}
	missed, i.missed = i.missed, false
	return changes, missed
}
