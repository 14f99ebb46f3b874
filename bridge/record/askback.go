package record

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
)

// AskedBack is what a person asked the agent, and what the agent replied.
type AskedBack struct {
	ask.AskedBack

	// Place is which of all that is said below the cards the reply is, the first being 1;
	// zero without one.
	Place int
}

// Why a reply to a person does not count.
var (
	// ErrNotAsked: nobody has asked that.
	ErrNotAsked = errors.New("bridge: nobody has asked that")
	// ErrReplied: it has another reply already.
	ErrReplied = errors.New("bridge: it has been replied to already")
)

// askAgent takes down what a person asks the agent.
func (r *Record) askAgent(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	text := upTo(a.Action.Text(), ask.MaxAsked)
	switch {
	case r.AskBack != ask.AskBackStay:
		return Decision{Verdict: Unknown}, false
	case text == "":
		return Decision{Verdict: Incomplete}, false
	case len(r.AskedBack) >= ask.MaxAskedBack:
		return Decision{Verdict: Enough}, false
	}
	asked := ask.AskedBack{Number: len(r.AskedBack) + 1, By: a.By.Person, Text: text, At: asStored(now)}
	r.AskedBack = append(slices.Clip(r.AskedBack), AskedBack{AskedBack: asked})
	r.noted(mark)
	r.progress(a.Message, m.Redraws, now)
	r.lag(now) // The agent may be all who is.
	return Decision{Verdict: AskedAgent}, true
}

// upTo is as much of a text as is kept.
func upTo(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// Reply gives the agent's reply to what a person asked; a number of zero stands for the
// only one that waits for a reply. It stands on the cards from then on, and is said below
// them once. The same reply again changes nothing: it returns [ErrUnchanged] then, and for
// a request that has ended; or else [ErrNotAsked] or [ErrReplied].
func (r *Record) Reply(number int, text string, now time.Time) error {
	if r.CatchUp(now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	if text = upTo(ask.Typed(text), ask.MaxAsked); number == 0 {
		number = r.meant(text)
	}
	if number < 1 || number > len(r.AskedBack) {
		return ErrNotAsked
	}
	switch asked := r.AskedBack[number-1]; asked.Reply {
	case "":
	case text:
		return ErrUnchanged
	default:
		return ErrReplied
	}
	place := r.happened() + 1
	r.AskedBack = slices.Clone(r.AskedBack)
	asked := &r.AskedBack[number-1]
	asked.Reply, asked.RepliedAt, asked.Place = text, asStored(now), place
	r.anew(now)
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

// meant is the number of the only thing that waits for a reply; or, of what has this very
// one, the last.
func (r *Record) meant(reply string) int {
	waiting, same := 0, 0
	for _, asked := range r.AskedBack {
		switch {
		case asked.Reply == "" && waiting != 0:
			return 0
		case asked.Reply == "":
			waiting = asked.Number
		case asked.Reply == reply:
			same = asked.Number
		}
	}
	if waiting == 0 {
		return same
	}
	return waiting
}

// Waits reports whether a person has asked the agent something that has no reply, other
// than what the caller has heard: that with numbers up to heard.
func (r *Record) Waits(heard int) bool {
	return r.Open() && slices.ContainsFunc(r.AskedBack, func(asked AskedBack) bool { return asked.Reply == "" && asked.Number > heard })
}

// News is the number of the last thing asked that the webhook was not called for, zero
// when there is none.
func (r *Record) News() int {
	if n := len(r.AskedBack); r.Open() && r.Webhook != nil && r.Webhook.Asked < n {
		return n
	}
	return 0
}
