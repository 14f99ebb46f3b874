package respond

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// clickBudget bounds the time to store an act before the person gets a preliminary
// reply: half of the three seconds that platforms wait.
const clickBudget = 1500 * time.Millisecond

// Handler judges the interactions of people and replies to them.
type Handler struct {
	Records    *state.Records
	Workers    *deliver.Workers
	Platforms  *deliver.Platforms
	Lookup     *Lookup
	Cards      *deliver.Cards
	Locks      *deliver.Locks
	Marks      deliver.Marks
	Background *state.Background
	Messages   *Messages
	Log        *slog.Logger
	Reporter   state.Reporter
	OnCall     record.OnCall
	Accounts   *state.Accounts
	// Language is the default language of replies.
	Language string
}

// acted is a handled interaction: the record after it, the act, and how to reply.
type acted struct {
	r     *record.Record
	a     record.Act
	w     *words.Words
	resp  platform.Responder
	cards *deliver.Cards
}

// reply sends a private note.
func (x acted) reply(ctx context.Context, n platform.Note) error {
	return x.resp.ReplyEphemeral(ctx, n)
}

// show sends a private message with buttons.
func (x acted) show(ctx context.Context, c render.Card) error {
	n := note(x.w, x.w.Note.TryAgain)
	n.Card = &c
	return x.reply(ctx, n)
}

// say replies with a decision.
func (x acted) say(ctx context.Context, result record.Decision) error {
	return x.reply(ctx, sayDecision(x.cards, x.w, x.r, x.a, result))
}

// Handle judges an interaction, stores the result and replies.
func (pp *Handler) Handle(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	if i.Typed != nil {
		return pp.Messages.handle(ctx, i, resp)
	}
	a, acts := actOf(i)
	if !acts {
		return pp.view(ctx, i, a, resp)
	}
	began := time.Now()
	defer pp.Locks.Hold(i.Message)()
	tight, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("store too slow for a click"))
	defer cancel()
	r, a, result, err := pp.judgeKnown(tight, i, a)
	w := wordsFor(pp.Language, i, r)
	if errors.Is(err, errUnchecked) {
		return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.Unchecked)))
	}
	thin := errors.Is(err, storage.ErrNotReplicated)
	if thin {
		pp.Log.Warn("act stored on too few replicas", "request_id", r.ID, "person", i.Person.Key(), "error", err)
		err = nil
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return resp.ReplyEphemeral(ctx, pp.unknown(i))
	case err != nil:
		pp.Log.Error("act not stored", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		if !pp.Background.Go(func() { pp.rescue(i, a, resp) }) {
			return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.TryAgain)))
		}
		return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.Trying)))
	}
	if result.Verdict == record.Elsewhere {
		pp.stray(i, r)
	}
	judged(resp, r, result.Verdict)
	pp.Records.Publish(r)
	took := time.Since(began)
	err = pp.replyTo(ctx, acted{r, a, w, resp, pp.Cards}, result)
	pp.Log.Info("act recorded", "request_id", r.ID, "person", i.Person.Key(), "verdict", result.Verdict, "took", took)
	if err != nil && pp.Lookup.redraws(r, a, result.Verdict) {
		r = pp.markStale(ctx, r, i.Message)
	}
	if thin {
		err = errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.Thin)))
	}
	pp.catchUp(r, i.Message)
	return err
}

// catchUp updates outdated cards. It holds the lock of the used card meanwhile, because
// the reply may have drawn it.
func (pp *Handler) catchUp(r *record.Record, used platform.MessageRef) {
	if !record.Behind(r) {
		return
	}
	leave := pp.Locks.Hold(used)
	e := pp.Workers.Deliver(r, deliver.Follows)
	wait := func() {
		<-e.Done
		leave()
	}
	if !pp.Background.Go(wait) {
		leave()
	}
}

