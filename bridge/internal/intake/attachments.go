package intake

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
)

// check returns what keeps the files of a request from being uploaded where it goes, as far
// as that is known without asking a platform.
func (as *Attachments) check(req *ask.Request, to []ask.Place) []ask.Problem {
	if len(req.Files) == 0 {
		return nil
	}
	if as.Files.Store == nil {
		return []ask.Problem{Problem("files", ask.ErrFiles, "this bridge keeps no files")}
	}
	var problems []ask.Problem
	for _, place := range as.refusing(everywhere(req, to)) {
		problems = append(problems, Problem("files", ask.ErrFiles, place.Platform+" takes no files"))
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
func (as *Attachments) refusing(places []ask.Place) []ask.Place {
	return slices.DeleteFunc(places, func(place ask.Place) bool {
		_, takes := as.Platforms.Named[place.Platform].(platform.Attacher)
		return takes
	})
}

// enclose puts a context that is too long for a card below it. Where no files are taken
// people can read it in full as they can what does not fit.
func (as *Attachments) enclose(req *ask.Request, to []ask.Place) {
	if as.Files.Store != nil && len(as.refusing(everywhere(req, to))) == 0 {
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
func (as *Attachments) Revise(ctx context.Context, id string, v *ask.Revision, judge record.Transition) (r record.Record, kept *keptText, err error) {
	if v.Files = as.Files.Store != nil; !v.Files || v.Context == nil {
		return r, nil, nil
	}
	_, file := v.EncloseContext(0)
	if file == nil {
		return r, nil, nil
	}
	if r, err = as.Records.Store.Load(ctx, id); err != nil {
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
	if v.Files = len(as.refusing(to)) == 0; !v.Files || !r.Open() {
		return r, nil, nil
	}
	tried := r.Clone()
	if err := judge(&tried, as.Records.Clock.Now()); err != nil && !errors.Is(err, storage.ErrUnchanged) {
		return r, nil, err
	}
	kept = &keptText{file.Text, file.Attachment().SHA256, state.LongestLife}
	if !r.Deadline.IsZero() {
		kept.life = r.Deadline.Sub(r.Created) + state.FilesLife
	}
	if err := as.Files.Store.Keep(ctx, r.Tenant, r.ID, kept.digest, kept.text, kept.life); err != nil {
		as.Drop(ctx, &r, kept)
		return r, nil, err
	}
	return r, kept, nil
}

// has reports whether the request has the text.
func (k *keptText) has(r *record.Record) bool {
	return slices.ContainsFunc(r.Files, func(a ask.Attachment) bool { return a.SHA256 == k.digest })
}

// drop removes the text of a revision that was refused after it was kept, since somebody was
// quicker, or whose caller has left; unless the request has that text all the same. Where the
// same revision is taken at that moment, it is kept again.
func (as *Attachments) Drop(ctx context.Context, r *record.Record, k *keptText) {
	if k == nil || k.has(r) {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), state.StoreTimeout, errors.New("store too slow to forget a file"))
	defer cancel()
	err := as.Files.Store.Forget(ctx, r.Tenant, r.ID, k.digest)
	if now, failed := as.Records.Store.Load(ctx, r.ID); failed == nil && k.has(&now) {
		err = as.Files.Store.Keep(ctx, r.Tenant, r.ID, k.digest, k.text, k.life)
	}
	if err != nil {
		as.Log.Warn("file of a refused revision not removed", "request_id", r.ID, "error", err)
	}
}

// attachments checks the files of new requests and revisions.
type Attachments struct {
	Files     *state.Files
	Records   *state.Records
	Platforms *deliver.Platforms
	Log       *slog.Logger
}
