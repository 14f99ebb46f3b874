package respond

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/typed"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
)

// Messages matches typed messages with requests.
type Messages struct {
	Handler   *Handler
	Deadlines *deliver.Deadlines
	Threads   *state.Threads
	Hints     *Hints
}

// bound is a request that a message may answer, and its card.
type bound struct {
	r  *record.Record
	at platform.MessageRef
	a  record.Act
}

// handle processes a typed message. It counts only if it can answer exactly one open
// request that the person may answer, and if all of it is an answer. Then it is judged
// like any act; otherwise the person gets a private hint, if the message addresses the
// bot.
func (h *Messages) handle(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	if i.Bot || h.Threads.Store == nil {
		return resp.Ack(ctx)
	}
	tight, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("store too slow for a message"))
	defer cancel()
	if i.Typed.Deleted {
		err := h.deleted(tight, i)
		if err != nil {
			h.Handler.Background.Go(func() { h.takeBackLater(i) })
		}
		return errors.Join(err, resp.Ack(ctx))
	}
	all, err := h.bind(tight, i)
	again, over := false, false
	if err == nil && (len(all) > 0 || i.Typed.Addressed) {
		again, over, err = h.before(tight, i)
	}
	if over {
		all = nil
	}
	if err == nil && len(all) > 0 && i.Typed.Edited {
		err = h.noteChange(tight, i)
	}
	w := wordsFor(h.Handler.Language, i, &record.Record{})
	if len(all) > 0 {
		w = wordsFor(h.Handler.Language, i, all[0].r)
	}
	if err != nil {
		return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.TryAgain)))
	}
	b, one := meant(all, i)
	switch {
	case again:
		return resp.Ack(ctx)
	case len(all) == 0 && !i.Typed.Addressed:
		return resp.Ack(ctx) // People talk to each other.
	case len(all) == 0:
		return h.hint(ctx, i, "", note(w, w.Heard.Unbound), resp)
	case i.Typed.Withheld && one && b.changes(i):
		return h.takeBack(ctx, i, b, resp, func(gone bool) platform.Note {
			if gone {
				return note(w, w.Heard.Withheld+" "+wordsOfGone(w, b.r))
			}
			return note(w, w.Heard.Withheld)
		})
	case i.Typed.Withheld:
		return h.hint(ctx, i, all[0].r.ID, note(w, w.Heard.Withheld), resp)
	case !one:
		return h.hint(ctx, i, "", saySeveral(w, all), resp)
	}
	reading, doubt := typed.Read(i.Typed.Text, b.rule(i))
	if doubt != typed.Clear {
		if b.changes(i) {
			return h.takeBack(ctx, i, b, resp, func(gone bool) platform.Note { return sayDoubt(w, b.r, doubt, gone) })
		}
		return h.hint(ctx, i, b.r.ID, sayDoubt(w, b.r, doubt, false), resp)
	}
	return h.take(ctx, i, b, reading, resp)
}

// changes reports whether an edited message has answered the request before.
func (b bound) changes(i platform.Interaction) bool {
	return i.Typed.Edited && record.HoldsTyped(b.r, i.Message)
}

// takeBack retracts the answer of a message that no longer contains one, and replies.
func (h *Messages) takeBack(ctx context.Context, i platform.Interaction, b bound, resp platform.Responder, say func(gone bool) platform.Note) error {
	tight, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("store too slow for a message"))
	defer cancel()
	gone, err := h.retract(tight, i, b.r.ID)
	w := wordsFor(h.Handler.Language, i, b.r)
	switch {
	case err == nil:
		return resp.ReplyEphemeral(ctx, say(gone))
	case errors.Is(err, storage.ErrNotReplicated):
		return errors.Join(err, resp.ReplyEphemeral(ctx, say(gone)), resp.ReplyEphemeral(ctx, note(w, w.Note.Thin)))
	}
	return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.TryAgain)))
}

// rule returns how to parse a message for the request.
func (b bound) rule(i platform.Interaction) typed.Rule {
	return typed.Rule{
		Questions: b.r.Questions, Code: b.r.Code(), Languages: append(slices.Clone(b.r.Replies.Languages), b.r.Language),
		Free: b.r.Replies.Mode == ask.RepliesText, Strict: b.r.Strict(), Direct: i.Typed.To != "" && i.Typed.To == b.at.Message,
	}
}

