package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/internal/strictjson"
)

// errBesides means that an answer to a question contains more than that.
var errBesides = errors.New("claude: the reply contains more than an answer, and without a token nothing proves that it comes from the bridge; give the hook a token")

// answersOnly returns nil if a hook's output is only an answer to a question, or empty. A bridge
// that is not authenticated may be another program: it can answer questions, but its output could
// also change permission rules or end the session.
// https://code.claude.com/docs/en/hooks
func answersOnly(event string, out []byte) error {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	whole, err := only(out, "hookSpecificOutput")
	if err != nil {
		return err
	}
	output, err := only(whole["hookSpecificOutput"],
		"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext", "decision", "action", "content")
	if err != nil {
		return err
	}
	if d := output["decision"]; d != nil {
		if _, err := only(d, "behavior", "updatedInput", "message"); err != nil {
			return err
		}
	}
	var name string
	if strictjson.Decode(output["hookEventName"], &name) != nil || name != event {
		return errBesides
	}
	return nil
}

// only decodes an object that has no other members.
func only(data json.RawMessage, known ...string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if strictjson.Decode(data, &members) != nil {
		return nil, errBesides
	}
	for name := range members {
		if !slices.Contains(known, name) {
			return nil, errBesides
		}
	}
	return members, nil
}
