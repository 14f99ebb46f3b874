package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

// state is the state of a result.
type state string

// The states. Those after failed are of the call, not of a request: it was not submitted, or its state is
// unknown.
const (
	answered    state = "answered"
	pending     state = "pending"
	cancelled   state = "cancelled"
	expired     state = "expired"
	superseded  state = "superseded"
	failed      state = "failed"
	refused     state = "refused"
	unknown     state = "unknown"
	unavailable state = "unavailable"
)

var states = []state{answered, pending, cancelled, expired, superseded, failed, refused, unknown, unavailable}

// noAnswer ends every message that an agent could take as permission to continue.
const noAnswer = "This is not an answer; do not assume one."

// result is the structured content of a result. Clients show a model either this or the text, so each is
// complete.
type result struct {
	ID        string       `json:"id,omitempty"`
	State     state        `json:"state"`
	Message   string       `json:"message"`
	Answers   []ask.Answer `json:"answers,omitzero"`
	By        ask.Person   `json:"by,omitzero"`
	EndedAt   time.Time    `json:"ended_at,omitzero"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Next      *next        `json:"next,omitempty"`
	Errors    []wrong      `json:"errors,omitempty"`
	Advice    []wrong      `json:"advice,omitempty"`
	Ignored   []string     `json:"ignored,omitempty"`

	Skipped []ask.Unanswered `json:"skipped,omitempty"`
	Left    []ask.Unanswered `json:"left,omitempty"`
	Via     string           `json:"via,omitempty"`

	// verdict marks a message that is the complete result, in the host's format.
	verdict bool
}

type next struct {
	Tool      string            `json:"tool"`
	Arguments map[string]string `json:"arguments"`
}

// wrong is a problem of the call, or advice about it.
type wrong struct {
	Path   string `json:"path"`
	Detail string `json:"detail"`
}

// callIDKey is the member of a result's _meta that identifies the call in the log of the bridge.
// https://modelcontextprotocol.io/specification/2025-06-18/basic#meta
const callIDKey = "askbridge/call_id"

// tool converts the result to the SDK's type. Everything but an answer and a pending result is an error, so
// that no client takes it for an answer.
func (r *result) tool(c *call) *mcp.CallToolResult {
	if r.verdict {
		return &mcp.CallToolResult{Meta: mcp.Meta{callIDKey: c.id}, Content: []mcp.Content{&mcp.TextContent{Text: r.Message}}}
	}
	return &mcp.CallToolResult{
		Meta:              mcp.Meta{callIDKey: c.id},
		Content:           []mcp.Content{&mcp.TextContent{Text: r.Message}},
		StructuredContent: r,
		IsError:           r.State != answered && r.State != pending,
	}
}

// resultOf returns the state of a request as a result.
func resultOf(c *call, r *bridge.Record) *result {
	res := &result{ID: r.ID, Advice: remarks(c.advice), Ignored: c.ignored}
	o := r.Outcome
	ending := dialect.EndingOf(o, len(r.Questions))
	if ending != dialect.Pending {
		res.By, res.EndedAt = o.By, client.UTC(cmp.Or(r.EndedAt, o.At))
	}
	switch ending {
	case dialect.Answered, dialect.Partial:
		res.State, res.Message, res.Answers = answered, r.Text(), client.AnswersOf(o.Answers)
		res.Skipped, res.Left, res.Via = o.Skipped, o.Left, o.Via
	case dialect.Pending:
		res.State, res.ExpiresAt = pending, client.UTC(r.Deadline)
		res.Next = &next{Tool: waitName, Arguments: map[string]string{"id": r.ID}}
		res.Message = fmt.Sprintf("Nobody has answered yet. %s %sCall %s with {\"id\":%q} to go on waiting, and do not ask the same again. %s",
			standing(r), c.apology(), waitName, r.ID, noAnswer)
	case dialect.Declined:
		res.State, res.Message = cancelled, who(o)+" cancelled the questions. "+noAnswer
	case dialect.Replied:
		res.State, res.Message = cancelled, who(o)+" answered none of the questions, and replied: "+o.Reply()+"\n\n"+noAnswer
	case dialect.Cancelled:
		res.State, res.Message = cancelled, "The questions were withdrawn before anyone answered"+because(o.Reason)+". "+noAnswer
	case dialect.Expired:
		res.State, res.Message = expired, "Nobody answered in time, and the questions are closed. "+noAnswer
		if len(o.Votes) > 0 {
			res.Message = "People voted and did not come to a decision in time" + because(o.Reason) + ". The questions are closed. " + noAnswer
		}
	case dialect.Superseded:
		res.State, res.Message = superseded, "Newer questions took the place of these before anyone answered. "+noAnswer
	default:
		res.State, res.Message = failed, "The questions could not be asked"+because(o.Reason)+". "+noAnswer
	}
	return res
}

// apology returns why the call did not wait, or "".
func (c *call) apology() string {
	if c.crowded == nil {
		return ""
	}
	return fmt.Sprintf("This call did not wait, since %s, and they do: leave it %d seconds. ", c.crowded.Detail, seconds(c.crowded.RetryAfter))
}

// standing describes the state of open questions.
func standing(r *bridge.Record) string {
	s := "The questions are open as request " + r.ID
	var shown bool
	var trouble string
	for _, copied := range r.Copies {
		shown = shown || copied.State == record.Posted
		trouble = cmp.Or(trouble, copied.Problem)
	}
	if !shown && len(r.Copies) > 0 {
		s += ", but could not be shown to anybody so far" + because(trouble)
	}
	if !r.Deadline.IsZero() {
		s += ", until " + r.Deadline.UTC().Format(time.RFC3339)
	}
	return s + "."
}

func who(o ask.Outcome) string { return cmp.Or(line1(o.By.Name), "Somebody") }

// because returns a reason as a suffix.
func because(reason string) string {
	reason = strings.TrimRight(line1(reason), ".")
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// line1 truncates a text to one line of at most 200 characters.
func line1(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}

// problemWith converts an error to a result that a model can act on.
func problemWith(c *call, err error) *result {
	res := &result{ID: c.about, Ignored: c.ignored}
	bad, _ := errors.AsType[*ask.InvalidError](err)
	far, _ := errors.AsType[*client.Problem](err)
	no, _ := errors.AsType[*access.RefusedError](err)
	switch {
	case no != nil && no.Kind != access.Exhausted && no.Kind != access.Unclear:
		res.refuse(no.Detail, remarks(no.Places))
	case bad != nil:
		res.Errors = remarks(bad.Problems)
		res.correct(c.req.Params.Name)
	case errors.Is(err, bridge.ErrNotFound):
		res.State, res.ID = unknown, ""
		res.Message = fmt.Sprintf("There is no request %q. Use the id of the \"pending\" result, unchanged. %s", line1(c.about), noAnswer)
	case errors.Is(err, bridge.ErrConflict):
		res.State = refused
		res.Message = "Nobody was asked: this call carries the id of an earlier one that asked something else"
		if res.ID != "" {
			res.Message += ", request " + res.ID
		}
		res.Message += ". Ask again under an id of its own."
	case far != nil && far.Status < http.StatusInternalServerError && far.Status != http.StatusTooManyRequests && far.Status != http.StatusRequestTimeout:
		var all []wrong
		for _, e := range far.Errors {
			all = append(all, wrong{e.Path, e.Detail})
		}
		if res.Errors = all; far.Status == http.StatusUnprocessableEntity {
			res.correct(c.req.Params.Name)
			break
		}
		res.refuse(far.Detail, all)
	case errors.Is(err, client.ErrUnknownToken):
		res.State = refused
		res.Message = "The bridge does not know this server's token, or whatever answers at its address is not the bridge. " +
			"Making the call again does not help: tell whoever set this server up. " + noAnswer
	default:
		res.State = unavailable
		res.Message = "The bridge cannot do this right now" + because(reason(err)) + ". Make the same call again in a while. " + noAnswer
	}
	return res
}

func remarks(problems []ask.Problem) []wrong {
	var all []wrong
	for _, p := range problems {
		all = append(all, wrong{p.Path, p.Detail})
	}
	return all
}

// refuse sets the result of a call that the model cannot correct.
func (r *result) refuse(detail string, all []wrong) {
	r.State, r.Errors = refused, all
	r.Message = "Nobody was asked: the bridge refuses this" + because(detail) + "." + r.listed()
	if r.ID != "" {
		r.Message = "The bridge refuses this" + because(detail) + "." + r.listed()
	}
}

// correct sets the result of a call that the model can correct.
func (r *result) correct(tool string) {
	r.State = refused
	r.Message = "Nobody was asked. Correct this and call " + tool + " again:" + r.listed()
}

func (r *result) listed() string {
	var text strings.Builder
	for _, e := range r.Errors {
		fmt.Fprintf(&text, "\n- %s: %s", e.Path, e.Detail)
	}
	return text.String()
}

// reason returns what an agent may see of an error that it cannot correct.
func reason(err error) string {
	far, _ := errors.AsType[*client.Problem](err)
	no, _ := errors.AsType[*access.RefusedError](err)
	switch {
	case far != nil:
		return far.Detail
	case no != nil:
		return no.Detail
	case errors.Is(err, errBudget), errors.Is(err, context.DeadlineExceeded):
		return "it does not answer in time"
	case errors.Is(err, bridge.ErrUnavailable):
		return bridge.StoreTrouble(err)
	case errors.Is(err, errDraining), errors.Is(err, bridge.ErrClosed):
		return "it is restarting"
	}
	return ""
}