// errUnchecked means that the look-up of who may answer failed.
var errUnchecked = errors.New("bridge: cannot check who may answer")

// judgeKnown is Judge for an interaction, with look-ups on the platform if they decide.
// It returns the act with their results.
func (pp *Handler) judgeKnown(ctx context.Context, i platform.Interaction, a record.Act) (*record.Record, record.Act, record.Decision, error) {
	r, result, err := pp.Judge(ctx, i.Token.Request, a, false)
	if err != nil || result.Verdict != record.Forbidden || !pp.Lookup.undecided(r, a) {
		return r, a, result, err
	}
	if a, err = pp.Lookup.lookUp(ctx, r, i, a); err != nil {
		return r, a, result, fmt.Errorf("%w: %w", errUnchecked, err)
	}
	r, result, err = pp.Judge(ctx, i.Token.Request, a, true)
	return r, a, result, err
}

// Judge applies an act to a record, after all due changes. It looks up the person to
// a request is passed on to if that decides. known means that the look-ups for the
// acting person are complete; only then is a refusal recorded.
func (pp *Handler) Judge(ctx context.Context, id string, a record.Act, known bool) (*record.Record, record.Decision, error) {
	lookedUp := false
	a.Action.To.Person = pp.Lookup.withName(ctx, a.Action.To.Person) // Cards on other platforms show the name.
	a.Action.To.Groups = pp.Accounts.Groups(a.Action.To.Person, a.Action.To.Groups)
	for {
		r, result, err := pp.decide(ctx, id, a, known)
		switch {
		case err != nil && !errors.Is(err, storage.ErrNotReplicated):
			return r, result, err
		case result.Verdict == record.Early:
			pp.Publish(r)
		case result.Why == record.ToBarred && !lookedUp:
			lookedUp = true
			if a.Action.To, result.Why = pp.Lookup.lookUpNext(ctx, r, a.Action.To); result.Why != "" {
				return r, result, err
			}
		default:
			return r, result, err
		}
	}
}

// decide applies the next due change, or else the act.
func (pp *Handler) decide(ctx context.Context, id string, a record.Act, known bool) (*record.Record, record.Decision, error) {
	m := pp.Lookup.mode(a.By.Platform)
	m.Redraws = m.Redraws && !a.Private && a.Said == (platform.MessageRef{})
	var result record.Decision
	began := time.Now()
	r, err := pp.Records.Swap(ctx, id, func(r *record.Record, now time.Time) error {
		var err error
		r.ResolveOnCall(pp.OnCall, now)
		if result, err = r.Judge(a, m, now); err == nil && !known && result.Verdict == record.Forbidden && pp.Lookup.undecided(r, a) {
			return storage.ErrUnchanged
		}
		return err
	})
	if errors.Is(err, storage.ErrUnchanged) {
		err = nil
	}
	event := observe.Observation{What: observe.ActJudged, Platform: a.By.Platform, Verdict: result.Verdict, Took: time.Since(began), Err: err}
	if r.ID != "" {
		event.Record = r
	}
	pp.Reporter.Report(event)
	return r, result, err
}

// Publish publishes a record and updates outdated cards.
func (pp *Handler) Publish(r *record.Record) {
	pp.Records.Publish(r)
	if record.Behind(r) {
		pp.Workers.Deliver(r, deliver.Follows)
	}
}

// replyTo replies to the person.
func (pp *Handler) replyTo(ctx context.Context, x acted, result record.Decision) error {
	switch result.Verdict {
	case record.Completed, record.Repeated, record.Stale, record.Tentative, record.Claimed, record.Passed:
		return acknowledge(ctx, pp, x)
	case record.Undone, record.AskedAgent:
		if err := pp.draw(ctx, x); err != nil {
			return err
		}
		return x.say(ctx, result)
	case record.Counted, record.Recorded:
		if x.r.Voting != nil {
			return pp.replyToVoter(ctx, x, result)
		}
		n, told := sayRecorded(x, result, pp.Platforms.Named[x.a.By.Platform].Limits().SharedDraft)
		if !told {
			return acknowledge(ctx, pp, x)
		}
		if err := pp.draw(ctx, x); err != nil {
			return err
		}
		return x.reply(ctx, n)
	}
	return pp.refuse(ctx, x, result)
}

