package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/rawjson"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

const (
	// answerTime is how long an interaction waits for its first answer
	// (https://docs.discord.com/developers/interactions/receiving-and-responding).
	answerTime = 3 * time.Second
	// tellTime bounds telling somebody something after that.
	tellTime = 12 * time.Second
	// tellTries is how often that is tried.
	tellTries = 3
	// travelTime is how long an answer that was written to Discord's own request
	// may take to count there: what is said through the webhook before that is
	// refused.
	travelTime = 300 * time.Millisecond
	// deferTime is how long a handler has whose answer goes through the API, which
	// takes a while and may have to be tried twice.
	deferTime = 1750 * time.Millisecond
	// sureTime is how old an interaction may be when its answer is written to
	// Discord's own request, for the answer to have come in time.
	sureTime = answerTime - 500*time.Millisecond
)

var (
	errTellTime   = errors.New("discord: the person could not be told in time")
	errAnswerTime = errors.New("discord: the interaction is too old to be answered")
	errOverdue    = errors.New("discord: acknowledged already, so there is no reply to draw in")
	errDoubtful   = errors.New("discord: the reply may have come too late to be drawn")
	// errTaken means that the interaction cannot be acknowledged any more, as
	// when another bridge on the same shard has done it.
	errTaken = errors.New("discord: the interaction is acknowledged or over")
)

// The ways to answer first; see
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type.
const (
	replyPong    = 1
	replyMessage = 4
	replyPromise = 5 // a message that comes later
	replyLater   = 6
	replyRedraw  = 7
	replyForm    = 9
)

// answer is the first answer to an interaction.
type answer struct {
	Type int
	Data body
}

func (a answer) write(o *rawjson.Object) {
	o.Number("type", int64(a.Type))
	if a.Data != nil {
		o.Name("data")
		o.Open()
		a.Data.write(o)
		o.Shut()
	}
}

// form is the data of an answer that opens one. discordgo's own has members that
// only messages have.
type form dgo.InteractionResponseData

func (f form) write(o *rawjson.Object) {
	o.Text("custom_id", f.CustomID)
	o.Text("title", f.Title)
	o.Any("components", f.Components)
}

// replier sends the first answer. It returns when Discord has it, as far as that
// can be known, and errTaken when Discord wants none any more.
type replier func(ctx context.Context, a answer) error

// responder answers one interaction.
type responder struct {
	c        *Connector
	p        *payload
	token    render.Token
	received time.Time
	reply    replier
	// travel is how long the first answer is on its way after reply returned.
	travel time.Duration

	mu sync.Mutex
	// given is closed when the first answer has been sent; nil while nobody gives
	// one. It counts from then on, or a little later.
	given  chan struct{}
	counts time.Time
	// promised says that the first answer promised a message that has not come;
	// deferred, that it promised the card; silent, that somebody else answers.
	promised, deferred, silent bool
}

var _ connector.Responder = (*responder)(nil)

// Ack says "received". On a form it closes the form.
func (r *responder) Ack(ctx context.Context) error {
	first, err := r.acknowledge(ctx, r.quiet())
	if first {
		return err
	}
	return r.settle(ctx)
}

// Redraw acknowledges with the new card, or draws it where Late has promised to.
// It fails when the card was not drawn, since the person has been answered
// already, and when nobody can tell, since the answer may have been too late. A
// clock that is ahead doubts in vain.
func (r *responder) Redraw(ctx context.Context, card render.Card) error {
	if r.p.ref() == (bridge.MessageRef{}) {
		return errors.Join(errOverdue, r.Ack(ctx))
	}
	body := newMessage(card)
	first, err := r.acknowledge(ctx, answer{Type: replyRedraw, Data: body})
	if first && err == nil && r.travel > 0 && time.Since(made(r.p.ID)) > sureTime {
		// This process may have slept with the request before it.
		return errDoubtful
	}
	if first {
		return err
	}
	r.mu.Lock()
	deferred := r.deferred
	r.mu.Unlock()
	if deferred {
		return r.later(ctx, func(ctx context.Context) error { return r.original(ctx, body) })
	}
	return errors.Join(errOverdue, r.settle(ctx))
}

// OpenForm opens a form, which only the first answer can.
func (r *responder) OpenForm(ctx context.Context, f render.Form) error {
	if r.submitted() {
		// A form cannot follow a form.
		return r.ReplyEphemeral(ctx, r.note(r.words().NotOpened))
	}
	// Telephones show what a form with the same id held the first time
	// (https://github.com/discord/discord-api-docs/issues/7554), so no two have one.
	first, err := r.acknowledge(ctx, answer{Type: replyForm, Data: form(components.Modal(f, r.p.ID))})
	switch {
	case first && err == nil:
		return nil
	case !first:
		err = errOverdue
	}
	return errors.Join(err, r.tell(ctx, notes(r.note(r.words().NotOpened))))
}

