package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// says leaves what the hook answers, until the host has told what came of the call. It is
// nothing to fail for: without it a card does not say that another answer was taken.
func (t *turn) says(e *event, request string, out []byte) {
	if t == nil || !overrulable(e, out) {
		return
	}
	_ = os.WriteFile(filepath.Join(filepath.Dir(t.path), e.call()+"="+request), out, 0o600)
}

// overrulable reports whether a call that runs could have been decided otherwise: what people
// have allowed runs as they said.
func overrulable(e *event, out []byte) bool { return e.Tool == askTool || !decided(out).allows() }

// forgetSaid forgets what hooks have said about a call, or about every one of the session.
func forgetSaid(folder, call string) {
	said, _ := filepath.Glob(filepath.Join(folder, call+"=*"))
	for _, path := range said {
		_ = os.Remove(path)
	}
}

// overrule tells the bridge where the call that has run was decided otherwise than by what a
// hook said.
func (h *Claude) overrule(ctx context.Context, e *event, folder, call string) error {
	if call == "" {
		return nil
	}
	said, _ := filepath.Glob(filepath.Join(folder, call+"=*"))
	var failed []error
	for _, path := range said {
		out, err := os.ReadFile(path)
		if err != nil || os.Remove(path) != nil {
			continue // Another hook was quicker.
		}
		if _, request, _ := strings.Cut(filepath.Base(path), "="); e.differs(out) {
			_, err := h.client.Overruled(ctx, request, e.wasDecided())
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// close closes the card of a request that the terminal has decided. People may have answered
// it meanwhile: then their answer was too late, and the card says so unless it is the same.
func (h *Claude) close(ctx context.Context, e *event, request, reason string) error {
	r, err := h.client.Cancel(ctx, request, reason)
	if err != nil || r.State != ask.Answered || e.Tool == "" {
		return err
	}
	if e.Tool != askTool {
		// This event may name another folder than the prompt did: the command was free to
		// change it.
		if !allowed(r) {
			_, err = h.client.Overruled(ctx, request, e.wasDecided())
		}
		return err
	}
	asked, err := json.Marshal(map[string]any{
		"hook_event_name": permissionRequest, "session_id": e.Session, "tool_name": e.Tool, "tool_input": e.unanswered(),
	})
	if err != nil {
		return err
	}
	late, err := h.client.ToolResult(ctx, request, "claude", asked)
	if err == nil && e.differs(late.Body) {
		_, err = h.client.Overruled(ctx, request, e.wasDecided())
	}
	return err
}

// allowed reports whether people allowed what a permission prompt asked: every option but the last
// one does, and what they write does not.
func allowed(r *client.Request) bool {
	if len(r.Answers) == 0 || len(r.Answers[0].Selected) == 0 || len(r.Questions) == 0 {
		return false
	}
	options := r.Questions[0].Options
	return len(options) > 0 && r.Answers[0].Selected[0] != options[len(options)-1].Label
}

// decision is what a PermissionRequest hook says.
type decision struct {
	Specific struct {
		Decision struct {
			Behavior string          `json:"behavior"`
			Input    json.RawMessage `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

func decided(out []byte) decision {
	var d decision
	_ = json.Unmarshal(out, &d) // What is no decision allows nothing.
	return d
}

func (d decision) allows() bool { return d.Specific.Decision.Behavior == "allow" }

// differs reports whether the call that has run was decided otherwise than a hook said: it
// refused the call, or gave other answers than those that the tool ran with.
func (e *event) differs(out []byte) bool {
	d := decided(out)
	if !d.allows() {
		return true
	}
	given := e.answers()
	return e.Tool == askTool && given != nil && !maps.Equal(given, answersIn(d.Specific.Decision.Input))
}

// answers are those that a question was answered with, by its text; nil where the host does
// not tell.
func (e *event) answers() map[string]string {
	if given := answersIn(e.Response); given != nil {
		return given
	}
	return answersIn(e.Input)
}

func answersIn(data json.RawMessage) map[string]string {
	var in struct {
		Answers map[string]string `json:"answers"`
	}
	if json.Unmarshal(data, &in) != nil {
		return nil
	}
	return in.Answers
}

// unanswered is the input as it was when the host asked.
func (e *event) unanswered() json.RawMessage {
	var in map[string]json.RawMessage
	if e.Tool != askTool || json.Unmarshal(e.Input, &in) != nil {
		return e.Input
	}
	delete(in, "answers")
	data, err := json.Marshal(in)
	if err != nil {
		return e.Input
	}
	return data
}

// wasDecided says what became of a call that chat had decided otherwise.
func (e *event) wasDecided() string {
	if e.Tool == askTool {
		return e.wasAnswered()
	}
	return allowedHere
}

// answerShown is how much of the terminal's answers people are told, in characters.
const answerShown = 300

// wasAnswered says that the terminal has decided, and what it answered.
func (e *event) wasAnswered() string {
	if e.Tool != askTool {
		return answeredHere // What it returned may be long, and is not read.
	}
	given := e.answers()
	if len(given) == 0 {
		return answeredHere
	}
	var all []string
	for _, question := range slices.Sorted(maps.Keys(given)) {
		all = append(all, given[question])
	}
	text := []rune(strings.Join(all, "; "))
	if len(text) > answerShown {
		text = append(text[:answerShown-1], '…')
	}
	return answeredHere + ": " + cmp.Or(string(text), "nothing")
}
