package record

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
)

// Why a reply to a person is refused.
var (
	// ErrNotAsked: there is no such question.
	ErrNotAsked = errors.New("bridge: no such question")
	// ErrReplied: the question has another reply already.
	ErrReplied = errors.New("bridge: it has been replied to already")
)

// askAgent stores a person's question to the agent.
func askAgent(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	text := truncated(a.Action.Text(), ask.MaxAsked)
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
	rememberOnce(r, mark)
	redrawOthers(r, a.Message, m.Redraws, now)
	leaseIfBehind(r, now) // The webhook may be all that is behind.
	return Decision{Verdict: AskedAgent}, true
}

func truncated(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// Reply stores the agent's reply to a person's question; number zero means the only one without a
// reply. The cards show it from then on, and it is announced below them once. It returns
// [ErrUnchanged] for the same reply again and for a request that has ended, or else [ErrNotAsked] or
// [ErrReplied].
func (r *Record) Reply(number int, text string, now time.Time) error {
	if catchUp(r, now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	if text = truncated(ask.Typed(text), ask.MaxAsked); number == 0 {
		number = questionFor(r, text)
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
	place := announcements(r) + 1
	r.AskedBack = slices.Clone(r.AskedBack)
	asked := &r.AskedBack[number-1]
	asked.Reply, asked.RepliedAt, asked.Place = text, asStored(now), place
	redrawAll(r, now)
	lease(r, now)
	return nil
}

// questionFor is the number of the only question without a reply; if all have one, that of the last one
// with this reply.
func questionFor(r *Record, reply string) int {
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

// AwaitsReply reports whether a question with a number above seen has no reply.
func AwaitsReply(r *Record, seen int) bool {
	return r.Open() && slices.ContainsFunc(r.AskedBack, func(asked AskedBack) bool { return asked.Reply == "" && asked.Number > seen })
}
