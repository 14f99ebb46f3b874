package claudehost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Host is one session in a terminal.
type Host struct {
	// Settings is the content of the host's settings file.
	Settings []byte
	// Mode is the permission mode.
	Mode string
	// Session and Folder are part of every hook's input.
	Session, Folder string
	// Run runs the command of a hook until ctx ends.
	Run func(ctx context.Context, command string, stdin []byte) (stdout []byte, exit int)

	mu     sync.Mutex
	lines  []string
	late   []string
	faults []string
	uses   int
	going  sync.WaitGroup
}

// Call is a tool call of the model.
type Call struct {
	Tool        string
	Input       string
	Suggestions string // of the dialog, as a JSON list
	// Fails makes the tool run and fail.
	Fails bool
	// Agent is the calling sub-agent; empty for the session itself.
	Agent string
}

// Verdict is the result of a call.
type Verdict struct {
	// By is "terminal", "hook" or "mode".
	By  string
	Ran bool
	// Input is the input that the tool ran with; Message is the reason why it did not run.
	Input, Message string
	// Kept lists the permissions that last beyond the call.
	Kept []string
}

// Use is a tool call in progress.
type Use struct {
	host *Host
	call Call
	id   string

	dialog chan struct{}
	done   chan struct{}
	// endHooks stops the hooks that run next to the dialog.
	endHooks context.CancelFunc

	mu      sync.Mutex
	decided bool
	closed  chan struct{} // closed with the decision
	verdict Verdict
}

// Use starts a tool call of the model.
func (h *Host) Use(ctx context.Context, c Call) *Use {
	h.mu.Lock()
	h.uses++
	u := &Use{
		host: h, call: c, id: fmt.Sprintf("toolu_%02d", h.uses), endHooks: func() {},
		dialog: make(chan struct{}), done: make(chan struct{}), closed: make(chan struct{}),
	}
	h.mu.Unlock()
	h.going.Go(func() { u.run(ctx) })
	return u
}

// Dialog returns a channel that is closed when the terminal asks.
func (u *Use) Dialog() <-chan struct{} { return u.dialog }

// Wait returns the result of the call, after its last hooks have run.
func (u *Use) Wait() Verdict {
	<-u.done
	return u.verdict
}

// Answer answers a question in the terminal. It reports whether the dialog was still open.
func (u *Use) Answer(question, label string) bool {
	var input map[string]json.RawMessage
	if json.Unmarshal([]byte(u.call.Input), &input) != nil {
		return false
	}
	input["answers"] = compact(map[string]string{question: label})
	return u.decide(Verdict{By: "terminal", Ran: true, Input: string(compact(input))}, "terminal: "+label)
}

// Allow allows the call in the terminal.
func (u *Use) Allow() bool {
	return u.decide(Verdict{By: "terminal", Ran: true, Input: u.call.Input}, "terminal: yes")
}

// Deny denies the call or presses Escape. The host stops the hooks that still ask. Live: "chat and terminal decide
// permission prompts", "Escape and a closed window close the card".
func (u *Use) Deny() bool {
	defer u.endHooks()
	return u.decide(Verdict{By: "terminal", Message: "The user doesn't want to proceed with this tool use."}, "terminal: no")
}

// Chat leaves a question to talk about it ("Chat about this"). The hook keeps running, and no event of the call
// follows. Seen in a running build (2.1.332).
func (u *Use) Chat() bool {
	return u.decide(Verdict{By: "terminal", Message: "The user wants to clarify these questions."}, "terminal: chat")
}

// decide records the first decision and ignores later ones.
func (u *Use) decide(v Verdict, says string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.decided {
		return false
	}
	u.decided, u.verdict = true, v
	u.host.note(says)
	for _, k := range v.Kept {
		u.host.note("kept from then on: " + k)
	}
	close(u.closed)
	return true
}

// run takes a call through its hooks. PreToolUse comes first: live "chat answers alone in dontAsk mode".
// PostToolUse follows once the tool has run: live "the terminal answers first". PostToolUseFailure: from documents.
func (u *Use) run(ctx context.Context) {
	defer close(u.done)
	h := u.host
	pre := h.fire(ctx, "PreToolUse", u.call.Tool, u.event("PreToolUse", true, u.call.Input))
	for _, out := range pre {
		if v, ok := h.preToolUse(u, out); ok {
			u.decide(v, "PreToolUse decides")
		}
	}
	if !u.over() {
		u.ask(ctx)
	}
	select {
	case <-u.closed:
	case <-ctx.Done():
		u.decide(Verdict{By: "mode", Message: "the session was ended"}, "the session is ended")
	}
	if u.verdict.Ran {
		after := "PostToolUse"
		if u.call.Fails {
			after = "PostToolUseFailure"
		}
		h.note(fmt.Sprintf("%s runs, decided by the %s", u.call.Tool, u.verdict.By))
		h.silent(ctx, after, u.call.Tool, u.event(after, true, u.verdict.Input))
	} else {
		h.note(fmt.Sprintf("%s does not run, decided by the %s: %s", u.call.Tool, u.verdict.By, u.verdict.Message))
	}
}

func (u *Use) over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.decided
}