// ReplyEphemeral tells this person alone. A submitted form is closed by any answer, so
// what is wrong with it stands in the note.
func (r *responder) ReplyEphemeral(ctx context.Context, n bridge.Note) error {
	words := notes(n)
	if len(words) == 0 {
		return r.Ack(ctx)
	}
	first, err := r.acknowledge(ctx, answer{Type: replyMessage, Data: words[0]})
	if !first {
		return r.tell(ctx, words)
	}
	if err != nil {
		return err
	}
	return r.tell(ctx, words[1:])
}

// Finish acknowledges a handler that did not, and keeps what Late promised.
func (r *responder) Finish(ctx context.Context) error {
	first, err := r.acknowledge(ctx, r.quiet())
	if first {
		return err
	}
	return r.settle(ctx)
}

// Late answers because the handler has not, and reports whether it had to. A
// form would vanish without a word, which would look like success, so the person
// is promised one.
func (r *responder) Late(ctx context.Context) bool {
	a := r.quiet()
	if r.submitted() {
		a = answer{Type: replyPromise, Data: only{"flags", ephemeral}}
	}
	if !r.claim(r.submitted()) {
		return false
	}
	err := r.deliver(ctx, a) // Nobody is left to be told of a failure.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deferred = err == nil && a.Type == replyLater
	return true
}

func (r *responder) submitted() bool { return r.p.Type == typeModal }

// quiet is the answer that shows nothing. A form that came from no message has
// nothing to leave as it is.
func (r *responder) quiet() answer {
	if r.submitted() && r.p.Message.ID == "" {
		return saying(r.note(r.words().Arrived))
	}
	return answer{Type: replyLater}
}

// saying is the answer that tells the person something.
func saying(n bridge.Note) answer { return answer{Type: replyMessage, Data: notes(n)[0]} }

// words are what the connector itself tells the person.
func (r *responder) words() words.Reply { return words.In(r.c.languageOf(r.p)).Reply }

func (r *responder) note(text string) bridge.Note {
	return bridge.Note{Text: text, Language: r.c.languageOf(r.p)}
}

// languageOf is what the person is told in who acted.
func (c *Connector) languageOf(p *payload) string {
	return cmp.Or(words.Known(p.Locale), c.cfg.Language)
}

// busy tells that nothing was done.
func (c *Connector) busy(p *payload) answer { return saying(busyNote(c.languageOf(p))) }

func busyNote(language string) bridge.Note {
	return bridge.Note{Text: words.In(language).Reply.Busy, Language: language}
}

// settle keeps the promise of a word when there is nothing more to say.
func (r *responder) settle(ctx context.Context) error {
	r.mu.Lock()
	promised := r.promised
	r.mu.Unlock()
	if !promised {
		return nil
	}
	return r.tell(ctx, notes(r.note(r.words().Arrived)))
}

// acknowledge sends the first answer if nobody has yet, and reports whether it
// was the one to do so.
func (r *responder) acknowledge(ctx context.Context, a answer) (bool, error) {
	if !r.claim(false) {
		return false, nil
	}
	return true, r.deliver(ctx, a)
}

// claim makes the caller the one who answers first, unless somebody has.
func (r *responder) claim(promised bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.given != nil {
		return false
	}
	r.given, r.promised = make(chan struct{}), promised
	return true
}

// deliver sends the first answer. If Discord does not take it, the person gets
// another one rather than a warning; the error still says what went wrong.
func (r *responder) deliver(ctx context.Context, a answer) error {
	left := max(answerTime-time.Since(r.received), connector.AckTime)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), left, errAnswerTime)
	defer cancel()
	err := r.reply(ctx, a)
	instead, lost := err, false
	switch e, no := errors.AsType[*refusal](err); {
	case !no || errors.Is(err, errTaken) || e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests:
	case e.code == unknownMessage:
		instead, lost = r.reply(ctx, saying(r.note(r.words().ArrivedDeleted))), true
	default:
		instead = r.reply(ctx, r.quiet())
	}
	r.mu.Lock()
	r.counts, r.silent = time.Now().Add(r.travel), errors.Is(err, errTaken)
	r.promised = r.promised && err == nil
	close(r.given)
	r.mu.Unlock()
	if lost && numberOf(instead) == alreadyAnswered {
		// It counts as answered after all, and the person does not know.
		err = errors.Join(err, r.tell(ctx, notes(r.note(r.words().ArrivedDeleted))))
	}
	if errors.Is(err, errTaken) {
		if a.Type != replyRedraw || numberOf(err) == alreadyAnswered {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("discord: acknowledge: %w", err)
	}
	return nil
}

