package rota

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/internal/textinput"
)

const (
	// Interval is how often a calendar is read again.
	Interval = 5 * time.Minute
	// MaxSize is the maximum size of a calendar in bytes.
	MaxSize = 1 << 20
	// readTime limits one attempt to read it.
	readTime = 15 * time.Second
)

// Options are optional settings of a feed.
type Options struct {
	// Client fetches https addresses; it may be nil.
	Client *http.Client
	// Logger reports read failures and unknown names in the calendar; it may be nil.
	Logger *slog.Logger
}

// Feed is who is on call by a calendar that is read periodically. It is a rota of the bridge.
type Feed struct {
	name, source string
	names        Names
	zone         *time.Location
	client       *http.Client
	log          *slog.Logger

	last   atomic.Pointer[copied]
	failed atomic.Pointer[error] // Why the last attempt to read it failed.
	ready  chan struct{}
}

// NewFeed returns the feed of a rota with a name. The source is a file, or an https address, which may
// be a secret and does not appear in errors and logs. Zone applies to times without one; nil rejects
// them.
func NewFeed(name, source string, names Names, zone *time.Location, opts *Options) *Feed {
	if opts == nil {
		opts = &Options{}
	}
	f := &Feed{name: name, source: source, names: names, zone: zone, client: opts.Client, log: opts.Logger, ready: make(chan struct{})}
	if f.client == nil {
		f.client = &http.Client{}
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	client := *f.client
	client.CheckRedirect = func(r *http.Request, before []*http.Request) error {
		if r.URL.Scheme != "https" || len(before) >= 5 {
			return errors.New("it leads elsewhere too often, or to an address without https")
		}
		return nil
	}
	f.client = &client
	return f
}

// Ready is closed after the first attempt to read the calendar.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// Run reads the calendar at once and then every [Interval], until ctx ends. It may be called once.
func (f *Feed) Run(ctx context.Context) {
	ticks := time.NewTicker(Interval)
	defer ticks.Stop()
	for first := true; ; first = false {
		if err := f.Read(ctx); err != nil && ctx.Err() == nil {
			f.log.Error("rota not read, the last copy of it counts", "rota", f.name, "copy", f.last.Load() != nil, "error", err)
		}
		if first {
			close(f.ready)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// Read reads the calendar. After an error the previous copy remains in use.
func (f *Feed) Read(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errSlow)
	defer cancel()
	made, err := f.read(ctx)
	if err != nil {
		err = f.notRead(err)
		f.failed.Store(&err)
		return err
	}
	before := f.last.Swap(made)
	if before == nil {
		before = &copied{}
	}
	if len(made.unknown) > 0 && !slices.Equal(before.unknown, made.unknown) {
		f.log.Warn("rota names unknown people", "rota", f.name, "names", strings.Join(made.unknown, "; "))
	}
	if len(made.doubts) > 0 && !slices.Equal(before.doubts, made.doubts) {
		due, other := f.Skipped()
		f.log.Warn("calendar events skipped, not understood", "rota", f.name, "due", len(due), "other", len(other), "events", Shortened(slices.Concat(due, other)))
	}
	if _, err := f.OnCall(made.now); err != nil {
		f.log.Error("rota unavailable", "rota", f.name, "error", err)
	}
	return nil
}

func (f *Feed) read(ctx context.Context) (*copied, error) {
	text, err := f.text(ctx)
	if err != nil {
		return nil, err
	}
	return read(ctx, text, f.names, f.zone, time.Now())
}

func (f *Feed) notRead(err error) error { return fmt.Errorf("calendar %s not read: %w", f.name, err) }

// Skipped returns the events that are not understood: those that could matter within the next 60 days, and all others.
func (f *Feed) Skipped() (due, other []string) {
	last := f.last.Load()
	if last == nil {
		return nil, nil
	}
	for _, d := range last.doubts {
		if d.covers(last.now, last.now.Add(window)) {
			due = append(due, d.text)
		} else {
			other = append(other, d.text)
		}
	}
	return due, other
}

// Shortened returns the first few of a list of events, and how many more there are.
func Shortened(events []string) string {
	const shown = 3
	if len(events) <= shown {
		return strings.Join(events, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(events[:shown], "; "), len(events)-shown)
}

// Unknown returns the unknown names in the calendar around now.
func (f *Feed) Unknown() []string {
	if last := f.last.Load(); last != nil {
		return last.unknown
	}
	return nil
}

// OnCall returns who is on call at a moment: several people where turns overlap. It fails if no calendar was read within
// the last 60 days, or if an event that is not understood could change who is on call then.
func (f *Feed) OnCall(at time.Time) ([]string, error) {
	last := f.last.Load()
	if last == nil || at.After(last.now.Add(window)) {
		if failed := f.failed.Load(); failed != nil {
			return nil, *failed
		}
		return nil, f.notRead(errors.New("no attempt was made yet"))
	}
	for _, d := range last.doubts {
		if d.covers(at, at) {
			return nil, f.notRead(errors.New(d.text))
		}
	}
	var all []string
	for _, t := range last.turns {
		if at.Before(t.from) || !at.Before(t.to) {
			continue
		}
		for _, who := range t.who {
			if !slices.Contains(all, who) {
				all = append(all, who)
			}
		}
	}
	return all, nil
}

// Everybody returns all people that the calendar can name.
func (f *Feed) Everybody() []string {
	var all []string
	for _, who := range f.names {
		all = append(all, who)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Remote reports whether a source is an address rather than a file.
func Remote(source string) bool { return strings.Contains(source, "://") }

// text returns the content of the file or the address.
func (f *Feed) text(ctx context.Context) (string, error) {
	if !Remote(f.source) {
		file, err := os.Open(f.source)
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			return "", fmt.Errorf("its file cannot be opened: %w", failed.Err) // Agents see this, and need no path.
		}
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }() // Nothing was written.
		return readText(file)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.source, http.NoBody)
	if err != nil || r.URL.Scheme != "https" {
		return "", errors.New("its address is none that begins with https")
	}
	r.Header.Set("Accept", "text/calendar")
	answer, err := f.client.Do(r)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // The address may be a secret.
		}
		return "", fmt.Errorf("its address does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // The body was read completely.
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("its address answers %s", answer.Status)
	}
	return readText(answer.Body)
}

func readText(from io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("not read to its end: %w", err)
	case len(data) > MaxSize:
		return "", fmt.Errorf("it has more than %d bytes", MaxSize)
	}
	if data, err = textinput.UTF8(data); err != nil {
		return "", fmt.Errorf("not readable: %w", err)
	}
	return string(data), nil
}
