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

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

const (
	// answerTime is the deadline of the first response
	// (https://docs.discord.com/developers/interactions/receiving-and-responding).
	answerTime = 3 * time.Second
	// tellTime limits all attempts to show a person a note after that.
	tellTime = 12 * time.Second
	// tellTries is the number of such attempts.
	tellTries = 3
	// travelTime is the time until a response written to Discord's own request takes effect:
	// webhook calls before that are rejected.
	travelTime = 300 * time.Millisecond
	// deferTime is the time a handler has if its response goes through the API, which is slow
	// and may need a second attempt.
	deferTime = 1750 * time.Millisecond
	// sureTime is the age of an interaction up to which a response written to Discord's own
	// request is certainly in time.
	sureTime = answerTime - 500*time.Millisecond
)

var (
	errTellTime   = errors.New("discord: no time left to notify the person")
	errAnswerTime = errors.New("discord: the interaction is too old to be answered")
	errOverdue    = errors.New("discord: acknowledged already, so there is no reply to draw in")
	errDoubtful   = errors.New("discord: the reply may have come too late to be drawn")
	// errTaken means that the interaction can no longer be acknowledged, for example because
	// another bridge on the same shard did.
	errTaken = errors.New("discord: the interaction is acknowledged or over")
)

// The types of first responses; see
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type.
const (
	replyPong    = 1
	replyMessage = 4
	replyPromise = 5 // a deferred message
	replyLater   = 6
	replyRedraw  = 7
	replyForm    = 9
)

// answer is the first response to an interaction.
type answer struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// form is the data of a response that opens one. discordgo's type has members that only
// messages allow.
type form struct {
	CustomID   string                 `json:"custom_id"`
	Title      string                 `json:"title"`
	Components []dgo.MessageComponent `json:"components"`
}

// replier sends the first response. It returns when Discord has received it, as far as that is
// known, and errTaken if Discord no longer accepts one.
type replier func(ctx context.Context, a answer) error

// responder responds to one interaction.
type responder struct {
	c        *Connector
	p        *payload
	token    render.Token
	received time.Time
	reply    replier
	// travel is the latency of the first response after reply returned.
	travel time.Duration

	mu sync.Mutex
	// given is closed when the first response was sent; nil before one is being sent. It takes
	// effect then or slightly later.
	given  chan struct{}
	counts time.Time
	// promised means that the first response deferred a message that is still due; deferred,
	// that it deferred the card; silent, that another bridge responds.
	promised, deferred, silent bool
}

var (
	_ connector.Responder     = (*responder)(nil)
	_ platform.InboxResponder = (*responder)(nil)
)

// Ack acknowledges the interaction. A submitted form closes.
func (r *responder) Ack(ctx context.Context) error {
	first, err := r.acknowledge(ctx, r.quiet())
	if first {
		return err
	}
	return r.settle(ctx)
}

