package respond

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// formBudget bounds the read of a record before a form opens. Without the record the
// form has generic texts.
const formBudget = 800 * time.Millisecond

// view handles a control that changes only what the person sees.
func (pp *Handler) view(ctx context.Context, i platform.Interaction, a record.Act, resp platform.Responder) error {
	switch i.Token.Verb {
	case render.Follow:
		return resp.Ack(ctx) // The client has opened the link.
	case render.OpenText, render.OpenConfirm, render.OpenNote, render.OpenAsk, render.OpenPass, render.Answer, render.Dismiss:
		return pp.openForm(ctx, i, a, resp)
	}
	return pp.show(ctx, i, a, resp)
}

// openForm opens a form after one short read of the record. The submission is judged
// again, including look-ups.
func (pp *Handler) openForm(ctx context.Context, i platform.Interaction, a record.Act, resp platform.Responder) error {
	r, err := pp.see(ctx, i.Token.Request, a)
	x := acted{r, a, wordsFor(pp.Language, i, r), resp, pp.Cards}
	if err != nil && i.Token.Verb != render.Answer && i.Token.Verb != render.OpenConfirm && !errors.Is(err, storage.ErrNotFound) {
		pp.Log.Warn("form opened without its record", "request_id", i.Token.Request, "error", err)
		return resp.OpenForm(ctx, blankForm(i.Token, x.w.Language))
	}
	if replied, err := pp.rejected(ctx, x, i, err); replied {
		return err
	}
	f, ok := pp.form(i, r, x.w.Language)
	if !ok {
		return x.say(ctx, record.Decision{Verdict: record.Unknown})
	}
	return resp.OpenForm(ctx, f)
}

// blankForm returns the form of a control if its record cannot be read.
func blankForm(t render.Token, language string) render.Form {
	s := render.Subject{Language: language, ID: t.Request, Mark: t.Mark, Revised: t.Revised}
	switch t.Verb {
	case render.Dismiss:
		return render.DismissForm(s)
	case render.OpenAsk:
		return render.AskForm(s)
	case render.OpenPass:
		return render.PassForm(s)
	case render.OpenNote:
		return render.NoteForm(s, t.Question)
	}
	return render.WriteForm(s, t.Question)
}

// form returns the form of a control, or false if the request has none.
func (pp *Handler) form(i platform.Interaction, r *record.Record, language string) (render.Form, bool) {
	p, t := pp.Platforms.Named[i.Person.Platform], i.Token
	s := pp.Cards.Subject(r, p, r.Copies.At(i.Message))
	s.Language = language
	switch {
	case t.Verb == render.OpenAsk:
		return render.AskForm(s), s.AskBack
	case t.Verb == render.OpenPass:
		return render.PassForm(s), s.Passes
	case t.Verb == render.Dismiss:
		return render.DismissForm(s), true
	case t.Verb == render.OpenConfirm:
		return render.ConfirmForm(s, t.Question, t.Option)
	case t.Option >= 0:
		s.Draft = r.DraftOf(i.Person, pp.Lookup.mode(i.Person.Platform))
		return render.PartForm(s, t, p.Limits())
	case t.Verb == render.Answer:
		return render.AnswerForm(s), true
	case t.Question >= len(r.Questions):
		return render.Form{}, false
	case t.Verb == render.OpenNote:
		if s.Draft == nil {
			s.Draft = r.Drafts[i.Person.Key()] // Only the person sees it.
		}
		return render.NoteForm(s, t.Question), r.Questions[t.Question].Notes
	}
	return render.WriteForm(s, t.Question), t.Question < 0 || !r.Questions[t.Question].NoOther
}

