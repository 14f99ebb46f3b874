package deliver

import (
	"context"
	"errors"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// attach uploads the files of a request below a card, once. If doubted, another replica
// may have uploaded them before it crashed, so it searches first. If the search is
// impossible, it uploads them again: duplicates do no harm, and without files people
// cannot answer.
func (ps *Posts) attach(ctx context.Context, r *record.Record, c record.Copy, doubted bool) record.Result {
	name := c.Target.Platform
	chat := ps.Platforms.Named[name]
	p, ok := chat.(platform.Attacher)
	if !ok {
		return record.FilesGivenUp{Files: r.Files, Why: name + " takes no files"}
	}
	up := platform.Upload{Request: r.ID, Code: r.Code(), Text: render.Filed(r.Language, r.Files, r.Revised > 0)}
	var err error
	if up.Files, err = ps.Files.Read(ctx, r); err != nil {
		ps.Log.Error("files cannot be read", "request_id", r.ID, "error", err)
		if errors.Is(err, storage.ErrNotFound) || errors.Is(err, state.ErrAltered) {
			return record.FilesGivenUp{Files: r.Files, Why: "the files are not there any more"}
		}
		return record.FilesFailed{Files: r.Files, Failure: record.Failure{Why: "the files cannot be read", Posted: true, Spread: state.Chance()}}
	}
	uploaded := func() bool {
		found, err := p.Attached(ctx, c.Target, c.Ref, up)
		return err == nil && found
	}
	if doubted && uploaded() {
		return record.FilesPosted{Files: r.Files}
	}
	err = state.Protect(ps.Log, func() error {
		return ps.call(ps.Platforms.Breakers[name].Files, opUpload, r, c.Target, false, func() error { return p.Attach(ctx, c.Target, c.Ref, up) })
	})
	pe := &platform.Error{Kind: platform.Refused}
	errors.As(err, &pe)
	switch {
	case err == nil, pe.Kind == platform.Ambiguous && uploaded():
		ps.Log.Info("files uploaded below a card", "request_id", r.ID, "platform", name, "files", len(r.Files))
		return record.FilesPosted{Files: r.Files}
	case !temporary(pe.Kind):
		ps.Log.Error("files not uploaded below a card", "request_id", r.ID, "platform", name, "error", err)
		return record.FilesGivenUp{Files: r.Files, Why: "the files could not be uploaded: " + name + ": " + pe.Code}
	}
	f, _ := ps.failed(chat, c, err).(record.Failure)
	return record.FilesFailed{Files: r.Files, Failure: f}
}
