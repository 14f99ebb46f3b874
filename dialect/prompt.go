package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Labels of the options that every host has.
const (
	labelAllow = "Allow"
	labelDeny  = "Deny"
)

const (
	// maxOptionLabel is where the label of an option is cut. Its description has the full text.
	maxOptionLabel = 72
	// maxOptionText is the longest description of what an option allows, in characters. People have to read it in
	// full, so that an option with a longer one is not offered.
	maxOptionText = 600
)

// prompter answers a host's request for permission in the host's own format.
type prompter interface {
	// noReply reports whether the format has no place for a reply instead of a decision.
	noReply() bool
	answered(*call, answer.Pick) Result
	ended(c *call, e Ending, text string) Result
}

// prompt is a request for permission of a host with its own reply for each decision. Each of its ways becomes an option whose
// key is the reply, byte for byte. The description of an option states how far it really reaches, instead of the host's name for it.
type prompt struct {
	// title is the question, tool what would be used, and wants what for; empty if only the title says so.
	title, tool string
	wants       ask.Wants
	// input is what was sent for approval, at this path. shown is how people read it, and words are the agent's own about it.
	path         string
	input        json.RawMessage
	shown, words string
	ways         []way
	// refuse returns the host's denial, with the text that a person wrote about it.
	refuse func(words string) js.Text
	// silent is set if the host has no place for such a text.
	silent bool
	// send is the endpoint for the reply.
	send string
}

// way is one decision about a prompt.
type way struct {
	label, text string
	// denies is set for a way that refuses the call.
	denies bool
	// reach is how far it goes beyond the call; empty for this call alone.
	reach Persist
	reply js.Text
}

// askFor makes the prompt the one question of the call. The first of its ways allows this call only.
func (c *call) askFor(p *prompt) {
	c.Sent, c.prompt = 1, p
	it := question.Item{Header: js.Quote("Permission"), Text: js.Quote(p.title)}
	q := ask.Question{NoOther: p.silent}
	var denials []string
	for n, w := range p.ways {
		if w.reach != "" && !c.opts.Persist.allows(w.reach) {
			c.Advise(p.path, "%q reaches further than persist lets it, and is not offered", quote.Line(w.label, maxOptionLabel))
			continue
		}
		if n == len(p.ways)-1 && !p.silent {
			w.text = strings.TrimSuffix(w.text, ".")
			w.text = strings.TrimPrefix(w.text+". "+otherDenies, ". ")
		}
		label := quote.Line(w.label, maxOptionLabel)
		for again := 2; slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label }); again++ {
			label = quote.Line(fmt.Sprintf("%s (%d)", w.label, again), maxOptionLabel)
		}
		if w.denies {
			denials = append(denials, label)
		}
		it.Options = append(it.Options, question.Option{Label: js.Quote(label), Key: js.Token{JSON: w.reply}})
		q.Options = append(q.Options, ask.Option{Label: label, Description: w.text})
	}
	c.Add(it, q)
	operation.Permit(&c.Set, p.path, p.tool, p.input, p.shown, p.words)
	c.wants(p.wants, p.tool, denials...)
	operation.Offer(&c.Set, c.opts.Grants, p.tool, p.shown, 1)
}

// wants completes the permit of a prompt: what the agent asks to do, and which labels refuse it.
func (c *call) wants(what ask.Wants, tool string, denials ...string) {
	if p := c.Request.Permit; p != nil {
		p.Wants, p.Deny = what, denials
		if what == ask.WantsTool {
			p.Tool = tool
		}
	}
}

// Texts for the agent and for people that every host shares.
const (
	otherDenies      = "Other… also denies and sends your reason to the agent"
	deniedExpired    = "Denied: no answer in time."
	deniedSuperseded = "Denied: a newer request replaced this one."
	deniedCancelled  = "Denied: the request was cancelled."
)

// denied is a person's denial without a reason.
func (c *call) denied() string { return c.who + " denied this." }

// deniedWith is a person's denial with a reason.
func (c *call) deniedWith(reason string) string { return c.who + " denied this and wrote: " + reason }

// deniedReply is a person's reply instead of a decision.
func (c *call) deniedReply() string { return c.who + " did not decide and replied: " + c.reply }

func (p *prompt) noReply() bool { return p.silent }

func (p *prompt) answered(c *call, picked answer.Pick) Result {
	if picked.Other != "" {
		return p.result(c, p.refuse(c.deniedWith(picked.Other)))
	}
	return p.result(c, picked.Keys[0].JSON)
}

// ended encodes an end without a decision: a denial, or nothing while the host's own screen still shows the prompt.
func (p *prompt) ended(c *call, e Ending, text string) Result {
	switch e {
	case Pending:
		return noOutput()
	case Failed, Refused:
		if !c.rpcID.Empty() {
			return c.rpcError(e, text)
		}
		return asText(text).asError()
	case Replied:
		return p.result(c, p.refuse(c.deniedReply()))
	case Expired:
		return p.result(c, p.refuse(deniedExpired)).asError()
	case Superseded:
		return p.result(c, p.refuse(deniedSuperseded))
	case Declined, Cancelled, Answered, Partial:
	}
	return p.result(c, p.refuse(deniedCancelled))
}

func (p *prompt) result(c *call, reply js.Text) Result {
	r := asJSON(c.rpcResult(reply))
	r.Send = p.send
	return r
}