// take judges the answer in a message and announces how it was understood.
func (h *Messages) take(ctx context.Context, i platform.Interaction, b bound, reading typed.Reading, resp platform.Responder) error {
	a, w := b.a, wordsFor(h.Handler.Language, i, b.r)
	a.By.Person = h.Handler.Lookup.withName(ctx, a.By.Person)
	a.Action = ask.Action{Kind: ask.SubmitAll, Question: -1, Option: -1, Picks: reading.Picks, Texts: reading.Texts, Revised: b.r.Revised}
	tight, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("store too slow for a message"))
	defer cancel()
	r, result, err := b.r, record.Decision{}, error(nil)
	life := againLife
	if r.Voting != nil {
		life = state.ThreadLife // A deletion contains only the message ID.
	}
	if err = h.Threads.Store.Put(tight, messageKey(i), r.ID, life); err == nil {
		r, result, err = h.Handler.Judge(tight, b.r.ID, a, true)
	}
	thin := errors.Is(err, storage.ErrNotReplicated)
	if err != nil && !thin {
		h.Handler.Log.Error("message not stored", "request_id", b.r.ID, "person", i.Person.Key(), "error", err)
		return errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.TryAgain)))
	}
	judged(resp, r, result.Verdict)
	h.Handler.Records.Publish(r)
	h.Handler.Log.Info("message judged", "request_id", r.ID, "person", i.Person.Key(), "verdict", result.Verdict)
	defer h.Handler.catchUp(r, platform.MessageRef{})
	switch result.Verdict {
	case record.Completed, record.Counted, record.Tentative:
		err = errors.Join(resp.Ack(ctx), announce(ctx, resp, sayTaken(words.In(r.Language), r, a.By.Person, reading)))
	case record.Repeated, record.Stale:
		err = resp.Ack(ctx)
	default:
		err = resp.ReplyEphemeral(ctx, sayDecision(h.Handler.Cards, w, r, a, result))
	}
	if thin {
		err = errors.Join(err, resp.ReplyEphemeral(ctx, note(w, w.Note.Thin)))
	}
	return err
}

func announce(ctx context.Context, resp platform.Responder, text string) error {
	if a, able := resp.(platform.Announcer); able {
		return a.Announce(ctx, text)
	}
	return nil
}

// bind returns the open requests that a message may answer: those whose card it replies
// to or shares a thread with, and that the person may answer.
func (h *Messages) bind(ctx context.Context, i platform.Interaction) ([]bound, error) {
	ids, err := h.Threads.Store.Of(ctx, threadOf(i))
	if err != nil {
		return nil, err
	}
	var all []bound
	for _, id := range ids {
		r, err := h.Deadlines.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		if !r.Open() || !r.Replies.On() {
			continue
		}
		for _, c := range r.Copies {
			if !h.canMean(c, i) || h.above(c, i) && !record.HoldsTyped(&r, i.Message) {
				continue
			}
			b := bound{r: &r, at: c.Ref, a: typedAct(i, c.Ref)}
			may, err := h.mayAnswer(ctx, i, &b)
			if err != nil {
				return nil, err
			}
			if may {
				all = append(all, b)
				break
			}
		}
	}
	return all, nil
}

// canMean reports whether a message is in a thread of a copy's card.
func (h *Messages) canMean(c record.Copy, i platform.Interaction) bool {
	for _, thread := range state.ThreadsOf(c, h.Handler.Platforms.Direct(c.Target)) {
		if thread == threadOf(i) {
			return true
		}
	}
	return false
}

// above reports whether a message is older than the card of a copy: it arrived late or
// was edited.
func (h *Messages) above(c record.Copy, i platform.Interaction) bool {
	p, able := h.Handler.Platforms.Named[c.Ref.Platform].(platform.MessageDater)
	if !able {
		return false
	}
	message, card := p.SentAt(i.Message.Message), p.SentAt(c.Ref.Message)
	return !message.IsZero() && message.Before(card)
}

// mayAnswer reports whether the person may answer on that card, with look-ups on the
// platform if they decide.
func (h *Messages) mayAnswer(ctx context.Context, i platform.Interaction, b *bound) (bool, error) {
	if b.r.MayAnswer(b.a) {
		return true, nil
	}
	if !h.Handler.Lookup.undecided(b.r, b.a) {
		return false, nil
	}
	a, err := h.Handler.Lookup.lookUp(ctx, b.r, i, b.a)
	if err != nil && !errors.Is(err, errUnknownPerson) {
		return false, err
	}
	b.a = a
	return b.r.MayAnswer(a), nil
}

// typedAct converts a typed message to an act on a card.
func typedAct(i platform.Interaction, card platform.MessageRef) record.Act {
	a, _ := actOf(i)
	a.Message, a.Said, a.SaidAt = card, i.Message, i.Typed.At
	return a
}

