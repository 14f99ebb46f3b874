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

// says stores the hook's output until the host reports the result of the call. Errors are
// ignored: the card then does not show that another answer was used.
func (t *turn) says(e *event, request string, out []byte) {
	if t == nil || !overrulable(e, out) {
		return
	}
	_ = os.WriteFile(filepath.Join(filepath.Dir(t.path), e.call()+"="+request), out, 0o600)
}

// overrulable reports whether a running call can contradict the hook's output: an allowed call
// cannot.
func overrulable(e *event, out []byte) bool { return e.Tool == askTool || !decided(out).allows() }

// forgetSaid removes the outputs of hooks for a call, or for every call of the session.
func forgetSaid(folder, call string) {
	files, _ := filepath.Glob(filepath.Join(folder, call+"=*"))
	for _, path := range files {
		_ = os.Remove(path)
	}
}

// overrule reports to the bridge if the result of a call contradicts a hook's output.
func (h *Claude) overrule(ctx context.Context, e *event, folder, call string) error {
	if call == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(folder, call+"=*"))
	var failed []error
	for _, path := range files {
		out, err := os.ReadFile(path)
		if err != nil || os.Remove(path) != nil {
			continue // Another hook has taken it.
		}
		if _, request, _ := strings.Cut(filepath.Base(path), "="); e.differs(out) {
			_, err := h.client.Overruled(ctx, request, e.wasDecided())
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// close closes the card of a request that the terminal has decided. If people have answered it
// meanwhile, their answer was too late, and the card shows that unless it is the same.
func (h *Claude) close(ctx context.Context, e *event, request, reason string) error {
	r, err := h.client.Cancel(ctx, request, reason)
	if err != nil || r.State != ask.Answered || e.Tool == "" {
		return err
	}
	if e.Tool != askTool {
		// The folder may differ from the prompt's, since the command may have changed it.
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

// allowed reports whether people allowed a permission prompt: every option but the last does, and
// typed text does not.
func allowed(r *client.Request) bool {
	if len(r.Answers) == 0 || len(r.Answers[0].Selected) == 0 || len(r.Questions) == 0 {
		return false
	}
	options := r.Questions[0].Options
	return len(options) > 0 && r.Answers[0].Selected[0] != options[len(options)-1].Label
}

// decision is the output of a PermissionRequest hook.
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
	_ = json.Unmarshal(out, &d) // Invalid output allows nothing.
	return d
}

func (d decision) allows() bool { return d.Specific.Decision.Behavior == "allow" }

// differs reports whether a call that has run contradicts a hook's output: a refusal, or answers
// other than those that the tool ran with.
func (e *event) differs(out []byte) bool {
	d := decided(out)
	if !d.allows() {
		return true
	}
	given := e.answers()
	return e.Tool == askTool && given != nil && !maps.Equal(given, answersIn(d.Specific.Decision.Input))
}

// answers returns the answers of a question tool by question text, or nil if the host does not
// report them.
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

// unanswered returns the input without answers, as the host asked.
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

// wasDecided returns the reason for a card whose call was decided otherwise at the terminal.
func (e *event) wasDecided() string {
	if e.Tool == askTool {
		return e.wasAnswered()
	}
	return allowedHere
}

// answerShown is the maximum length of the terminal's answers on a card, in characters.
const answerShown = 300

// wasAnswered returns the reason for a card that the terminal has answered, with the answers.
func (e *event) wasAnswered() string {
	if e.Tool != askTool {
		return answeredHere // Its result may be long, and is not parsed.
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
