package inbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

const (
	// maxViews is the maximum number of open inboxes; the one used longest ago is forgotten first.
	maxViews = 1000
	// gather is how long changes are collected before an inbox is drawn again.
	gather = 300 * time.Millisecond
	// maxTries is how often an inbox is drawn again after an error.
	maxTries = 5
	// drawing is how many inboxes are drawn at once.
	drawing = 16
)

// view is an inbox that a person has open, or that is being shown.
type view struct {
	key string
	// base is the person as of the last interaction; who has what was looked up too, and groups are those that were.
	base, who              ask.Responder
	groups                 []string
	installation, language string
	// from is the first entry shown.
	from int
	// note is what came of the person's last act, and noted when that was.
	note  platform.Note
	noted time.Time
	resp  platform.InboxResponder
	// until is when the platform stops showing changes.
	until time.Time
}

// viewOf returns the inbox of the person who acted.
func (in *Inbox) viewOf(i platform.Interaction, resp platform.InboxResponder) *view {
	who := ask.Responder{Person: i.Person, Groups: in.Accounts.Groups(i.Person, i.Groups), Membership: i.Membership, Bot: i.Bot}
	return &view{
		key: i.Message.Installation + " " + i.Person.Key(), base: who, who: who, installation: i.Message.Installation,
		language: cmp.Or(words.Known(i.Language), in.Language), resp: resp, until: time.Now().Add(resp.InboxLife()),
	}
}

// say sets the note to show.
func (v *view) say(n platform.Note) { v.note, v.noted = n, time.Now() }

// views are the open inboxes.
type views struct {
	mu   sync.Mutex
	open *simplelru.LRU[string, *view]
	// of are the keys of views by person or group.
	of map[string]map[string]bool
	// due are the views that are being drawn again: true if they changed meanwhile.
	due  map[string]bool
	busy chan struct{}
}

// keep remembers an inbox that was shown, as long as the platform shows changes.
func (vs *views) keep(v *view) {
	if v.resp.InboxLife() <= 0 {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.open == nil {
		vs.of, vs.due, vs.busy = map[string]map[string]bool{}, map[string]bool{}, make(chan struct{}, drawing)
		open, err := simplelru.NewLRU(maxViews, func(_ string, old *view) { vs.forget(old) })
		if err != nil {
			panic(err) // Only a size below one fails.
		}
		vs.open = open
	}
	vs.put(v)
}

// put replaces an open inbox. The caller holds the lock.
func (vs *views) put(v *view) {
	vs.open.Remove(v.key)
	kept := *v
	vs.open.Add(v.key, &kept)
	for _, name := range names(&kept) {
		if vs.of[name] == nil {
			vs.of[name] = map[string]bool{}
		}
		vs.of[name][v.key] = true
	}
}

// names are the person and their groups.
func names(v *view) []string { return append(slices.Clip(v.who.Groups), v.who.Key()) }

func (vs *views) forget(v *view) {
	for _, name := range names(v) {
		if delete(vs.of[name], v.key); len(vs.of[name]) == 0 {
			delete(vs.of, name)
		}
	}
}

// get returns a copy of an open inbox; nil if it is not open.
func (vs *views) get(key string) *view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.open == nil {
		return nil
	}
	v, ok := vs.open.Peek(key)
	if !ok {
		return nil
	}
	return new(*v)
}

func (vs *views) close(key string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.open.Remove(key)
}

// expire forgets the inboxes in which the platform shows no more changes, and returns how many are open.
func (vs *views) expire(now time.Time) int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.open == nil {
		return 0
	}
	for _, key := range vs.open.Keys() {
		if v, _ := vs.open.Peek(key); now.After(v.until) {
			vs.open.Remove(key)
		}
	}
	return vs.open.Len()
}

// changed draws the open inboxes of people and groups again. A group that was not looked up for a person may be
// theirs.
func (vs *views) changed(in *Inbox, names []string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.open == nil || vs.open.Len() == 0 {
		return
	}
	for _, name := range names {
		for key := range vs.of[name] {
			vs.redraw(in, key)
		}
		e, _ := ask.ParseEntry(name)
		if e.Kind == "" {
			continue
		}
		for _, key := range vs.open.Keys() {
			if v, _ := vs.open.Peek(key); v.who.Platform == e.Platform && !slices.Contains(v.groups, name) {
				vs.redraw(in, key)
			}
		}
	}
}

// changedAll draws every open inbox again.
func (vs *views) changedAll(in *Inbox) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.open == nil {
		return
	}
	for _, key := range vs.open.Keys() {
		vs.redraw(in, key)
	}
}

// redraw draws an inbox again in the background. The caller holds the lock.
func (vs *views) redraw(in *Inbox, key string) {
	if _, running := vs.due[key]; running {
		vs.due[key] = true
		return
	}
	vs.due[key] = true
	if !in.Background.Go(func() { vs.keepCurrent(in, key) }) {
		delete(vs.due, key)
	}
}

// keepCurrent draws an inbox until nothing has changed meanwhile.
func (vs *views) keepCurrent(in *Inbox, key string) {
	pause, tries := gather, 0
	for {
		if wait.For(in.Background.Ctx, pause) != nil {
			return
		}
		vs.mu.Lock()
		if !vs.due[key] {
			delete(vs.due, key)
			vs.mu.Unlock()
			return
		}
		vs.due[key] = false
		vs.mu.Unlock()
		v := vs.get(key)
		if v == nil || time.Now().After(v.until) {
			continue
		}
		pause = gather
		again, failed := vs.drawAgain(in, v)
		switch {
		case failed == nil:
			tries = 0
		case again && tries < maxTries:
			tries++
			if e, ok := errors.AsType[*platform.Error](failed); ok {
				pause = max(gather, e.RetryAfter)
			}
			vs.mu.Lock()
			vs.due[key] = true
			vs.mu.Unlock()
		default:
			in.Log.Info("inbox no longer kept up to date", "person", v.who.Key(), "error", failed)
			vs.close(key)
		}
	}
}

// drawAgain draws an open inbox once, and reports whether another try can help if that failed.
func (vs *views) drawAgain(in *Inbox, v *view) (again bool, err error) {
	select {
	case vs.busy <- struct{}{}:
		defer func() { <-vs.busy }()
	case <-in.Background.Ctx.Done():
		return false, context.Cause(in.Background.Ctx)
	}
	ctx, cancel := context.WithTimeoutCause(in.Background.Ctx, showTime, errShowTime)
	defer cancel()
	card, err := in.draw(ctx, v)
	if err != nil {
		return true, err
	}
	err = v.resp.ShowInbox(ctx, card)
	if e, ok := errors.AsType[*platform.Error](err); ok {
		return e.Kind == platform.Transient || e.Kind == platform.RateLimited || e.Kind == platform.Ambiguous, err
	}
	if err == nil {
		vs.drawn(v)
	}
	return false, err
}

// drawn stores what was looked up for an inbox, unless the person has used it meanwhile.
func (vs *views) drawn(v *view) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if kept, ok := vs.open.Peek(v.key); ok && kept.resp == v.resp {
		vs.put(v)
	}
}
