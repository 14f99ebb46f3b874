package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// Files keep the texts of requests' files, beside the records: a record is written again
// with every act, and says no more of a file than its card does. [keyvalue.Files] keeps
// them beside the records of every store.
//
// [keyvalue.Files]: https://pkg.go.dev/github.com/askbridge/askbridge/store/keyvalue#Files
type Files interface {
	// Keep keeps the text of a digest for a request, for so long at most.
	Keep(ctx context.Context, tenant, request, digest, text string, life time.Duration) error
	// Read returns the text of a digest, which has so many bytes, or [ErrNotFound].
	Read(ctx context.Context, tenant, request, digest string, size int) (string, error)
	// Forget removes the text of a digest, or all texts of the request where that is empty.
	Forget(ctx context.Context, tenant, request, digest string) error
}

// How long texts are kept if nobody comes to forget them when the request ends: a while
// longer than its deadline, or than the latest there can be.
const (
	filesLife   = 24 * time.Hour
	longestLife = ask.MaxExpiresIn + filesLife
)

// errAltered means that a text is not the one that was handed in.
var errAltered = errors.New("bridge: a stored file is not the one that was handed in")

// files keeps what is uploaded below cards until it is.
type files struct {
	store     Files
	records   *records
	platforms *platforms
	log       *slog.Logger
}

// check returns what keeps the files of a request from being uploaded where it goes, as far
// as that is known without asking a platform.
func (fs *files) check(req *ask.Request, to []ask.Place) []ask.Problem {
	if len(req.Files) == 0 {
		return nil
	}
	if fs.store == nil {
		return []ask.Problem{problem("files", ask.ErrFiles, "this bridge keeps no files")}
	}
	var problems []ask.Problem
	for _, place := range fs.refusing(everywhere(req, to)) {
		problems = append(problems, problem("files", ask.ErrFiles, place.Platform+" takes no files"))
	}
	return problems
}

// everywhere are the places where a request goes, now or later.
func everywhere(req *ask.Request, to []ask.Place) []ask.Place {
	places := slices.Clone(to)
	for _, s := range req.Schedule.Steps {
		places = append(places, s.To...)
	}
	return places
}

// refusing are those of the places that take no files.
func (fs *files) refusing(places []ask.Place) []ask.Place {
	return slices.DeleteFunc(places, func(place ask.Place) bool {
		_, takes := fs.platforms.named[place.Platform].(platform.Attacher)
		return takes
	})
}

// enclose puts a context that is too long for a card below it. Where no files are taken
// people can read it in full as they can what does not fit.
func (fs *files) enclose(req *ask.Request, to []ask.Place) {
	if fs.store != nil && len(fs.refusing(everywhere(req, to))) == 0 {
		req.EncloseContext()
	}
}

// keptText is the text of a revision, as it was kept for it.
type keptText struct {
	text, digest string
	life         time.Duration
}

// revise is enclose for a revision: where its context goes below the card, the text is kept
// for that, and returned with the record as it stood; else nil. Nothing is kept of what judge
// refuses, whose error it returns then.
func (fs *files) revise(ctx context.Context, id string, v *ask.Revision, judge Transition) (r Record, kept *keptText, err error) {
	if v.Files = fs.store != nil; !v.Files || v.Context == nil {
		return r, nil, nil
	}
	_, file := v.EncloseContext(0)
	if file == nil {
		return r, nil, nil
	}
	if r, err = fs.records.store.Load(ctx, id); err != nil {
		return r, nil, err
	}
	var to []ask.Place
	for _, c := range r.Copies {
		to = append(to, c.Target)
	}
	if r.Schedule != nil {
		for _, s := range r.Schedule.Steps {
			to = append(to, s.Places...)
		}
	}
	if v.Files = len(fs.refusing(to)) == 0; !v.Files || !r.Open() {
		return r, nil, nil
	}
	tried := r.Clone()
	if err := judge(&tried, fs.records.clock.now()); err != nil && !errors.Is(err, ErrUnchanged) {
		return r, nil, err
	}
	kept = &keptText{file.Text, file.Attachment().SHA256, longestLife}
	if !r.Deadline.IsZero() {
		kept.life = r.Deadline.Sub(r.Created) + filesLife
	}
	if err := fs.store.Keep(ctx, r.Tenant, r.ID, kept.digest, kept.text, kept.life); err != nil {
		fs.drop(ctx, &r, kept)
		return r, nil, err
	}
	return r, kept, nil
}

// has reports whether the request has the text.
func (k *keptText) has(r *Record) bool {
	return slices.ContainsFunc(r.Files, func(a ask.Attachment) bool { return a.SHA256 == k.digest })
}

// drop removes the text of a revision that was refused after it was kept, since somebody was
// quicker, or whose caller has left; unless the request has that text all the same. Where the
// same revision is taken at that moment, it is kept again.
func (fs *files) drop(ctx context.Context, r *Record, k *keptText) {
	if k == nil || k.has(r) {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), sweepBudget, errors.New("store too slow to forget a file"))
	defer cancel()
	err := fs.store.Forget(ctx, r.Tenant, r.ID, k.digest)
	if now, failed := fs.records.store.Load(ctx, r.ID); failed == nil && k.has(&now) {
		err = fs.store.Keep(ctx, r.Tenant, r.ID, k.digest, k.text, k.life)
	}
	if err != nil {
		fs.log.Warn("file of a refused revision not removed", "request_id", r.ID, "error", err)
	}
}

// keep keeps the files of a request that is about to be stored.
func (fs *files) keep(ctx context.Context, r *Record, req *ask.Request) error {
	life := longestLife
	if req.ExpiresIn > 0 {
		life = req.ExpiresIn + filesLife
	}
	for n, f := range req.Files {
		if err := fs.store.Keep(ctx, r.Tenant, r.ID, r.Files[n].SHA256, f.Text, life); err != nil {
			return fmt.Errorf("bridge: submit: keep a file: %w", err)
		}
	}
	return nil
}

// read returns the files of a request, each of them as it was handed in.
func (fs *files) read(ctx context.Context, r *Record) ([]ask.File, error) {
	all := make([]ask.File, len(r.Files))
	for n, a := range r.Files {
		text, err := fs.store.Read(ctx, r.Tenant, r.ID, a.SHA256, a.Bytes)
		if err != nil {
			return nil, fmt.Errorf("bridge: read a file: %w", err)
		}
		all[n] = ask.File{Name: a.Name, Text: text, Unshown: a.Unshown}
		if all[n].Attachment() != a {
			return nil, errAltered
		}
	}
	return all, nil
}

// forget removes the texts of a request that has ended. What is left behind by a fault goes
// when its time is over.
func (fs *files) forget(ctx context.Context, r *Record) {
	if fs.store == nil {
		return
	}
	if err := fs.store.Forget(ctx, r.Tenant, r.ID, ""); err != nil {
		fs.log.Warn("files of an ended request not removed yet", "request_id", r.ID, "error", err)
	}
}
