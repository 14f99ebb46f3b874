package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

const (
	// clickBudget is how long a person's act may take to be stored before the
	// person is told that it has not been, yet: half of the three seconds that
	// platforms wait.
	clickBudget = 1500 * time.Millisecond
	// formBudget is how long opening a form may wait for the record; without it
	// the form opens with general words.
	formBudget = 800 * time.Millisecond
	// rescueBudget is how long an act that could not be stored is tried again.
	rescueBudget = 2 * time.Minute
)

// Handle is the person's side: it decides what an interaction means, records
// it, and only then acknowledges. Updates follow in the background. The error
// is for the log; the person has been told.
func (b *Bridge) Handle(ctx context.Context, i Interaction, resp Responder) error {
	a, acts := i.act()
	if !acts {
		return b.view(ctx, i, a, resp)
	}
	began := time.Now()
	defer b.locks.hold(i.Message)()
	tight, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("store too slow for a click"))
	defer cancel()
	r, result, err := b.judge(tight, i.Token.Request, a)
	if err == nil && result.Verdict == record.Forbidden && b.undecided(r, a) {
		if a, err = b.join(tight, r, i, a); err != nil {
			return errors.Join(err, resp.ReplyEphemeral(ctx, Note{Text: sayUnchecked}))
		}
		r, result, err = b.judge(tight, i.Token.Request, a)
	}
	thin := errors.Is(err, ErrNotReplicated)
	if thin {
		b.log.Warn("act stored on too few replicas", "request_id", r.ID, "person", i.Person.Key(), "error", err)
		err = nil
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return resp.ReplyEphemeral(ctx, b.unknown(i))
	case err != nil:
		b.log.Error("act not stored", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		if !b.work.start(func() { b.rescue(i, a, resp) }) {
			return errors.Join(err, resp.ReplyEphemeral(ctx, Note{Text: sayTryAgain}))
		}
		return errors.Join(err, resp.ReplyEphemeral(ctx, Note{Text: sayTrying}))
	}
	b.changed(r)
	took := time.Since(began)
	err = b.tell(ctx, r, a, result, resp)
	b.log.Info("act recorded", "request_id", r.ID, "person", i.Person.Key(), "verdict", result.Verdict, "took", took)
	if err != nil && result.Verdict == record.Recorded {
		r = b.markStale(ctx, r, i.Message)
	}
	if thin {
		err = errors.Join(err, resp.ReplyEphemeral(ctx, Note{Text: sayThin}))
	}
	b.catchUp(r, i.Message)
	return err
}

// catchUp brings cards up to date if they are behind. The card that was used is
// remembered meanwhile, since the reply may have drawn it.
func (b *Bridge) catchUp(r *Record, used MessageRef) {
	if !r.Behind() {
		return
	}
	leave := b.locks.hold(used)
	e := b.deliver(r, false)
	wait := func() {
		<-e.done
		leave()
	}
	if !b.work.start(wait) {
		leave()
	}
}

// judge applies the act to the record.
func (b *Bridge) judge(ctx context.Context, id string, a record.Act) (*Record, record.Decision, error) {
	var m record.DraftMode
	if p, ok := b.platforms[a.By.Platform]; ok {
		m = record.DraftMode{Shared: p.Limits().SharedDraft, Redraws: p.Limits().RedrawInReply}
	}
	var result record.Decision
	r, err := b.store.Change(ctx, id, func(r *Record, now time.Time) error {
		var err error
		result, err = r.Judge(a, m, now)
		return err
	})
	if errors.Is(err, ErrUnchanged) {
		err = nil
	}
	return &r, result, err
}

// spread spreads the news of an act and brings cards up to date if they are
// behind.
func (b *Bridge) spread(r *Record) {
	b.changed(r)
	if r.Behind() {
		b.deliver(r, false)
	}
}

// tell answers the person.
func (b *Bridge) tell(ctx context.Context, r *Record, a record.Act, result record.Decision, resp Responder) error {
	switch result.Verdict {
	case record.Completed, record.Repeated, record.Stale:
		return b.acknowledge(ctx, r, a, resp)
	case record.Recorded:
		if err := b.acknowledge(ctx, r, a, resp); err != nil {
			return err
		}
		if a.Action.Kind == ask.Type && !b.platforms[a.By.Platform].Limits().SharedDraft {
			return resp.ReplyEphemeral(ctx, sayNoted(r, a.Action))
		}
		return nil
	}
	return resp.ReplyEphemeral(ctx, sayDecision(r, a, result))
}

