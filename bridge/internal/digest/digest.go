package digest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/inbox"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

const (
	// every is how often digests are checked.
	every = time.Minute
	// late is how late a digest may be, after an outage.
	late = 30 * time.Minute
	// claimTime is how long a replica may work on the digest of a place.
	claimTime = 2 * time.Minute
	// roundTime bounds one round, so that it ends before its claims do.
	roundTime = claimTime - 10*time.Second
)

// Digests posts the configured digests and keeps them up to date.
type Digests struct {
	Records   *state.Records
	Deadlines *deliver.Deadlines
	Platforms *deliver.Platforms
	People    *inbox.Inbox
	Store     storage.Digests
	Log       *slog.Logger
	Language  string

	unzoned map[ask.Place]bool // logged already

	mu      sync.Mutex
	all     []ask.Digest
	changed chan struct{} // closed when all changes
}

// New returns digests of which none is configured.
func New(records *state.Records, deadlines *deliver.Deadlines, people *inbox.Inbox, store storage.Digests) *Digests {
	return &Digests{
		Records: records, Deadlines: deadlines, Platforms: people.Platforms, People: people, Store: store, Log: people.Log, Language: people.Language,
		unzoned: map[ask.Place]bool{}, changed: make(chan struct{}),
	}
}

// Set replaces the configured digests.
func (d *Digests) Set(all []ask.Digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = slices.Clone(all)
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *Digests) configured() (all []ask.Digest, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all, d.changed
}

// Run posts digests until ctx ends. Without any it does nothing.
func (d *Digests) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		all, changed := d.configured()
		if len(all) == 0 {
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		now := d.Records.Clock.Now()
		if wait.For(ctx, now.Truncate(every).Add(every).Sub(now)) == nil {
			d.tick(ctx)
		}
	}
	return nil
}

// tick runs one round with the digests that are configured by now.
func (d *Digests) tick(ctx context.Context) {
	all, _ := d.configured()
	if err := state.Protect(d.Log, func() error { return d.round(ctx, all) }); err != nil && ctx.Err() == nil {
		d.Log.Warn("digests not checked", "error", err)
	}
}

// round posts the digests that are due, and brings the others up to date.
func (d *Digests) round(ctx context.Context, all []ask.Digest) error {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTime, errors.New("digests took too long"))
	defer cancel()
	var due []*job
	for _, digest := range all {
		for _, place := range digest.To {
			j, err := d.check(ctx, digest, place)
			switch {
			case errors.Is(err, storage.ErrOvertaken), errors.Is(err, errNoZone) && d.unzoned[place]:
			case err != nil:
				d.unzoned[place] = errors.Is(err, errNoZone)
				d.Log.Warn("digest not checked", "place", place.String(), "error", err)
			case j != nil:
				due = append(due, j)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := d.scan(ctx, due); err != nil {
		return err
	}
	for _, j := range due {
		if err := d.send(ctx, j); err != nil {
			d.Log.Warn("digest not posted", "place", j.place.String(), "error", err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // The claims of the rest end, and the next round takes them.
		}
	}
	return nil
}

// job is a digest to post. The place is claimed.
type job struct {
	*held

	at  time.Time
	who ask.Responder
	// waiting are the requests that wait, the most urgent first, and notified is whether a card notified the place lately.
	waiting  []string
	notified bool
}

// check returns a job if the digest of a place is due, and otherwise brings its message up to date.
func (d *Digests) check(ctx context.Context, digest ask.Digest, place ask.Place) (*job, error) {
	h, err := d.load(ctx, place)
	now := d.Records.Clock.Now()
	if err != nil || now.Before(h.Until) {
		return nil, err
	}
	if h.Begun != nil {
		if err := d.recover(ctx, h, now); err != nil {
			return nil, err
		}
	}
	j := &job{held: h, who: ask.Responder{Person: ask.Person{Platform: place.Platform, ID: place.User}}}
	zone, err := d.zone(ctx, digest, j)
	if err != nil {
		return nil, err
	}
	if j.at = digest.Last(now, zone); now.Sub(j.at) > late || !j.at.After(h.Done) {
		return nil, d.refresh(ctx, h)
	}
	return j, d.claim(ctx, h)
}

var errNoZone = errors.New("time zone of the person unknown: set zone, or grant the app users:read")

// zone returns the time zone of a digest. It completes the person.
func (d *Digests) zone(ctx context.Context, digest ask.Digest, j *job) (*time.Location, error) {
	name := digest.Zone
	if finder, ok := d.Platforms.Named[j.place.Platform].(platform.ZoneFinder); ok && j.place.User != "" {
		person, theirs, err := finder.ZoneOf(ctx, j.place)
		if err != nil {
			return nil, err
		}
		j.who.Person, name = person, cmp.Or(name, theirs)
	}
	if name == "" {
		return nil, errNoZone
	}
	return time.LoadLocation(name)
}