// show turns the page of a card, or shows the person privately what they can do besides
// answering, what the card leaves out, or a truncated text in full. It records only that the
// card is drawn.
func (pp *Handler) show(ctx context.Context, i platform.Interaction, a record.Act, resp platform.Responder) error {
	r, err := pp.see(ctx, i.Token.Request, a)
	x := acted{r, a, wordsFor(pp.Language, i, r), resp, pp.Cards}
	if replied, err := pp.rejected(ctx, x, i, err); replied {
		return err
	}
	p := pp.Platforms.Named[i.Person.Platform]
	s := pp.Cards.Subject(r, p, r.Copies.At(i.Message))
	s.Language = x.w.Language
	switch i.Token.Verb {
	case render.OpenMore:
		offer, err := pp.Lookup.offer(ctx, i, x)
		if err != nil {
			return errors.Join(err, x.reply(ctx, note(x.w, x.w.Note.Unchecked)))
		}
		return x.show(ctx, render.More(s, render.Offer(offer)))
	case render.ShowDetails:
		return x.show(ctx, render.Details(s, p.Limits()))
	case render.ShowFull:
		return x.reply(ctx, note(x.w, render.FullText(s, i.Token.Question)))
	}
	defer pp.Locks.Hold(i.Message)()
	x.r = pp.markDrawing(ctx, r, i.Message)
	return pp.draw(ctx, x)
}

// see reads the record of a control. It applies due changes, and records a card that the
// record does not contain.
func (pp *Handler) see(ctx context.Context, id string, a record.Act) (*record.Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, formBudget, errors.New("store too slow for a form"))
	defer cancel()
	r, err := pp.Records.Store.Load(ctx, id)
	if err != nil {
		return &r, err
	}
	if !r.Open() || !pp.Records.Clock.Now().Before(r.Due) || !r.Copies.Serve(a.Message, a.By.Person) || a.Action.Revised != r.Revised {
		return pp.reconcile(ctx, id, a)
	}
	return &r, nil
}

// rejected replies to the person if there is a reason not to show anything.
func (pp *Handler) rejected(ctx context.Context, x acted, i platform.Interaction, err error) (bool, error) {
	r := x.r
	reads := slices.Contains([]render.Verb{render.ShowFull, render.OpenMore, render.ShowDetails}, i.Token.Verb)
	var v record.Verdict
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return true, x.reply(ctx, pp.unknown(i))
	case err != nil:
		return true, errors.Join(err, x.reply(ctx, note(x.w, x.w.Note.TryAgain)))
	case !r.Copies.Serve(i.Message, i.Person):
		pp.stray(i, r)
		v = record.Elsewhere
	case !r.Open() && r.Outcome.State == ask.Expired:
		v = record.Late
	case !r.Open():
		v = record.Closed
	case r.Held != nil && !reads:
		v = record.Decided
	case !reads && !r.MayAnswer(x.a) && !pp.Lookup.undecided(r, x.a):
		v = record.Forbidden
	case i.Token.Revised != r.Revised && i.Token.Verb != render.OpenAsk:
		v = record.Outdated
	default:
		return false, nil
	}
	if pp.Lookup.redraws(r, x.a, v) {
		x.r = pp.markDrawing(ctx, r, i.Message)
	}
	return true, pp.refuse(ctx, x, record.Decision{Verdict: v})
}

// reconcile records the card that was used and applies due changes.
func (pp *Handler) reconcile(ctx context.Context, id string, a record.Act) (*record.Record, error) {
	r, err := pp.Records.Change(ctx, id, func(r *record.Record, now time.Time) error {
		r.ResolveOnCall(pp.OnCall, now)
		return r.ReconcileCard(a, pp.Lookup.mode(a.By.Platform), now)
	})
	if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		return r, fmt.Errorf("bridge: look at %s: %w", id, err)
	}
	pp.Publish(r)
	return r, nil
}

// markDrawing records that a reply is about to draw the card of an open request, and returns
// the record to draw.
func (pp *Handler) markDrawing(ctx context.Context, r *record.Record, at platform.MessageRef) *record.Record {
	if !r.Open() {
		return r
	}
	ctx, cancel := context.WithTimeoutCause(ctx, formBudget, errors.New("store too slow for a reply"))
	defer cancel()
	after, err := pp.Records.Change(ctx, r.ID, func(r *record.Record, now time.Time) error { return r.MarkDrawing(at, now) })
	switch {
	case err == nil:
		pp.Records.Publish(after)
	case !errors.Is(err, storage.ErrUnchanged):
		pp.Log.Warn("card not marked before it is drawn", "request_id", r.ID, "error", err)
		return r
	}
	return after
}