// meant returns the request that a message answers: the one it has answered before, the
// one whose code it begins with, or the only one.
func meant(all []bound, i platform.Interaction) (bound, bool) {
	codes := make([]string, len(all))
	for n, b := range all {
		if codes[n] = b.r.Code(); b.changes(i) {
			return b, true
		}
	}
	code, _ := typed.CutCode(i.Typed.Text, codes...)
	var found []bound
	for _, b := range all {
		if code == "" || b.r.Code() == code {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		return bound{}, false
	}
	return found[0], true
}

// againLife is how long to remember which request a message has answered. Slack
// redelivers for at most a day (https://docs.slack.dev/apis/events-api/#error-handling).
const againLife = 25 * time.Hour

// messageKey returns the key of a message in the thread index.
func messageKey(i platform.Interaction) string {
	return state.Thread(i.Message)
}

// before reports whether a message was processed before, such as a mention delivered as
// a message too, or is an older version of an edited or deleted message; and whether it
// was edited after its request ended. Such a message answers no newer request.
func (h *Messages) before(ctx context.Context, i platform.Interaction) (again, over bool, err error) {
	ids, err := h.Threads.Store.Of(ctx, messageKey(i))
	if err != nil {
		return false, false, err
	}
	for _, id := range ids {
		r, err := h.Handler.Records.Store.Load(ctx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return false, false, err
		case record.HasApplied(&r, i.ID), !i.Typed.Edited && record.HoldsTyped(&r, i.Message):
			again = true
		case !r.Open() && i.Typed.Edited:
			over = true
		}
	}
	if !again {
		again, err = h.changedSince(ctx, i)
	}
	return again, over, err
}

// changesKey returns the key under which edits of a message are noted.
func changesKey(i platform.Interaction) string { return messageKey(i) + " changes" }

// noteChange notes an edit or deletion, because older versions can still arrive:
// platforms redeliver out of order.
func (h *Messages) noteChange(ctx context.Context, i platform.Interaction) error {
	return h.Threads.Store.Put(ctx, changesKey(i), strconv.FormatInt(i.Order, 10), againLife)
}

// changedSince reports whether a message was edited or deleted after this version.
func (h *Messages) changedSince(ctx context.Context, i platform.Interaction) (bool, error) {
	changes, err := h.Threads.Store.Of(ctx, changesKey(i))
	return slices.ContainsFunc(changes, func(noted string) bool {
		order, err := strconv.ParseInt(noted, 10, 64)
		return err == nil && order > i.Order
	}), err
}

// deleted retracts the answer of a deleted message.
func (h *Messages) deleted(ctx context.Context, i platform.Interaction) error {
	near, err := h.Threads.Store.Of(ctx, threadOf(i))
	if len(near) > 0 {
		err = h.noteChange(ctx, i)
	}
	ids, failed := h.Threads.Store.Of(ctx, messageKey(i))
	err = errors.Join(err, failed)
	for _, id := range ids {
		_, failed := h.retract(ctx, i, id)
		err = errors.Join(err, failed)
	}
	return err
}

// takeBackLater retries deleted, because a person cannot delete a message twice.
func (h *Messages) takeBackLater(i platform.Interaction) {
	var err error
	if !h.Handler.Background.Retry(func(ctx context.Context) bool {
		err = h.deleted(ctx, i)
		return err == nil
	}) {
		h.Handler.Log.Error("typed answer not taken back", "platform", i.Message.Platform, "channel", i.Message.Channel, "error", err)
	}
}

// retract retracts the answer of a message and reports whether there was one.
func (h *Messages) retract(ctx context.Context, i platform.Interaction, id string) (gone bool, err error) {
	for {
		var result record.Decision
		r, err := h.Handler.Records.Swap(ctx, id, func(r *record.Record, now time.Time) (err error) {
			result, err = r.RetractTyped(i.Message, i.ID, i.Order, now)
			return err
		})
		switch {
		case errors.Is(err, storage.ErrUnchanged), errors.Is(err, storage.ErrNotFound):
			return gone, nil
		case err != nil && !errors.Is(err, storage.ErrNotReplicated):
			return gone, err
		}
		gone = gone || result.Verdict == record.Early || result.Verdict == record.Counted || result.Verdict == record.Undone
		h.Handler.Log.Info("typed answer taken back", "request_id", id, "verdict", result.Verdict)
		h.Handler.Publish(r)
		if result.Verdict != record.Early {
			return gone, err
		}
	}
}

// hintPause is the minimum time between two hints to a person who does not address the
// bot.
const hintPause = 5 * time.Minute

// Hints remembers recent hints.
type Hints struct{ sent *lru.Cache[string, time.Time] }

// NewHints returns empty hints.
func NewHints() *Hints {
	sent, _ := lru.New[string, time.Time](4096) // Only a size below one fails.
	return &Hints{sent}
}

// hint explains privately why a message did not count. A person who
// addresses the bot gets every hint, others one per [hintPause].
func (h *Messages) hint(ctx context.Context, i platform.Interaction, request string, n platform.Note, resp platform.Responder) error {
	if twice, _ := h.Hints.sent.ContainsOrAdd(i.ID, time.Now()); twice {
		return resp.Ack(ctx) // A mention is also delivered as a message.
	}
	key := i.Person.Key() + " " + threadOf(i) + " " + request
	last, sent := h.Hints.sent.Get(key)
	if sent && !i.Typed.Addressed && time.Since(last) < hintPause {
		return resp.Ack(ctx)
	}
	h.Hints.sent.Add(key, time.Now())
	n.Hint = true
	return resp.ReplyEphemeral(ctx, n)
}

// threadOf returns the key of a message's thread, see [state.ThreadsOf].
func threadOf(i platform.Interaction) string {
	at := i.Message
	at.Platform, at.Message = cmp.Or(at.Platform, i.Person.Platform), i.Typed.To
	return state.Thread(at)
}
