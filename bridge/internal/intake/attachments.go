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

// check returns why the files of a request cannot be uploaded at its places, as far as
// that is known without a call.
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

// everywhere returns all places of a request, including those of its schedule.
func everywhere(req *ask.Request, to []ask.Place) []ask.Place {
	places := slices.Clone(to)
	for _, s := range req.Schedule.Steps {
		places = append(places, s.To...)
	}
	return places
}

// refusing returns the places that do not accept files.
func (as *Attachments) refusing(places []ask.Place) []ask.Place {
	return slices.DeleteFunc(places, func(place ask.Place) bool {
		_, takes := as.Platforms.Named[place.Platform].(platform.Attacher)
		return takes
	})
}

// enclose moves a context that is too long for a card into a file, if files are
// accepted.
func (as *Attachments) enclose(req *ask.Request, to []ask.Place) {
	if as.Files.Store != nil && len(as.refusing(everywhere(req, to))) == 0 {
		req.EncloseContext()
	}
}

// KeptText is a stored text of a revision.
type KeptText struct {
	text, digest string
	life         time.Duration
}

// Revise is enclose for a revision. If it moves the context into a file, it stores the
// file and returns it with the current record; else nil. It stores nothing if judge
// rejects the revision, and returns that error.
func (as *Attachments) Revise(ctx context.Context, id string, v *ask.Revision, judge record.Transition) (r record.Record, kept *KeptText, err error) {
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
	kept = &KeptText{file.Text, file.Attachment().SHA256, state.LongestLife}
	if !r.Deadline.IsZero() {
		kept.life = r.Deadline.Sub(r.Created) + state.FilesLife
	}
	if err := as.Files.Store.Keep(ctx, r.Tenant, r.ID, kept.digest, kept.text, kept.life); err != nil {
		as.Drop(ctx, &r, kept)
		return r, nil, err
	}
	return r, kept, nil
}

// has reports whether the request contains the text.
func (k *KeptText) has(r *record.Record) bool {
	return slices.ContainsFunc(r.Files, func(a ask.Attachment) bool { return a.SHA256 == k.digest })
}

// Drop removes the text of a revision that was rejected after the text was stored,
// unless the request contains the same text. If the same revision is accepted at that
// moment, the text is stored again.
func (as *Attachments) Drop(ctx context.Context, r *record.Record, k *KeptText) {
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

// Attachments checks the files of new requests and revisions.
type Attachments struct {
	Files     *state.Files
	Records   *state.Records
	Platforms *deliver.Platforms
	Log       *slog.Logger
}
