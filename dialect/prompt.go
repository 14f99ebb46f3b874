package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Hosts that let people say more than yes and no to a permission prompt have a word of
// their own for each of it. Every way of answering is an option here, whose key is that
// word as it goes back, byte for byte. How far it really reaches is said below the label,
// in place of what the host calls it; what reaches beyond the ceiling is not offered.

// prompt is a host's request for a permission.
type prompt struct {
	// title is the question, and tool what is to be used.
	title, tool string
	// input is what was sent for approval, at this path, shown is how people read it, and words
	// are the agent's own about it.
	path         string
	input        json.RawMessage
	shown, words string
	ways         []way
	// refuse is the host's word for no, with what somebody has written about it.
	refuse func(words string) js
	// deaf says that the host has no place for such words.
	deaf bool
	// send is where the answer is posted.
	send string
}

// way is one way of answering a prompt.
type way struct {
	label, says string
	// reach is how far it goes beyond the call; empty for this call alone.
	reach Persist
	reply js
}

// asksFor makes the one question of the call a host's prompt. The first of its ways
// allows the call this once.
func (c *call) asksFor(p *prompt) {
	c.sent, c.prompt = 1, p
	it := item{header: quote("Permission"), text: quote(p.title)}
	q := ask.Question{NoOther: p.deaf}
	for n, w := range p.ways {
		if w.reach != "" && !c.opts.Persist.allows(w.reach) {
			c.advise(p.path, "%q reaches further than persist lets it, and is not offered", line(w.label, maxKeptLabel))
			continue
		}
		if n == len(p.ways)-1 && !p.deaf {
			w.says = strings.TrimSuffix(w.says, ".")
			w.says = strings.TrimPrefix(w.says+". Other… denies too, and tells the agent why", ". ")
		}
		label := line(w.label, maxKeptLabel)
		for again := 2; slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label }); again++ {
			label = line(fmt.Sprintf("%s (%d)", w.label, again), maxKeptLabel)
		}
		it.options = append(it.options, option{label: quote(label), key: token{json: w.reply}})
		q.Options = append(q.Options, ask.Option{Label: label, Description: w.says})
	}
	c.add(it, q)
	c.permit(p.path, p.tool, p.input, p.shown, p.words)
	c.offer(p.tool, p.shown, 0, 1)
}

// promptAnswered is what a person chose, in the host's word for it.
func (c *call) promptAnswered(p pick) Result {
	if p.other != "" {
		return c.promptReply(c.prompt.refuse(c.who + " said no, and: " + p.other))
	}
	return c.promptReply(p.keys[0].json)
}

// promptEnded is the end of a prompt that nobody has answered: no, or nothing where the
// host's own screen has it still.
func (c *call) promptEnded(e Ending, text string) Result {
	switch e {
	case Pending:
		return Result{ContentType: "application/json"}
	case Failed, Refused:
		if !c.rpcID.empty() {
			return c.rpcError(e, text)
		}
		return asText(text).asError()
	case Replied:
		return c.promptReply(c.prompt.refuse(c.who + " did not allow it, and replied: " + c.reply))
	case Expired:
		return c.promptReply(c.prompt.refuse("Nobody answered in time, so it was not allowed.")).asError()
	case Superseded:
		return c.promptReply(c.prompt.refuse("Nobody allowed it: the request was replaced by a newer one."))
	case Declined, Cancelled, Answered, Partial:
	}
	return c.promptReply(c.prompt.refuse("Nobody allowed it: the request was cancelled."))
}

func (c *call) promptReply(reply js) Result {
	r := asJSON(c.rpcResult(reply))
	r.Send = c.prompt.send
	return r
}