// acknowledge says "received", with the new card where the platform can show it
// at once and nobody has shown a newer one.
func (b *Bridge) acknowledge(ctx context.Context, r *Record, a record.Act, resp Responder) error {
	p := b.platforms[a.By.Platform]
	if p == nil || !p.Limits().RedrawInReply || a.Message == (MessageRef{}) {
		return resp.Ack(ctx)
	}
	s := b.subject(r, p, r.At(a.Message))
	if a.Action.Question >= 0 {
		s.At = a.Action.Question
	}
	err := b.locks.render(a.Message, r.Revision, func() error { return resp.Redraw(ctx, render.Layout(s, p.Limits())) })
	if errors.Is(err, errOvertaken) {
		return resp.Ack(ctx)
	}
	return err
}

// markStale takes note that the reply did not draw the card after all.
func (b *Bridge) markStale(ctx context.Context, r *Record, at MessageRef) *Record {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), sweepBudget, errors.New("store too slow for an update"))
	defer cancel()
	after, err := b.change(ctx, r.ID, func(r *Record, now time.Time) error {
		return r.NotDrawn(at, now)
	})
	if err != nil && !errors.Is(err, ErrUnchanged) {
		b.log.Warn("card not marked for update", "request_id", r.ID, "error", err)
		return r
	}
	return after
}

// view answers the use of a control that changes nothing but what the person
// sees.
func (b *Bridge) view(ctx context.Context, i Interaction, a record.Act, resp Responder) error {
	switch i.Token.Verb {
	case render.OpenText, render.Answer, render.Dismiss:
		return b.openForm(ctx, i, a, resp)
	}
	return b.show(ctx, i, a, resp)
}

// openForm opens a dialog. Nothing may come before it but one short look at the
// record; what the person may do is judged again when they submit, and whoever
// only a look-up can tell is judged then.
func (b *Bridge) openForm(ctx context.Context, i Interaction, a record.Act, resp Responder) error {
	r, err := b.see(ctx, i.Token.Request, a)
	if err != nil && i.Token.Verb != render.Answer && !errors.Is(err, ErrNotFound) {
		b.log.Warn("form opened without its record", "request_id", i.Token.Request, "error", err)
		s := render.Subject{ID: i.Token.Request, Mark: i.Token.Mark}
		if i.Token.Verb == render.Dismiss {
			return resp.OpenForm(ctx, render.DismissForm(s))
		}
		return resp.OpenForm(ctx, render.WriteForm(s, i.Token.Question))
	}
	if told, err := b.turnedAway(ctx, r, i, a, resp, err); told {
		return err
	}
	s := b.subject(r, b.platforms[i.Person.Platform], r.At(i.Message))
	switch t := i.Token; {
	case t.Verb == render.Answer:
		return resp.OpenForm(ctx, render.AnswerForm(s))
	case t.Verb == render.Dismiss:
		return resp.OpenForm(ctx, render.DismissForm(s))
	case t.Question >= len(r.Questions) || t.Question >= 0 && r.Questions[t.Question].NoOther:
		return resp.ReplyEphemeral(ctx, sayDecision(r, a, record.Decision{Verdict: record.Unknown}))
	default:
		return resp.OpenForm(ctx, render.WriteForm(s, t.Question))
	}
}

// show turns to another page of a card, or tells the person in full what the
// card cuts. Nothing is recorded.
func (b *Bridge) show(ctx context.Context, i Interaction, a record.Act, resp Responder) error {
	r, err := b.see(ctx, i.Token.Request, a)
	if told, err := b.turnedAway(ctx, r, i, a, resp, err); told {
		return err
	}
	p := b.platforms[i.Person.Platform]
	s := b.subject(r, p, r.At(i.Message))
	if i.Token.Verb == render.ShowFull {
		return resp.ReplyEphemeral(ctx, Note{Text: render.FullText(s, i.Token.Question)})
	}
	s.At = i.Token.Question
	defer b.locks.hold(i.Message)()
	return b.locks.render(i.Message, r.Revision, func() error { return resp.Redraw(ctx, render.Layout(s, p.Limits())) })
}

// see takes a short look at the record behind a control. It expires a request
// whose time is over, and takes note of a card that the record does not know.
func (b *Bridge) see(ctx context.Context, id string, a record.Act) (*Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, formBudget, errors.New("store too slow for a form"))
	defer cancel()
	r, err := b.store.Load(ctx, id)
	if err != nil {
		return &r, err
	}
	if !r.Open() || r.Overdue(b.clock.now()) || !r.Knows(a.Message) {
		return b.touch(ctx, id, a)
	}
	return &r, nil
}

