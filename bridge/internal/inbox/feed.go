package inbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// feedRetry is the pause after the store could not be read.
	feedRetry = time.Second
	// collect is how long changes are collected before the index takes them, so that a request that is asked and answered
	// at once costs one.
	collect = 200 * time.Millisecond
	// idleTime is how long the index is kept after the last use.
	idleTime = 10 * time.Minute
	// idlePoll is how often that is checked.
	idlePoll = time.Minute
)

// feed keeps the index up to date while inboxes are used.
type feed struct {
	mu      sync.Mutex
	current *Index
	ready   chan struct{} // closed when current holds every open request; nil if the feed does not run
	used    time.Time
}

// start notes a use, and begins to fill an index if there is none.
func (f *feed) start(in *Inbox) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used = time.Now()
	if f.ready != nil {
		return
	}
	index, ready := NewIndex(), make(chan struct{})
	if in.Background.Go(func() { f.run(in, index, ready) }) {
		f.current, f.ready = index, ready
	}
}

// wait returns when the index holds every open request.
func (f *feed) wait(ctx context.Context) error {
	f.mu.Lock()
	ready := f.ready
	f.mu.Unlock()
	if ready == nil {
		return storage.ErrClosed
	}
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *feed) index() *Index {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// put stores a record in the index, if there is one, and redraws the inboxes that it concerns.
func (f *feed) put(in *Inbox, r *record.Record) {
	if index := f.index(); index != nil {
		in.views.changed(in, index.Put(r))
	}
}

// run fills the index, follows every change and redraws the inboxes that it concerns, until no inbox has been used for
// a while.
func (f *feed) run(in *Inbox, index *Index, ready chan struct{}) {
	ctx, cancel := context.WithCancel(in.Background.Ctx)
	defer cancel()
	me := in.Records.Followers.JoinLater()
	defer in.Records.Followers.Leave(me)
	for !f.fill(ctx, in, index, storage.Scan{Limit: state.BatchSize}) {
		if wait.For(ctx, feedRetry) != nil {
			return
		}
	}
	close(ready)
	in.Background.Go(func() { f.fillEnded(ctx, in, index) })
	idle := time.NewTicker(idlePoll)
	defer idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-idle.C:
			if f.stop(in.views.expire(time.Now())) {
				return
			}
		case <-me.Ready:
			if wait.For(ctx, collect) != nil {
				return
			}
			for _, r := range me.Take() {
				in.views.changed(in, index.Put(r))
			}
			versions, missed := me.TakeLater()
			if !f.load(ctx, in, index, versions) || missed {
				f.fillAgain(ctx, in, index)
			}
		}
	}
}

// load reads the requests that other replicas changed, and reports whether it could.
func (f *feed) load(ctx context.Context, in *Inbox, index *Index, versions map[string]int64) bool {
	for id, version := range versions {
		if index.version(id) >= version {
			continue
		}
		r, err := in.Records.Store.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			in.Log.Warn("requests not read for inboxes", "error", err)
			return false
		default:
			in.views.changed(in, index.Put(&r))
		}
	}
	return true
}

// fillAgain reads everything again after notifications were lost.
func (f *feed) fillAgain(ctx context.Context, in *Inbox, index *Index) {
	for !f.fill(ctx, in, index, storage.Scan{Limit: state.BatchSize}) {
		if wait.For(ctx, feedRetry) != nil {
			return
		}
	}
	f.fillEnded(ctx, in, index)
}

// fillEnded reads what ended lately.
func (f *feed) fillEnded(ctx context.Context, in *Inbox, index *Index) {
	since := in.Records.Clock.Now().Add(-Lately)
	if f.fill(ctx, in, index, storage.Scan{Ended: true, From: since, Limit: state.BatchSize}) {
		in.views.changedAll(in)
	}
}

// stop forgets the index if no inbox is open and none has been used for a while.
func (f *feed) stop(open int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if open > 0 || time.Since(f.used) < idleTime {
		return false
	}
	f.current, f.ready = nil, nil
	return true
}

// fill stores the records of a scan, and reports whether it read them all.
func (f *feed) fill(ctx context.Context, in *Inbox, index *Index, scan storage.Scan) bool {
	for r, err := range in.Records.All(ctx, scan) {
		if err != nil {
			if ctx.Err() == nil {
				in.Log.Warn("requests not read for inboxes", "error", err)
			}
			return false
		}
		index.Put(r)
	}
	return true
}
