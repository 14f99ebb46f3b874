package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
)

const (
	// triggerLife is the lifetime of a trigger_id
	// (https://docs.slack.dev/interactivity/handling-user-interaction).
	triggerLife = 3 * time.Second
	// tellTime limits all attempts to show a person a note.
	tellTime = 12 * time.Second
	// maxComplaint keeps a response to a form far below the 20 kB that Socket Mode drops
	// silently (https://github.com/slack-go/slack/blob/v0.35.0/socketmode/socketmode.go).
	maxComplaint = 300
	maxNote      = 2000
)

var (
	errTriggerLife = errors.New("slack: the click is too old to open a form")
	errTellTime    = errors.New("slack: no time left to notify the person")
)

// replier sends the acknowledgement; body is nil for an empty one. It returns when Slack has
// received it, as far as that is known.
type replier func(ctx context.Context, body any) error

// responder responds to one interaction.
type responder struct {
	in       *workspace
	p        *payload
	token    render.Token
	received time.Time
	reply    replier

	mu    sync.Mutex
	acked bool
	// open means that the form is still open because it was answered with an error; overdue
	// means that the error was our own timeout.
	open, overdue bool
}

var (
	_ connector.Responder     = (*responder)(nil)
	_ platform.InboxResponder = (*responder)(nil)
)

// Ack acknowledges the interaction. A submitted form closes.
func (r *responder) Ack(ctx context.Context) error {
	first, err := r.acknowledge(ctx, nil)
	r.mu.Lock()
	overdue := r.overdue
	r.overdue = false
	r.mu.Unlock()
	if !first && overdue {
		return r.sendNote(ctx, r.note(r.words().ArrivedClose))
	}
	return err
}

// Redraw is Ack: Slack accepts no card as the response, as [render.Limits] specifies.
func (r *responder) Redraw(ctx context.Context, _ render.Card) error { return r.Ack(ctx) }

// OpenForm opens a form. It acknowledges first, since that is cheap and views.open can be slow.
func (r *responder) OpenForm(ctx context.Context, f render.Form) error {
	form := blockkit.Modal(f)
	if r.p.inInbox() {
		form.PrivateMetadata = stampedInInbox(form.PrivateMetadata, r.p.pressed(), r.p.ResponseURL)
	} else {
		form.PrivateMetadata = stamped(form.PrivateMetadata, r.p.origin(), r.p.pressed())
	}
	if r.submitted() {
		_, err := r.acknowledge(ctx, slackapi.NewUpdateViewSubmissionResponse(&form))
		return err
	}
	acked := r.Ack(ctx)
	opening, cancel := context.WithDeadlineCause(context.WithoutCancel(ctx), r.received.Add(triggerLife), errTriggerLife)
	defer cancel()
	err := r.in.api.do(opening, call{op: "views.open"}, func(ctx context.Context) error {
		_, err := r.in.api.sdk().OpenViewContext(ctx, r.p.TriggerID, form)
		return err
	})
	switch {
	case err != nil:
		err = errors.Join(err, r.sendNote(ctx, r.note(r.words().NotOpened)))
	case r.p.private() && !r.p.inInbox():
		err = r.removePrivate(ctx)
	}
	return errors.Join(acked, err)
}

// removePrivate deletes the ephemeral message whose button opened a form: once that is submitted Slack
// sends no way to edit the message.
func (r *responder) removePrivate(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	return r.in.api.replyTo(ctx, r.p.ResponseURL, map[string]bool{"delete_original": true})
}

// ReplyEphemeral shows a note to this person only.
func (r *responder) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	if r.submitted() {
		if first, err := r.acknowledge(ctx, r.complaint(n)); first {
			return err
		}
		return r.sendNote(ctx, n)
	}
	acked := r.Ack(ctx)
	return errors.Join(acked, r.sendNote(ctx, n))
}

