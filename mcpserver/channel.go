package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// Claude Code sends permission prompts also to MCP servers that are its channels, while its own
// dialog is open; the first answer counts. Such a prompt becomes a question with two options, and
// the choice is the verdict. Without an answer there is no verdict, and the dialog decides. The
// host does not report a decision in the dialog, so the card stays until it expires, and the host
// ignores a late verdict.
//
// The host sends a preview: it truncates long input in the middle and masks credentials. It sends
// no question sets.
// https://code.claude.com/docs/en/channels-reference#relay-permission-prompts
const (
	channelAsks  = "notifications/claude/channel/permission_request"
	channelTells = "notifications/claude/channel/permission"
	// channelTime is how long people can answer.
	channelTime = 30 * time.Minute
	// maxPreview is the maximum length of an input, in characters: the card must show everything
	// that is approved.
	maxPreview = 2500
)

// The options of a prompt.
const (
	mayAllow = "Allow"
	mayDeny  = "Deny"
)

// relay handles the permission prompts of one client.
type relay struct {
	s      *Server
	bridge Asker
	life   context.Context //nolint:containedctx // The line's life, in which prompts are asked.
	out    io.Writer
	all    sync.WaitGroup
}

// relayed starts relaying the permission prompts of a client. It returns a function that stops it
// and closes the cards.
func (s *Server) relayed(ctx context.Context, b Asker, l *stdio) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	r := &relay{s: s, bridge: b, life: ctx, out: l}
	l.takes = r.takes
	return func() {
		cancel()
		r.all.Wait()
	}
}

// prompt is the host's notification.
type prompt struct {
	ID      string `json:"request_id"`
	Tool    string `json:"tool_name"`
	About   string `json:"description"`
	Preview string `json:"input_preview"`
}

// takes reports whether a message is a permission prompt, and asks people if so.
func (r *relay) takes(message []byte) bool {
	if !bytes.Contains(message, []byte("permission_request")) {
		return false
	}
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method != channelAsks {
		return false
	}
	var p prompt
	err := strictjson.Decode(m.Params, &p)
	switch {
	case err != nil:
	case p.ID == "" || p.Tool == "":
		err = errors.New("it names no request or no tool")
	case utf8.RuneCountInString(p.Preview) > maxPreview:
		err = fmt.Errorf("its input has more than %d characters, too many to be approved in chat", maxPreview)
	}
	if err != nil {
		r.s.log.Warn("permission prompt not relayed", "tool", p.Tool, "error", err)
		return true
	}
	r.all.Go(func() {
		if err := r.ask(p); err != nil {
			r.s.log.Warn("permission prompt not answered from chat", "tool", p.Tool, "error", err)
		}
	})
	return true
}

// ask submits a prompt and sends the verdict to the host.
func (r *relay) ask(p prompt) error {
	o := &r.s.opts
	made, err := r.bridge.Submit(r.life, ask.Request{
		Session: o.Session, Agent: o.Agent, To: o.To, Route: o.Route, Origin: o.Origin, Responders: o.Permitters, ExpiresIn: channelTime,
		Context: p.About, Permission: true, Permit: &ask.Permit{Wants: ask.WantsTool, Tool: visible.Reveal(p.Tool), Deny: []string{mayDeny}}, Replies: ask.Replies{Strict: true}, // The HTTP API has no member for a permission.
		Questions: []ask.Question{{
			Text: "May the agent use " + line1(visible.Reveal(p.Tool)) + "?", Header: "Permission", NoOther: true,
			Options: []ask.Option{
				{Label: mayAllow, Description: "This call alone. Claude Code leaves out the middle of long input", Preview: visible.Reveal(p.Preview)},
				{Label: mayDeny},
			},
		}},
	})
	if err != nil {
		return err
	}
	ended, err := r.bridge.Wait(r.life, made.Record.ID)
	if r.life.Err() != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.life), lastLook)
		defer cancel()
		_, err := r.bridge.Cancel(ctx, made.Record.ID, "the agent's session has ended")
		return err
	}
	if err != nil {
		return err
	}
	if ended.Revised > 0 {
		return errors.New("what was asked has been revised, so that people have decided on something else")
	}
	verdict := ""
	switch end := ended.Outcome.End(); {
	case end == ask.EndAnswered && len(ended.Outcome.Answers) == 1 && len(ended.Outcome.Answers[0].Selected) == 1 &&
		ended.Outcome.Answers[0].Selected[0] == mayAllow:
		verdict = "allow"
	case end == ask.EndAnswered, end == ask.EndDismissed, end == ask.EndReplied:
		verdict = "deny"
	default:
		return nil // There is no decision: the host's dialog remains open.
	}
	return r.tell(p.ID, verdict)
}

// tell sends a verdict to the host.
func (r *relay) tell(id, verdict string) error {
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "method": channelTells, "params": map[string]string{"request_id": id, "behavior": verdict},
	})
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(data, '\n'))
	return err
}
