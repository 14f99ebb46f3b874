package rota

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// Interval is how often a calendar is read again.
	Interval = 5 * time.Minute
	// MaxSize is how long a calendar may be, in bytes.
	MaxSize = 1 << 20
	// readTime bounds one attempt to read it.
	readTime = 15 * time.Second
)

// Options are what a feed can do without.
type Options struct {
	// Client fetches https addresses; nil is one of its own.
	Client *http.Client
	// Logger is told when the calendar cannot be read, and of people it names that nobody
	// knows; nil discards it.
	Logger *slog.Logger
}

// Feed is who is on call by a calendar that is read again and again. It is a rota of the
// bridge.
type Feed struct {
	name, source string
	names        Names
	zone         *time.Location
	client       *http.Client
	log          *slog.Logger

	last  atomic.Pointer[copied]
	ready chan struct{}
}

// copied is what was read last.
type copied struct {
	turns   []turn
	unknown []string
}

// NewFeed returns the feed of a rota with a name. The source is a file, or an https
// address, which may be a secret: it stands in no error and no log. Zone is where times
// without one are; nil refuses them.
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

// Ready is closed once the calendar was read, or could not be, for the first time.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// Run reads the calendar at once and then every [Interval], until ctx ends. It is called
// once.
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

// Read reads the calendar. After an error the copy that was read before still counts.
func (f *Feed) Read(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errors.New("it took too long"))
	defer cancel()
	text, err := f.text(ctx)
	if err != nil {
		return fmt.Errorf("rota %s: %w", f.name, err)
	}
	all, unknown, err := turns(text, f.names, f.zone, time.Now())
	if err != nil {
		return fmt.Errorf("rota %s: %w", f.name, err)
	}
	before := f.last.Swap(&copied{all, unknown})
	if len(unknown) > 0 && (before == nil || !slices.Equal(before.unknown, unknown)) {
		f.log.Warn("rota names people whom nobody knows", "rota", f.name, "names", strings.Join(unknown, "; "))
	}
	return nil
}

// Unknown are those whom the calendar names around now and nobody knows.
func (f *Feed) Unknown() []string {
	if last := f.last.Load(); last != nil {
		return last.unknown
	}
	return nil
}

// OnCall returns who is on call at a moment: several where turns overlap, nobody while
// nothing was read.
func (f *Feed) OnCall(at time.Time) []string {
	last := f.last.Load()
	if last == nil {
		return nil
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
	return all
}

// Everybody returns all whom a calendar can name.
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

// text is what stands in the file, or at the address.
func (f *Feed) text(ctx context.Context) (string, error) {
	if !Remote(f.source) {
		file, err := os.Open(f.source)
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }() // Nothing was written.
		return read(file)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.source, http.NoBody)
	if err != nil || r.URL.Scheme != "https" {
		return "", errors.New("its address is none that begins with https")
	}
	r.Header.Set("Accept", "text/calendar")
	answer, err := f.client.Do(r)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // Whoever knows the address can read the calendar.
		}
		return "", fmt.Errorf("its address does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // What it says was read.
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("its address answers %s", answer.Status)
	}
	return read(answer.Body)
}

func read(from io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxSize+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("not read to its end: %w", err)
	case len(data) > MaxSize:
		return "", fmt.Errorf("it has more than %d bytes", MaxSize)
	}
	return string(data), nil
}