// wording returns a note followed by the people it names; none if it is empty. Naming them does
// not notify them, since only one person sees it.
func (d *directory) wording(n platform.Note) []render.Span {
	text := n.Text
	if text == "" {
		lines := []string{}
		for _, q := range sortedKeys(n.Fields) {
			lines = append(lines, n.Fields[q])
		}
		text = strings.Join(lines, "\n")
	}
	var spans []render.Span
	if text = render.Cut(render.Clean(text), maxNote, nil); text != "" {
		spans = append(spans, render.Span{Text: text})
	}
	who := d.named(render.Who(n.Who, blockkit.Limits(), n.Language))
	if len(spans) > 0 && len(who) > 0 {
		spans = append(spans, render.Span{Text: " "})
	}
	return append(spans, who...)
}

// complaint returns a note as the response to a form: next to its inputs, or replacing it.
func (r *responder) complaint(n platform.Note) any {
	inputs := r.p.View.State.inputs(r.token.Request)
	errs := map[string]string{}
	for _, q := range sortedKeys(n.Fields) {
		if block, ok := inputs[q]; ok {
			errs[block] = render.Cut(n.Fields[q], maxComplaint, nil)
		}
	}
	if len(errs) > 0 {
		return slackapi.NewErrorsViewSubmissionResponse(errs)
	}
	note := noteView(n.Language, r.in.directory.wording(n))
	return slackapi.NewUpdateViewSubmissionResponse(&note)
}

// Finish acknowledges if the handler did not.
func (r *responder) Finish(ctx context.Context) error {
	_, err := r.acknowledge(ctx, nil)
	return err
}

// Late acknowledges if the handler has not yet, and reports whether it did. A form stays open
// with its content: closing it would look like success.
func (r *responder) Late(ctx context.Context) bool {
	if !r.submitted() {
		first, _ := r.acknowledge(ctx, nil) // There is no caller to report an error to.
		return first
	}
	fields := map[int]string{}
	for _, q := range sortedKeys(r.p.View.State.inputs(r.token.Request)) {
		fields[q] = r.words().Late
		break
	}
	n := r.note(r.words().Late)
	n.Fields = fields
	body := r.complaint(n)
	if !r.claim(body != nil, true) {
		return false
	}
	_ = r.deliver(ctx, body) // There is no caller to report an error to.
	return true
}

// words returns the connector's messages in the person's language.
func (r *responder) words() words.Reply {
	return words.In(r.in.directory.languageOf(r.p.User.ID)).Reply
}

func (r *responder) note(text string) platform.Note {
	return platform.Note{Text: text, Language: r.in.directory.languageOf(r.p.User.ID)}
}

// noteView returns a modal that shows a note instead of a form.
func noteView(language string, spans []render.Span) slackapi.ModalViewRequest {
	w := words.In(language).Reply
	return blockkit.NoteView(w.Title, w.Close, spans)
}

func (r *responder) submitted() bool { return r.p.Type == viewSubmission }

// acknowledge sends the acknowledgement unless it was already sent, and reports whether it did.
func (r *responder) acknowledge(ctx context.Context, body any) (bool, error) {
	if !r.claim(r.submitted() && body != nil, false) {
		return false, nil
	}
	return true, r.deliver(ctx, body)
}

// claim reserves the acknowledgement for the caller, unless it is already taken.
func (r *responder) claim(open, overdue bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.acked {
		return false
	}
	r.acked, r.open, r.overdue = true, open, overdue
	return true
}

func (r *responder) deliver(ctx context.Context, body any) error {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), connector.AckTime, connector.ErrAckTime)
	defer cancel()
	if err := r.reply(ctx, body); err != nil {
		return fmt.Errorf("slack: acknowledge: %w", err)
	}
	return nil
}

