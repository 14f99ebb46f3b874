package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// MaxTimeout is the longest timeout of a hook, in seconds: its milliseconds must
// fit 31 bits.
const MaxTimeout = 1<<31/1000 - 1

// Install is what stands in the host's settings.
type Install struct {
	// Command is the shell command of the hook.
	Command string
	// Wait is how long that command waits. The host is told to wait longer: a
	// hook it ends first loses the answer.
	Wait time.Duration
	// Permissions has tool permissions asked in chat too, Plans the approval of
	// plans, and Elicitations the forms of MCP servers.
	Permissions, Plans, Elicitations bool
}

// prompting are the tools whose use is asked about. AskUserQuestion is left out:
// PreToolUse has answered it, or handed it back.
const prompting = "Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|WebSearch|mcp__.*"

// prompts matches the tools whose permission prompts are answered.
func (i *Install) prompts() string {
	switch {
	case !i.Plans:
		return prompting
	case !i.Permissions:
		return planTool
	}
	return prompting + "|" + planTool
}

// ours is in every command that Install writes, and tells it from others'.
const ours = " hook claude"

// member is one member of a JSON object whose order is kept.
type member struct {
	name  string
	value json.RawMessage
}

// Apply returns the settings with the hooks in them, in place of those that an
// earlier Install left. Everything else is kept, in its order.
func (i *Install) Apply(settings []byte) ([]byte, error) {
	seconds := int64((i.Wait + 2*grace) / time.Second)
	if seconds > MaxTimeout {
		return nil, fmt.Errorf("hook: a wait of %s is longer than the host's longest timeout", i.Wait)
	}
	type entry struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []any  `json:"hooks"`
	}
	type command struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int64  `json:"timeout"`
	}
	run := []any{command{"command", i.Command, seconds}}
	wanted := []struct {
		event string
		entry entry
		on    bool
	}{
		{preToolUse, entry{askTool, run}, true},
		{permissionRequest, entry{i.prompts(), run}, i.Permissions || i.Plans},
		{elicitation, entry{"", run}, i.Elicitations},
	}
	return edit(settings, func(hooks []member) ([]member, error) {
		for _, w := range wanted {
			if !w.on {
				continue
			}
			data, err := encode(w.entry)
			if err != nil {
				return nil, err
			}
			if hooks, err = appended(hooks, w.event, data); err != nil {
				return nil, err
			}
		}
		return hooks, nil
	})
}

// Remove returns the settings without the hooks that Install wrote.
func Remove(settings []byte) ([]byte, error) {
	return edit(settings, func(hooks []member) ([]member, error) { return hooks, nil })
}

// edit takes our hooks out, lets f put others in, and writes the settings with
// two spaces, as the host does.
func edit(settings []byte, f func(hooks []member) ([]member, error)) ([]byte, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		settings = []byte("{}")
	}
	top, err := members(settings)
	if err != nil {
		return nil, fmt.Errorf("hook: the settings: %w", err)
	}
	at, hooks := len(top), []member{}
	for n, m := range top {
		if m.name == "hooks" {
			at = n
			if hooks, err = members(m.value); err != nil {
				return nil, fmt.Errorf("hook: hooks of the settings: %w", err)
			}
		}
	}
	if hooks, err = without(hooks); err != nil {
		return nil, err
	}
	if hooks, err = f(hooks); err != nil {
		return nil, err
	}
	switch {
	case len(hooks) > 0 && at == len(top):
		top = append(top, member{"hooks", object(hooks)})
	case len(hooks) > 0:
		top[at].value = object(hooks)
	case at < len(top):
		top = append(top[:at:at], top[at+1:]...)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, object(top), "", "  "); err != nil {
		return nil, fmt.Errorf("hook: write settings: %w", err)
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// without drops the entries whose only commands are ours, and ours from others.
func without(hooks []member) ([]member, error) {
	var kept []member
	for _, m := range hooks {
		var entries, left []json.RawMessage
		if err := json.Unmarshal(m.value, &entries); err != nil {
			return nil, fmt.Errorf("hook: hooks.%s of the settings must be a list", m.name)
		}
		for _, e := range entries {
			trimmed, ok, err := trim(e)
			if err != nil {
				return nil, fmt.Errorf("hook: hooks.%s of the settings: %w", m.name, err)
			}
			if ok {
				left = append(left, trimmed)
			}
		}
		if len(left) > 0 || len(entries) == 0 {
			kept = append(kept, member{m.name, list(left)})
		}
	}
	return kept, nil
}

// trim takes our commands out of an entry; it is not ok when nothing is left.
func trim(entry json.RawMessage) (json.RawMessage, bool, error) {
	all, err := members(entry)
	if err != nil {
		return nil, false, err
	}
	for n, m := range all {
		if m.name != "hooks" {
			continue
		}
		var commands, left []json.RawMessage
		if err := json.Unmarshal(m.value, &commands); err != nil {
			return nil, false, errors.New("an entry's hooks must be a list")
		}
		for _, c := range commands {
			var is struct{ Command string }
			if json.Unmarshal(c, &is) != nil || !mine(is.Command) {
				left = append(left, c)
			}
		}
		if len(left) == len(commands) {
			return entry, true, nil
		}
		all[n].value = list(left)
		return object(all), len(left) > 0, nil
	}
	return entry, true, nil
}

// mine reports whether Install wrote the command.
func mine(command string) bool {
	program, _, ok := strings.Cut(command, ours)
	return ok && strings.Contains(program, "askbridge")
}

// appended adds an entry to the list of an event.
func appended(hooks []member, event string, entry json.RawMessage) ([]member, error) {
	for n, m := range hooks {
		if m.name != event {
			continue
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(m.value, &entries); err != nil {
			return nil, fmt.Errorf("hook: hooks.%s of the settings must be a list", event)
		}
		hooks[n].value = list(append(entries, entry))
		return hooks, nil
	}
	return append(hooks, member{event, list([]json.RawMessage{entry})}), nil
}

// members reads an object in its order.
func members(data []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("not a JSON object"), err)
	}
	var all []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		m := member{name: name.(string)} //nolint:forcetypeassert // A decoder gives nothing else there.
		if err := d.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		all = append(all, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if d.More() {
		return nil, errors.New("not JSON: something follows the object")
	}
	return all, nil
}

func object(all []member) json.RawMessage {
	var parts [][]byte
	for _, m := range all {
		name, err := encode(m.name)
		if err != nil {
			panic("hook: a text can be written: " + err.Error())
		}
		parts = append(parts, bytes.Join([][]byte{name, m.value}, []byte(":")))
	}
	return bytes.Join([][]byte{[]byte("{"), bytes.Join(parts, []byte(",")), []byte("}")}, nil)
}

func list(all []json.RawMessage) json.RawMessage {
	var parts [][]byte
	for _, v := range all {
		parts = append(parts, v)
	}
	return bytes.Join([][]byte{[]byte("["), bytes.Join(parts, []byte(",")), []byte("]")}, nil)
}

// encode leaves <, > and & as they are.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("hook: write settings: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