// sayRecorded describes a choice that is not sent yet, unless the person sees it on the card.
func sayRecorded(x acted, result record.Decision, shared bool) (platform.Note, bool) {
	kind := x.a.Action.Kind
	switch {
	case kind == ask.Fill && len(result.Missing) > 0:
		return sayLeftOut(x.w, x.r, result.Missing), true
	case shared && !x.a.Private:
		return platform.Note{}, false
	case kind == ask.Type:
		return sayNoted(x.w, x.r, x.a.Action), true
	case kind == ask.Annotate:
		return sayAnnotated(x.w, x.r, x.a.Action), true
	}
	return platform.Note{}, false
}

// refuse explains why an act does not count. If the card contradicts that,
// the reply also draws the card, because an earlier reply may not have arrived.
func (pp *Handler) refuse(ctx context.Context, x acted, result record.Decision) error {
	var err error
	if pp.Lookup.redraws(x.r, x.a, result.Verdict) {
		err = pp.draw(ctx, x)
	}
	return errors.Join(err, x.say(ctx, result))
}

// replyToVoter replies to a voter. A card shows no drafts of voters, so they get a private
// note.
func (pp *Handler) replyToVoter(ctx context.Context, x acted, result record.Decision) error {
	answer := x.resp.Ack
	if result.Verdict == record.Counted || x.a.Private {
		answer = func(ctx context.Context) error { return pp.draw(ctx, x) }
	}
	if err := answer(ctx); err != nil {
		return err
	}
	if result.Verdict == record.Recorded && x.a.Action.Kind == ask.Select {
		return nil // The control shows it.
	}
	return x.reply(ctx, sayVote(x.w, x.r, x.a, result))
}

// acknowledge acknowledges an act that needs no note: the card shows it. A private message says so.
func acknowledge(ctx context.Context, pp *Handler, x acted) error {
	if x.a.Private {
		return x.reply(ctx, note(x.w, x.w.Note.Done))
	}
	return pp.draw(ctx, x)
}

// draw acknowledges with the new card if the platform can draw it in the reply and no newer
// one was drawn. On a private message it leaves the acknowledgement to the note that follows.
func (pp *Handler) draw(ctx context.Context, x acted) error {
	r, a := x.r, x.a
	if a.Private {
		return nil
	}
	p := pp.Platforms.Named[a.By.Platform]
	if p == nil || !p.Limits().RedrawInReply || a.Message == (platform.MessageRef{}) {
		return x.resp.Ack(ctx)
	}
	s := pp.Cards.Subject(r, p, r.Copies.At(a.Message))
	if a.Action.Question >= 0 {
		s.At = a.Action.Question
	}
	err := pp.Locks.Render(a.Message, r.Revision, func() error { return x.resp.Redraw(ctx, render.Layout(s, p.Limits())) })
	if errors.Is(err, deliver.ErrOvertaken) {
		return x.resp.Ack(ctx)
	}
	return err
}

// markStale records that the reply did not draw the card.
func (pp *Handler) markStale(ctx context.Context, r *record.Record, at platform.MessageRef) *record.Record {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), state.StoreTimeout, errors.New("store too slow for an update"))
	defer cancel()
	after, err := pp.Records.Change(ctx, r.ID, func(r *record.Record, now time.Time) error {
		return r.MarkNotDrawn(at, now)
	})
	if err != nil && !errors.Is(err, storage.ErrUnchanged) {
		pp.Log.Warn("card not marked for update", "request_id", r.ID, "error", err)
		return r
	}
	return after
}