// turnedAway tells the person why there is nothing to show them, if there is a
// reason.
func (b *Bridge) turnedAway(ctx context.Context, r *Record, i Interaction, a record.Act, resp Responder, err error) (bool, error) {
	switch {
	case errors.Is(err, ErrNotFound):
		return true, resp.ReplyEphemeral(ctx, b.unknown(i))
	case err != nil:
		return true, errors.Join(err, resp.ReplyEphemeral(ctx, Note{Text: sayTryAgain}))
	case !r.Knows(i.Message):
		return true, resp.ReplyEphemeral(ctx, sayDecision(r, a, record.Decision{Verdict: record.Elsewhere}))
	case !r.Open() && r.Outcome.State == ask.Expired:
		return true, resp.ReplyEphemeral(ctx, sayDecision(r, a, record.Decision{Verdict: record.Late}))
	case !r.Open():
		return true, resp.ReplyEphemeral(ctx, sayDecision(r, a, record.Decision{Verdict: record.Closed}))
	case i.Token.Verb != render.ShowFull && !r.MayAnswer(a) && !b.undecided(r, a):
		return true, resp.ReplyEphemeral(ctx, sayDecision(r, a, record.Decision{Verdict: record.Forbidden}))
	}
	return false, nil
}

// touch takes note of the card that was used and expires the request if its
// time is over.
func (b *Bridge) touch(ctx context.Context, id string, a record.Act) (*Record, error) {
	r, err := b.change(ctx, id, func(r *Record, now time.Time) error {
		return r.Touch(a, now)
	})
	if err != nil && !errors.Is(err, ErrUnchanged) {
		return r, fmt.Errorf("bridge: look at %s: %w", id, err)
	}
	b.spread(r)
	return r, nil
}

// rescue goes on trying to store an act for a person who has been told so.
func (b *Bridge) rescue(i Interaction, a record.Act, resp Responder) {
	ctx, cancel := context.WithTimeoutCause(b.running, rescueBudget, errors.New("store away for too long"))
	defer cancel()
	say := func(n Note) {
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), clickBudget, errors.New("platform too slow for a note"))
		defer cancel()
		if err := resp.ReplyEphemeral(ctx, n); err != nil {
			b.log.Warn("note not delivered", "request_id", i.Token.Request, "person", i.Person.Key(), "error", err)
		}
	}
	for n := 0; ; n++ {
		pause(ctx, backoff(min(n, 3)))
		if ctx.Err() != nil {
			say(Note{Text: sayTryAgain})
			return
		}
		tight, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a click"))
		r, result, err := b.judge(tight, i.Token.Request, a)
		cancel()
		switch {
		case errors.Is(err, ErrNotFound):
			say(b.unknown(i))
			return
		case err != nil:
			continue
		}
		b.spread(r)
		switch result.Verdict {
		case record.Completed, record.Repeated, record.Recorded, record.Stale:
			say(Note{Text: sayRescued})
		default:
			say(sayDecision(r, a, result))
		}
		return
	}
}

// unknown is what to tell somebody who used a control of a request that the
// store does not have. The card is closed if it is ours; another bridge may look
// after it if it is not.
func (b *Bridge) unknown(i Interaction) Note {
	ours := b.wrote(i.Token)
	b.log.Warn("act on an unknown request", "request_id", i.Token.Request, "person", i.Person.Key(), "ours", ours)
	if !ours {
		return Note{Text: sayForeign}
	}
	b.closeUnknown(i)
	return Note{Text: sayUnknown}
}

// closeUnknown takes the controls off a card whose record is gone.
func (b *Bridge) closeUnknown(i Interaction) {
	p, ok := b.platforms[i.Person.Platform]
	if !ok || i.Message == (MessageRef{}) {
		return
	}
	b.work.start(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), sweepBudget, errors.New("platform too slow for an update"))
		defer cancel()
		s := render.Subject{
			ID: i.Token.Request, Policy: ask.PolicyOf(ask.Anyone),
			Outcome: ask.Outcome{State: ask.Failed, Reason: "this question is no longer known"},
		}
		if err := p.Update(ctx, i.Message, render.Layout(s, p.Limits())); err != nil {
			b.log.Warn("unknown card not closed", "request_id", i.Token.Request, "error", err)
		}
	})
}