// sendNote shows a note to this person only, after the acknowledgement. It uses the first way that
// works: the open form, the reply URL, an ephemeral message near the card, or a direct message.
func (r *responder) sendNote(ctx context.Context, n platform.Note) error {
	spans := r.in.directory.wording(n)
	if len(spans) == 0 && n.Card == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), tellTime, errTellTime)
	defer cancel()
	var failed error
	for _, way := range r.ways(ctx, n, spans) {
		err := way(ctx)
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// ways lists the ways to show a person a note, best first.
func (r *responder) ways(ctx context.Context, n platform.Note, spans []render.Span) []func(context.Context) error {
	words, wordsText := blockkit.Note(spans)
	blocks, text := words, wordsText
	if n.Card != nil {
		blocks, text = blockkit.Message(r.in.directory.naming(ctx, *n.Card))
		carry(blocks, r.p.origin().value())
	}
	r.mu.Lock()
	open := r.open
	r.mu.Unlock()
	var ways []func(context.Context) error
	if open {
		ways = append(ways, func(ctx context.Context) error { return r.inForm(ctx, n.Language, spans) })
	}
	if r.p.ResponseURL != "" {
		ways = append(ways, func(ctx context.Context) error { return r.replyURL(ctx, blocks, text) })
	}
	if at := r.p.origin(); at.Channel != "" {
		ways = append(ways, func(ctx context.Context) error {
			return r.in.api.sendEphemeral(ctx, at, r.p.User.ID, saying(blocks, text))
		})
	}
	return append(ways, func(ctx context.Context) error {
		_, err := r.in.api.send(ctx, r.p.User.ID, "", saying(words, wordsText))
		return err
	})
}

// carry sets the value of every button.
func carry(blocks []slackapi.Block, value string) {
	for _, b := range blocks {
		row, ok := b.(*slackapi.ActionBlock)
		if !ok {
			continue
		}
		for _, e := range row.Elements.ElementSet {
			if button, ok := e.(*slackapi.ButtonBlockElement); ok {
				button.Value = value
			}
		}
	}
}

// inForm replaces the form with a note.
func (r *responder) inForm(ctx context.Context, language string, spans []render.Span) error {
	note := noteView(language, spans)
	return r.in.api.do(ctx, call{op: "views.update"}, func(ctx context.Context) error {
		_, err := r.in.api.sdk().UpdateViewContext(ctx, note, "", "", r.p.View.ID)
		return err
	})
}

// replyURL posts a note to the interaction's reply URL. It replaces the message of the used control
// if that is ephemeral too.
func (r *responder) replyURL(ctx context.Context, blocks []slackapi.Block, text string) error {
	return r.in.api.replyTo(ctx, r.p.ResponseURL, privateReply{"ephemeral", r.p.private(), r.p.Container.ThreadTS, text, blocks})
}

// privateReply is a message for a reply URL that only one person sees.
type privateReply struct {
	Type    string           `json:"response_type"`
	Replace bool             `json:"replace_original"`
	Thread  string           `json:"thread_ts,omitempty"`
	Text    string           `json:"text"`
	Blocks  []slackapi.Block `json:"blocks"`
}

// replyTo posts to an interaction's reply URL, which works five times within thirty minutes
// (https://docs.slack.dev/interactivity/handling-user-interaction).
func (a *webAPI) replyTo(ctx context.Context, address string, reply any) error {
	body, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("slack: note: %w", err)
	}
	e := a.attempt(ctx, call{op: "response_url", once: true}, func(ctx context.Context) error {
		reply, err := a.post(ctx, address, "", "application/json; charset=utf-8", bytes.NewReader(body))
		if err != nil {
			return err
		}
		var refused struct {
			OK    *bool  `json:"ok"`
			Error string `json:"error"`
		}
		// The usual response is the plain text "ok".
		if json.Unmarshal(reply, &refused) == nil && refused.OK != nil && !*refused.OK {
			return slackapi.SlackErrorResponse{Err: refused.Error}
		}
		return nil
	})
	if e != nil {
		return e
	}
	return nil
}