// ask applies the permission mode to a tool that no hook has decided about.
func (u *Use) ask(ctx context.Context) {
	event, asked := u.prompts()
	switch {
	case !asked && u.host.Mode == "dontAsk":
		u.decide(Verdict{By: "mode", Message: "nothing is asked in this mode"}, "the mode refuses")
		return
	case !asked:
		u.decide(Verdict{By: "mode", Ran: true, Input: u.call.Input}, "the mode allows")
		return
	}
	u.host.note("the terminal asks")
	ctx, u.endHooks = context.WithCancel(ctx)
	close(u.dialog)
	if !event {
		return
	}
	// Hooks keep running if the terminal allows or answers. Live: "the terminal answers first".
	u.host.going.Go(func() {
		for _, out := range u.host.fire(ctx, "PermissionRequest", u.call.Tool, u.event("PermissionRequest", false, u.call.Input)) {
			switch v, ok := u.host.permissionRequest(u, out); {
			case ok && !u.decide(v, "PermissionRequest decides"):
				u.host.noteLate("PermissionRequest decides too late")
			case !ok && u.over():
				u.host.noteLate("PermissionRequest ends without a decision")
			case !ok:
				u.host.note("PermissionRequest ends without a decision")
			}
		}
	})
}

// prompts reports whether the terminal asks, and whether PermissionRequest runs too. Questions live: "dialog and
// card open together in … mode", "chat answers alone in dontAsk mode". Permissions in the default mode live: "chat
// and terminal decide permission prompts"; plans live: "a plan card shows the plan, or that there is none". The
// other modes are from documents.
func (u *Use) prompts() (event, asked bool) {
	mode := u.host.Mode
	switch u.call.Tool {
	case "AskUserQuestion":
		return mode != "dontAsk", mode != "dontAsk"
	case "ExitPlanMode":
		return true, true
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		asked = mode == "default" || mode == "plan"
	default:
		asked = mode == "default" || mode == "plan" || mode == "acceptEdits"
	}
	return asked, asked
}

// event returns the input of a hook about the call. A permission prompt has no ID. Live: "session rules run equal
// calls unasked" (suggestions), "the card names the sub-agent that asks" (agent_id).
func (u *Use) event(name string, id bool, input string) []byte {
	m := u.host.common(name)
	m["tool_name"] = compact(u.call.Tool)
	m["tool_input"] = json.RawMessage(input)
	if u.call.Agent != "" {
		m["agent_id"], m["agent_type"] = compact(u.call.Agent), compact("Explore")
	}
	switch {
	case id:
		m["tool_use_id"] = compact(u.id)
	case u.call.Suggestions != "":
		m["permission_suggestions"] = json.RawMessage(u.call.Suggestions)
	}
	switch name {
	case "PostToolUse":
		m["tool_response"] = compact(map[string]bool{"success": true})
	case "PostToolUseFailure":
		m["error"], m["is_interrupt"] = compact("it failed"), compact(false)
	}
	return compact(m)
}

// Prompt is a person who types the next prompt. From documents.
func (h *Host) Prompt(ctx context.Context) { h.passing(ctx, "UserPromptSubmit") }

// Stop ends the model's turn. From documents.
func (h *Host) Stop(ctx context.Context) { h.passing(ctx, "Stop") }

// StopAgent ends a sub-agent.
func (h *Host) StopAgent(ctx context.Context, agent string) {
	m := h.common("SubagentStop")
	m["agent_id"], m["agent_type"] = compact(agent), compact("Explore")
	h.silent(ctx, "SubagentStop", "", compact(m))
}

// End ends the session. From documents.
func (h *Host) End(ctx context.Context) { h.passing(ctx, "SessionEnd") }

func (h *Host) passing(ctx context.Context, event string) {
	h.silent(ctx, event, "", compact(h.common(event)))
}

func (h *Host) common(event string) map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"session_id": compact(h.Session), "cwd": compact(h.Folder), "permission_mode": compact(h.Mode), "hook_event_name": compact(event),
	}
}

// silent runs hooks that must not print anything.
func (h *Host) silent(ctx context.Context, event, tool string, stdin []byte) {
	for _, out := range h.fire(ctx, event, tool, stdin) {
		if len(bytes.TrimSpace(out)) > 0 {
			h.fault("%s prints %s", event, out)
		}
	}
}

// fire runs the hooks of an event and returns their output.
func (h *Host) fire(ctx context.Context, event, tool string, stdin []byte) [][]byte {
	hooks, err := hooksOf(h.Settings, event, tool)
	if err != nil {
		h.fault("settings: %v", err)
	}
	if len(hooks) > 0 {
		h.note(strings.TrimSpace(event + " " + tool))
	}
	outputs := make([][]byte, len(hooks))
	var all sync.WaitGroup
	for n, hook := range hooks {
		all.Go(func() {
			within, cancel := context.WithTimeout(ctx, hook.timeout)
			defer cancel()
			began := time.Now()
			out, exit := h.Run(within, hook.command, stdin)
			switch {
			case within.Err() != nil && ctx.Err() == nil:
				h.fault("%s exceeded its timeout after %s", event, time.Since(began))
			case exit == 2:
				h.fault("%s blocks the host", event)
			case exit != 0:
				h.note(fmt.Sprintf("%s fails with %d", event, exit))
			default:
				outputs[n] = out
			}
		})
	}
	all.Wait()
	return outputs
}

// Close waits for everything that still runs, and returns the transcript and the faults.
func (h *Host) Close() (transcript string, faults []string) {
	h.going.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(append(h.lines, h.late...), "\n") + "\n", h.faults
}

func (h *Host) note(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

// noteLate notes an event after the decision.
func (h *Host) noteLate(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.late = append(h.late, "afterwards: "+line)
}

func (h *Host) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

func compact(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("claudehost: plain values always encode: " + err.Error())
	}
	return data
}
