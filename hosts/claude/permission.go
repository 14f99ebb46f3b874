package claude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
)

const (
	allow = "Allow"
	deny  = "Deny"
	// maxShown is the longest tool input that is put up for approval, in
	// characters: what somebody approves must stand on the card, whole.
	maxShown = 2500
	// maxPlan is the longest plan. It may stand behind "Read all" in part.
	maxPlan = 20_000
)

// permission asks whether a tool may run.
type permission struct {
	h       *Claude
	event   *event
	request ask.Request
}

// permission makes the question. Every prompt is a question of its own: that
// the same command was allowed before says nothing about now.
func (h *Claude) permission(e *event) (*permission, error) {
	text, shown, most := fmt.Sprintf("May the agent use %s?", cmp.Or(e.Tool, "a tool")), toolText(e), maxShown
	if e.Tool == planTool {
		var input struct {
			Plan string `json:"plan"`
		}
		if json.Unmarshal(e.ToolInput, &input) == nil && input.Plan != "" {
			shown = input.Plan
		}
		text, most = "May the agent go ahead with this plan?", maxPlan
	}
	if n := utf8.RuneCountInString(shown); n > most {
		return nil, fmt.Errorf("hook: %s has %d characters, too many to be approved in chat", e.Tool, n)
	}
	p := &permission{h: h, event: e, request: ask.Request{
		To: h.opts.To, Route: h.opts.Route, Responders: h.opts.Responders, Agent: h.opts.Agent, Session: e.Session, ToolCallID: e.ToolUse,
		Questions: []ask.Question{{
			Text: text, Header: "Permission",
			Options: []ask.Option{{Label: allow, Preview: shown}, {Label: deny, Description: "Other… denies too, and tells the agent why"}},
		}},
	}}
	if !h.opts.Defer {
		p.request.ExpiresIn = h.expiresIn()
	}
	var about []string
	if sub := e.subagent(); sub != "" {
		about = append(about, "Asked by sub-agent "+sub+".")
	}
	if e.Cwd != "" {
		about = append(about, "In "+filepath.Base(e.Cwd)+".")
	}
	p.request.Context = strings.Join(about, " ")
	return p, nil
}

// toolText is what the tool is about to be given, for people.
func toolText(e *event) string {
	var command struct {
		Command     string          `json:"command"`
		Description json.RawMessage `json:"description"`
		Timeout     json.RawMessage `json:"timeout"`
	}
	known := json.NewDecoder(bytes.NewReader(e.ToolInput))
	known.DisallowUnknownFields()
	if known.Decode(&command) == nil && command.Command != "" {
		return command.Command
	}
	var text bytes.Buffer
	if len(e.ToolInput) == 0 || json.Indent(&text, e.ToolInput, "", "  ") != nil {
		return string(e.ToolInput)
	}
	return text.String()
}

func (p *permission) submit(ctx context.Context) (standing, error) {
	return p.standing(p.h.client.Submit(ctx, p.request))
}

func (p *permission) wait(ctx context.Context, id string) (standing, error) {
	return p.standing(p.h.client.Wait(ctx, id))
}

func (p *permission) read(ctx context.Context, id string) (standing, error) {
	return p.standing(p.h.client.Get(ctx, id))
}

func (p *permission) standing(r *api.Request, err error) (standing, error) {
	if err != nil {
		return standing{}, err
	}
	s := standing{id: r.ID, state: r.State, reason: r.Reason}
	who := cmp.Or(r.By.Name, "A person")
	switch r.State {
	case ask.Answered:
		a := r.Answers[0]
		switch {
		case a.Other != "":
			s.out = p.refuse(fmt.Sprintf("%s said no, and: %s", who, a.Other))
		case len(a.Selected) == 1 && a.Selected[0] == allow:
			s.out = p.permit()
		case len(a.Selected) == 1 && a.Selected[0] == deny:
			s.out = p.refuse(who + " said no.")
		default:
			return s, errors.New("hook: the answer is none of those offered")
		}
	case ask.Cancelled:
		s.out = p.refuse("Nobody allowed it: the request was cancelled.")
	case ask.Superseded:
		s.out = p.refuse("Nobody allowed it: the request was replaced by a newer one.")
	case ask.Open, ask.Expired, ask.Failed:
	}
	return s, nil
}

func (p *permission) permit() []byte {
	if p.event.Name == preToolUse {
		return output(map[string]any{"hookEventName": preToolUse, "permissionDecision": "allow", "updatedInput": p.event.ToolInput})
	}
	return output(map[string]any{"hookEventName": permissionRequest, "decision": map[string]any{"behavior": "allow"}})
}

func (p *permission) refuse(why string) []byte {
	if p.event.Name == preToolUse {
		return output(map[string]any{"hookEventName": preToolUse, "permissionDecision": "deny", "permissionDecisionReason": why})
	}
	return output(map[string]any{"hookEventName": permissionRequest, "decision": map[string]any{"behavior": "deny", "message": why}})
}

func (p *permission) unanswered() []byte {
	return p.refuse("Nobody answered in time, so it was not allowed.")
}

func (p *permission) deferred() []byte { return deferral(p.event.Name) }

// output is what a hook says, on one line.
func output(specific map[string]any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{"hookSpecificOutput": specific}); err != nil {
		panic("hook: what was read can be written: " + err.Error())
	}
	return bytes.TrimSpace(text.Bytes())
}