// tell says something to the person alone, after the first answer.
func (r *responder) tell(ctx context.Context, words []outgoing) error {
	if len(words) == 0 {
		return nil
	}
	return r.later(ctx, func(ctx context.Context) error {
		r.mu.Lock()
		promised := r.promised
		r.promised = false
		r.mu.Unlock()
		if promised {
			if err := r.original(ctx, words[0]); err != nil {
				return err
			}
			words = words[1:]
		}
		for _, m := range words {
			if err := r.followUp(ctx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// later does something once the first answer counts, unless somebody else
// answers.
func (r *responder) later(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	connector.Wait(ctx, r.given, tellTime)
	r.mu.Lock()
	silent, counts := r.silent, r.counts
	r.mu.Unlock()
	if silent {
		return nil
	}
	_ = wait.For(ctx, time.Until(counts))
	return do(ctx)
}

// hook is the interaction's own address, good for fifteen minutes
// (https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages).
func (r *responder) hook() string { return "webhooks/" + r.p.Application + "/" + r.p.Token }

// followUp sends one more message. Where nobody knows what came of it, it is sent again: who
// reads twice that an answer is saved is better off than who reads only that it is not.
func (r *responder) followUp(ctx context.Context, m outgoing) error {
	return r.insist(ctx, call{op: opFollowUp}, route{method: http.MethodPost, path: r.hook(), body: m})
}

// original puts what was promised in its place: the card that was used, or the
// private message.
func (r *responder) original(ctx context.Context, m outgoing) error {
	m.Flags = 0 // A message has them already; a promise takes those of components.
	if r.submitted() {
		m.Flags = components.Flags
	}
	return r.insist(ctx, call{op: opOriginal}, route{method: http.MethodPatch, path: r.hook() + "/messages/@original", body: m})
}

// insist makes a call that nobody else would try again, so what Discord did not
// do is tried again here.
func (r *responder) insist(ctx context.Context, k call, to route) error {
	for try := 1; ; try++ {
		e := r.c.attempt(ctx, k, to, nil)
		switch {
		case e == nil:
			return nil
		case try == tellTries, !fits(ctx, e.RetryAfter):
			return e
		case e.Kind != bridge.Transient && e.Kind != bridge.RateLimited && numberOf(e) != unknownWebhook:
			return e
		}
		_ = wait.For(ctx, max(e.RetryAfter, connector.Backoff(try-1, pauseMost)))
	}
}

// fits tells whether a wait ends before the context does.
func fits(ctx context.Context, d time.Duration) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(end) > d)
}

// callback sends the first answer through the API, for interactions that came
// over the gateway. Its own limits are apart from all others, so it does not ask
// the gate.
func (c *Connector) callback(p *payload) replier {
	k := call{op: opCallback, once: true}
	path := "interactions/" + p.ID + "/" + p.Token + "/callback"
	return func(ctx context.Context, a answer) error {
		for try := 1; ; try++ {
			e := c.answerOnce(ctx, k, route{method: http.MethodPost, path: path, body: a})
			if e == nil {
				return nil
			}
			switch n := numberOf(e); {
			case n == alreadyAnswered && try > 1:
				return nil // Our own first try got through after all.
			case n == alreadyAnswered, n == unknownInteraction:
				c.log.Info("interaction was answered elsewhere or is over", "code", e.Code)
				return fmt.Errorf("%w: %w", errTaken, e)
			case try > 1, e.Kind != bridge.Ambiguous && e.Kind != bridge.Transient && e.Kind != bridge.RateLimited, !fits(ctx, e.RetryAfter):
				return e
			}
			_ = wait.For(ctx, e.RetryAfter)
		}
	}
}

// answerOnce makes one try and leaves time for another.
func (c *Connector) answerOnce(ctx context.Context, k call, r route) *bridge.PlatformError {
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(end)/2, errCallTimeout)
		defer cancel()
	}
	return c.attempt(ctx, k, r, nil)
}

// notes is a note as private messages, none for an empty one.
func notes(n bridge.Note) []outgoing {
	text := n.Text
	if text == "" {
		lines := []string{}
		for _, q := range sortedKeys(n.Fields) {
			lines = append(lines, n.Fields[q])
		}
		text = strings.Join(lines, "\n")
	}
	if text == "" && n.Who.IsZero() {
		return nil
	}
	var words []outgoing
	for _, chunk := range components.Note(text, n.Who, n.Language) {
		words = append(words, outgoing{Components: chunk, Flags: components.Flags | ephemeral})
	}
	return words
}
