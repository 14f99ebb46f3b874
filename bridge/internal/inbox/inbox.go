package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const (
	// openTime bounds the time to draw an inbox before the person's client shows that it waits: half of the
	// three seconds that platforms wait.
	openTime = 1500 * time.Millisecond
	// showTime bounds drawing and showing an inbox in the background.
	showTime = 15 * time.Second
	// loadTime bounds the read of a record before an act on it is judged.
	loadTime = 800 * time.Millisecond
)

var (
	errShowTime = errors.New("inbox not shown in time")
	errNoInbox  = errors.New("inbox: the platform's responder shows no inboxes")
)

// Inbox handles what people do in their inboxes.
type Inbox struct {
	Records    *state.Records
	Deadlines  *deliver.Deadlines
	Platforms  *deliver.Platforms
	Cards      *deliver.Cards
	Background *state.Background
	Accounts   *state.Accounts
	Log        *slog.Logger
	// Language is the default language.
	Language string
	// Next handles an act on a card.
	Next platform.Handler

	feed  feed
	views views
}

// Handle handles an interaction in an inbox: it shows the inbox, or handles the act as one on the card of
// the request. It implements [platform.Handler].
func (in *Inbox) Handle(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	shower, ok := resp.(platform.InboxResponder)
	if !ok {
		return errNoInbox
	}
	v := in.viewOf(i, shower)
	if i.Token.Verb == render.OpenInbox {
		if v.from = max(0, i.Token.Question); i.Token == render.InboxHelp() {
			v.say(platform.Note{Text: words.In(v.language).Inbox.Help})
		}
		return in.open(ctx, v)
	}
	if kept := in.views.get(v.key); kept != nil {
		v.from = kept.from
	}
	return in.act(ctx, i, v)
}

// open shows an inbox, after an acknowledgement if that takes long.
func (in *Inbox) open(ctx context.Context, v *view) error {
	tight, cancel := context.WithTimeoutCause(ctx, openTime, errShowTime)
	defer cancel()
	err := in.show(tight, v)
	if !errors.Is(err, errShowTime) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	err = v.resp.Ack(ctx)
	in.Background.Go(func() {
		ctx, cancel := context.WithTimeoutCause(in.Background.Ctx, showTime, errShowTime)
		defer cancel()
		if err := in.show(ctx, v); err != nil {
			in.Log.Warn("inbox not shown", "person", v.who.Key(), "error", err)
		}
	})
	return err
}

// act handles an act on a request as one on its card.
func (in *Inbox) act(ctx context.Context, i platform.Interaction, v *view) error {
	tight, cancel := context.WithTimeoutCause(ctx, loadTime, errors.New("store too slow for an inbox"))
	r, err := in.Records.Store.Load(tight, i.Token.Request)
	cancel()
	w := words.In(v.language)
	c, shown := record.InboxCopy(&r, i.Person, v.installation)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		v.say(platform.Note{Text: w.Note.Unknown})
		return in.show(ctx, v)
	case err != nil:
		v.say(platform.Note{Text: w.Note.TryAgain})
		return errors.Join(err, in.show(ctx, v))
	case !shown:
		v.say(platform.Note{Text: w.Note.Elsewhere})
		return in.show(ctx, v)
	}
	i.Message, i.Private = c.Ref, true
	return in.Next(ctx, i, &reply{InboxResponder: v.resp, in: in, v: v, request: r.ID})
}

// reply shows the result of an act in the inbox.
type reply struct {
	platform.InboxResponder

	in      *Inbox
	v       *view
	request string
}

// ReplyEphemeral shows a note at the top of the inbox. The errors of a form stay in the form.
func (r *reply) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	if len(n.Fields) > 0 || n.Card != nil {
		return r.InboxResponder.ReplyEphemeral(ctx, n)
	}
	if now, err := r.in.Records.Store.Load(ctx, r.request); err == nil {
		r.in.feed.put(r.in, &now) // The change itself may arrive later.
	}
	v := *r.v
	v.say(n)
	return r.in.show(ctx, &v)
}

// show draws an inbox, shows it and keeps it up to date while the platform can.
func (in *Inbox) show(ctx context.Context, v *view) error {
	in.feed.start(in)
	card, err := in.draw(ctx, v)
	if err != nil {
		if context.Cause(ctx) != nil {
			return fmt.Errorf("inbox: %w", context.Cause(ctx))
		}
		card = render.Inbox(render.InboxView{Language: v.language, Note: words.In(v.language).Inbox.Gone, Refresh: true}, in.limits(v))
	}
	if shown := v.resp.ShowInbox(ctx, card); shown != nil {
		return errors.Join(err, shown)
	}
	in.views.keep(v)
	return err
}

func (in *Inbox) limits(v *view) render.Limits {
	if p, ok := in.Platforms.Named[v.who.Platform]; ok {
		return p.Limits()
	}
	return render.Limits{}
}