// Redraw acknowledges with the new card, or edits the card that Late deferred. It fails if the
// card was not drawn, since the interaction already has a response, and if the result is
// unknown because the response may have been late. A fast clock causes false alarms.
func (r *responder) Redraw(ctx context.Context, card render.Card) error {
	if r.p.ref() == (platform.MessageRef{}) {
		return errors.Join(errOverdue, r.Ack(ctx))
	}
	body := newMessage(card)
	first, err := r.acknowledge(ctx, answer{Type: replyRedraw, Data: body})
	if first && err == nil && r.travel > 0 && time.Since(made(r.p.ID)) > sureTime {
		// The process may have been suspended before the response.
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

// OpenForm opens a form, which only the first response can.
func (r *responder) OpenForm(ctx context.Context, f render.Form) error {
	if r.submitted() {
		// A form cannot open a form.
		return r.ReplyEphemeral(ctx, r.note(r.words().NotOpened))
	}
	// Mobile clients restore the content of an earlier form with the same id
	// (https://github.com/discord/discord-api-docs/issues/7554), so each form has a unique one.
	modal := components.Modal(f, r.p.ID)
	first, err := r.acknowledge(ctx, answer{Type: replyForm, Data: form{modal.CustomID, modal.Title, modal.Components}})
	switch {
	case first && err == nil:
		return nil
	case !first:
		err = errOverdue
	}
	return errors.Join(err, r.sendNote(ctx, notes(r.note(r.words().NotOpened))))
}

// ReplyEphemeral shows a note to this person only, in place of the ephemeral message whose control
// was used. Any response closes a submitted form, so the note contains its errors.
func (r *responder) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	words := notes(n)
	if len(words) == 0 {
		return r.Ack(ctx)
	}
	reply := answer{Type: replyMessage, Data: words[0]}
	if r.p.private() {
		reply = answer{Type: replyRedraw, Data: outgoing{Components: words[0].Components, Flags: components.Flags}}
	}
	first, err := r.acknowledge(ctx, reply)
	if !first {
		return r.sendNote(ctx, words)
	}
	if err != nil {
		return err
	}
	return r.sendNote(ctx, words[1:])
}

// Finish acknowledges if the handler did not, and completes what Late deferred.
func (r *responder) Finish(ctx context.Context) error {
	first, err := r.acknowledge(ctx, r.quiet())
	if first {
		return err
	}
	return r.settle(ctx)
}

// Late responds if the handler has not yet, and reports whether it did. A form that closes
// silently would look like success, so the response to one is a deferred message.
func (r *responder) Late(ctx context.Context) bool {
	a := r.quiet()
	if r.submitted() {
		a = answer{Type: replyPromise, Data: map[string]int{"flags": ephemeral}}
	}
	if !r.claim(r.submitted() || r.p.Type == typeCommand) {
		return false
	}
	err := r.deliver(ctx, a) // There is no caller to report an error to.
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deferred = err == nil && a.Type == replyLater
	return true
}

func (r *responder) submitted() bool { return r.p.Type == typeModal }

// quiet returns the response without visible effect. A form that came from no message cannot
// use a deferred update.
func (r *responder) quiet() answer {
	if r.p.Type == typeCommand {
		return answer{Type: replyPromise, Data: map[string]int{"flags": ephemeral}}
	}
	if r.submitted() && r.p.Message.ID == "" {
		return saying(r.note(r.words().Arrived))
	}
	return answer{Type: replyLater}
}

// saying returns the response that shows the person a note.
func saying(n platform.Note) answer { return answer{Type: replyMessage, Data: notes(n)[0]} }

// words returns the connector's messages in the person's language.
func (r *responder) words() words.Reply { return words.In(r.c.languageOf(r.p)).Reply }

func (r *responder) note(text string) platform.Note {
	return platform.Note{Text: text, Language: r.c.languageOf(r.p)}
}

// languageOf returns the language of the acting person.
func (c *Connector) languageOf(p *payload) string {
	return cmp.Or(words.Known(p.Locale), c.cfg.Language)
}

// busy returns the response that the bridge is busy.
func (c *Connector) busy(p *payload) answer { return saying(busyNote(c.languageOf(p))) }

func busyNote(language string) platform.Note {
	return platform.Note{Text: words.In(language).Reply.Busy, Language: language}
}

// settle completes a deferred message if nothing else will.
func (r *responder) settle(ctx context.Context) error {
	r.mu.Lock()
	promised := r.promised
	r.mu.Unlock()
	if !promised {
		return nil
	}
	return r.sendNote(ctx, notes(r.note(r.words().Arrived)))
}

// acknowledge sends the first response unless it was already sent, and reports whether it did.
func (r *responder) acknowledge(ctx context.Context, a answer) (bool, error) {
	if !r.claim(false) {
		return false, nil
	}
	return true, r.deliver(ctx, a)
}

// claim reserves the first response for the caller, unless it is already taken.
func (r *responder) claim(promised bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.given != nil {
		return false
	}
	r.given, r.promised = make(chan struct{}), promised
	return true
}

// deliver sends the first response. If Discord rejects it, deliver sends the person another one
// instead of Discord's warning, and still returns the error.
func (r *responder) deliver(ctx context.Context, a answer) error {
	left := max(answerTime-time.Since(r.received), connector.AckTime)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), left, errAnswerTime)
	defer cancel()
	err := r.reply(ctx, a)
	instead, lost := err, false
	switch e, no := errors.AsType[*refusal](err); {
	case !no || errors.Is(err, errTaken) || e.status >= http.StatusInternalServerError || e.status == http.StatusTooManyRequests:
	case e.code != unknownMessage:
		instead = r.reply(ctx, r.quiet())
	case r.p.private(), r.p.inInbox(): // The person closed the ephemeral message meanwhile.
		m, _ := a.Data.(outgoing)
		m.Flags |= ephemeral
		err = r.reply(ctx, answer{Type: replyMessage, Data: m})
		instead = err
	default:
		instead, lost = r.reply(ctx, saying(r.note(r.words().ArrivedDeleted))), true
	}
	r.mu.Lock()
	r.counts, r.silent = time.Now().Add(r.travel), errors.Is(err, errTaken)
	r.promised = r.promised && err == nil
	close(r.given)
	r.mu.Unlock()
	if lost && numberOf(instead) == alreadyAnswered {
		// It took effect after all, and the person does not know.
		err = errors.Join(err, r.sendNote(ctx, notes(r.note(r.words().ArrivedDeleted))))
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

// sendNote shows notes to this person only, after the first response.
func (r *responder) sendNote(ctx context.Context, words []outgoing) error {
	if len(words) == 0 {
		return nil
	}
	return r.later(ctx, func(ctx context.Context) error {
		r.mu.Lock()
		replaces := r.promised || r.deferred && r.p.private()
		r.promised, r.deferred = false, false
		r.mu.Unlock()
		if replaces {
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

// later runs a function once the first response has taken effect, unless another bridge
// responds.
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

// hook is the interaction's webhook, which works for fifteen minutes
// (https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages).
func (r *responder) hook() string { return "webhooks/" + r.p.Application + "/" + r.p.Token }

// followUp sends another message. If its result is unknown it is sent again: a duplicate
// confirmation is better than none.
func (r *responder) followUp(ctx context.Context, m outgoing) error {
	return r.insist(ctx, call{op: opFollowUp}, route{method: http.MethodPost, path: r.hook(), body: m})
}

// original replaces the deferred response: the card that was used, or the ephemeral message.
func (r *responder) original(ctx context.Context, m outgoing) error {
	m.Flags = 0 // A message keeps its flags; a deferred one gets the components flag.
	if r.submitted() {
		m.Flags = components.Flags
	}
	return r.insist(ctx, call{op: opOriginal}, route{method: http.MethodPatch, path: r.hook() + "/messages/@original", body: m})
}

// insist makes a call with retries, for callers that do not retry.
func (r *responder) insist(ctx context.Context, k call, to route) error {
	for try := 1; ; try++ {
		e := r.c.api.attempt(ctx, k, to, nil)
		switch {
		case e == nil:
			return nil
		case try == tellTries, !fits(ctx, e.RetryAfter):
			return e
		case e.Kind != platform.Transient && e.Kind != platform.RateLimited && numberOf(e) != unknownWebhook:
			return e
		}
		_ = wait.For(ctx, max(e.RetryAfter, connector.Backoff(try-1, pauseMost)))
	}
}

// fits reports whether a wait ends before the context does.
func fits(ctx context.Context, d time.Duration) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(end) > d)
}

// callback sends the first response through the API, for interactions received over the
// gateway. Its limits are separate, so it bypasses the limiter.
func (a *restAPI) callback(p *payload) replier {
	k := call{op: opCallback, once: true}
	path := "interactions/" + p.ID + "/" + p.Token + "/callback"
	return func(ctx context.Context, reply answer) error {
		for try := 1; ; try++ {
			e := a.answerOnce(ctx, k, route{method: http.MethodPost, path: path, body: reply})
			if e == nil {
				return nil
			}
			switch n := numberOf(e); {
			case n == alreadyAnswered && try > 1:
				return nil // The first attempt succeeded after all.
			case n == alreadyAnswered, n == unknownInteraction:
				a.log.Info("interaction was answered elsewhere or is over", "code", e.Code)
				return fmt.Errorf("%w: %w", errTaken, e)
			case try > 1, e.Kind != platform.Ambiguous && e.Kind != platform.Transient && e.Kind != platform.RateLimited, !fits(ctx, e.RetryAfter):
				return e
			}
			_ = wait.For(ctx, e.RetryAfter)
		}
	}
}

// answerOnce makes one attempt and leaves time for another.
func (a *restAPI) answerOnce(ctx context.Context, k call, r route) *platform.Error {
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Until(end)/2, errCallTimeout)
		defer cancel()
	}
	return a.attempt(ctx, k, r, nil)
}

// notes returns a note as ephemeral messages; none if it is empty.
func notes(n platform.Note) []outgoing {
	if n.Card != nil {
		return []outgoing{{Components: components.Message(*n.Card), Flags: components.Flags | ephemeral}}
	}
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
