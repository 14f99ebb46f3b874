package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/internal/textinput"
)

// MaxTimeout is the maximum timeout of a hook, in seconds: its milliseconds must
// fit into 31 bits.
const MaxTimeout = 1<<31/1000 - 1

// Install describes the hooks in the host's settings.
type Install struct {
	// Command is the shell command of the hook.
	Command string
	// Wait is how long that command waits. The hook's timeout is longer, since a hook that
	// the host ends loses the answer.
	Wait time.Duration
	// Permissions adds permission prompts of tools, Plans the approval of plans, and
	// Elicitations the forms of MCP servers.
	Permissions, Plans, Elicitations bool
	// Beside lets the host's own screen ask too; the command needs the same option. See
	// [Options.Beside].
	Beside bool
	// FailClosed blocks a question, permission, plan or form if its hook fails. Set it only for a host that supports it, see
	// [CanFailClosed]. Hooks that close a card never block anything.
	FailClosed bool
}

// prompting lists the tools with permission prompts.
const prompting = "Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|WebSearch|mcp__.*"

// closing is the timeout of hooks that close a card, in seconds. They delay their
// host for at most [lastWord].
const closing = 10

// prompts matches the tools whose permission prompts are answered. It includes questions only
// with Beside: otherwise PreToolUse has answered them, or handed them back.
func (i *Install) prompts() string {
	var tools []string
	if i.Beside {
		tools = append(tools, askTool)
	}
	if i.Permissions {
		tools = append(tools, prompting)
	}
	if i.Plans {
		tools = append(tools, planTool)
	}
	return strings.Join(tools, "|")
}

// entry is one of an event's hooks, and command what it runs.
type (
	entry struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []command `json:"hooks"`
	}
	command struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
		Timeout int64    `json:"timeout"`
		// OnFailure is what the host does if the hook cannot start, times out or fails: "block", or go on if it is empty.
		// https://code.claude.com/docs/en/hooks
		OnFailure string `json:"onFailure,omitempty"`
	}
)

// Change is a change of the host's settings.
type Change struct {
	// Text is the new settings file.
	Text []byte
	// Removed and Added describe our hooks that change, one per line.
	Removed, Added []string
}

// None reports whether nothing changes.
func (c *Change) None() bool { return len(c.Removed) == 0 && len(c.Added) == 0 }

// Summary describes the events whose hooks change in the settings at a path.
func (c *Change) Summary(path string) string {
	added, removed := events(c.Added), events(c.Removed)
	removed = slices.DeleteFunc(removed, func(event string) bool { return slices.Contains(added, event) })
	var text strings.Builder
	if len(added) > 0 {
		fmt.Fprintf(&text, "Hooks in %s: %s\n", path, strings.Join(added, ", "))
	}
	if len(removed) > 0 {
		fmt.Fprintf(&text, "Removed from %s: %s\n", path, strings.Join(removed, ", "))
	}
	return text.String()
}

// events returns the distinct events of hooks in the format of label.
func events(hooks []string) []string {
	var all []string
	for _, hook := range hooks {
		event, _, _ := strings.Cut(strings.TrimPrefix(hook, "hooks."), ":")
		if !slices.Contains(all, event) {
			all = append(all, event)
		}
	}
	return all
}

// String returns the change as a diff.
func (c *Change) String() string {
	var text strings.Builder
	show := func(sign string, hooks []string) {
		for _, h := range hooks {
			for line := range strings.Lines(h + "\n") {
				text.WriteString(sign + line)
			}
		}
	}
	show("-", c.Removed)
	show("+", c.Added)
	return text.String()
}

// Apply puts the hooks into the settings and replaces those of an earlier Install, even with
// another program name. It preserves every other byte.
func (i *Install) Apply(settings []byte) (*Change, error) {
	seconds := int64((i.Wait + 2*grace) / time.Second)
	if seconds > MaxTimeout {
		return nil, fmt.Errorf("claude: a wait of %s is longer than the host's longest timeout", i.Wait)
	}
	c, err := Remove(settings)
	if err != nil {
		return nil, err
	}
	run := []command{{Type: "command", Command: i.Command, Timeout: seconds}}
	if i.FailClosed {
		run[0].OnFailure = "block"
	}
	end := []command{{Type: "command", Command: i.Command, Timeout: closing}}
	for _, w := range []struct {
		event string
		entry entry
		on    bool
	}{
		{preToolUse, entry{askTool, run}, true},
		{permissionRequest, entry{i.prompts(), run}, i.prompts() != ""},
		{elicitation, entry{"", run}, i.Elicitations},
		{postToolUse, entry{i.prompts(), end}, i.Beside},
		{toolFailed, entry{i.prompts(), end}, i.Beside},
		{userPrompt, entry{"", end}, i.Beside},
		{stop, entry{"", end}, i.Beside},
		{subagentStop, entry{"", end}, i.Beside},
		{sessionEnd, entry{"", end}, i.Beside},
	} {
		if !w.on {
			continue
		}
		if err := c.add(w.event, w.entry); err != nil {
			return nil, err
		}
	}
	if slices.Equal(slices.Sorted(slices.Values(c.Removed)), slices.Sorted(slices.Values(c.Added))) {
		return &Change{Text: settings}, nil
	}
	return c, nil
}

// Remove removes the hooks of Install, and a byte order mark, which Windows editors write.
func Remove(settings []byte) (*Change, error) {
	settings, err := textinput.UTF8(settings)
	if err != nil {
		return nil, fmt.Errorf("claude: the settings: %w", err)
	}
	c := &Change{Text: settings}
	for {
		text, removed, err := removeOne(c.Text)
		if err != nil {
			return nil, err
		}
		if removed == "" {
			return c, nil
		}
		c.Text, c.Removed = text, append(c.Removed, removed)
	}
}

// add appends an entry to its event.
func (c *Change) add(event string, e entry) error {
	if len(bytes.TrimSpace(c.Text)) == 0 {
		c.Text = []byte("{}\n")
	}
	top, hooks, err := read(c.Text)
	if err != nil {
		return err
	}
	if hooks == nil {
		c.Text, err = top.with(c.Text, "hooks", map[string][]entry{event: {e}})
	} else if list, _ := hooks.member(event); list == nil {
		c.Text, err = hooks.with(c.Text, event, []entry{e})
	} else {
		c.Text, err = list.with(c.Text, "", e)
	}
	shown, werr := written("", e, "  ", "", "\n")
	if werr != nil {
		return werr
	}
	c.Added = append(c.Added, label(event, shown))
	return err
}

// label describes a hook.
func label(event string, text []byte) string {
	var shown bytes.Buffer
	if json.Indent(&shown, text, "", "  ") != nil {
		shown.Write(text)
	}
	return "hooks." + event + ": " + shown.String()
}

// read finds the hooks of the settings, or returns nil. The rest must have the documented format.
// https://code.claude.com/docs/en/hooks
func read(text []byte) (top, hooks *node, err error) {
	if top, err = parse(text); err != nil {
		return nil, nil, fmt.Errorf("claude: the settings: %w", err)
	}
	if hooks, _ = top.member("hooks"); hooks == nil {
		return top, nil, nil
	}
	if hooks.kind != '{' {
		return nil, nil, fmt.Errorf("claude: hooks of the settings must be an object")
	}
	for _, event := range hooks.parts {
		if event.kind != '[' {
			return nil, nil, fmt.Errorf("claude: hooks.%s of the settings must be a list", event.name)
		}
		for _, e := range event.parts {
			if run, _ := e.member("hooks"); e.kind != '{' || run != nil && run.kind != '[' {
				return nil, nil, fmt.Errorf("claude: hooks.%s of the settings: an entry must be an object with a list of hooks", event.name)
			}
		}
	}
	return top, hooks, nil
}

// removeOne removes the first of our hooks, with the entry, the event and the
// member that would be empty. It returns its label, or "".
func removeOne(text []byte) ([]byte, string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, "", nil
	}
	top, hooks, err := read(text)
	if err != nil || hooks == nil {
		return text, "", err
	}
	for event, of := range hooks.parts {
		for n := range of.parts {
			run, _ := of.parts[n].member("hooks")
			if run == nil {
				continue
			}
			i := slices.IndexFunc(run.parts, func(p part) bool { return mine(text[p.from:p.to]) })
			switch {
			case i < 0:
				continue
			case len(run.parts) > 1:
				removed := label(of.name, text[run.parts[i].from:run.parts[i].to])
				return run.without(text, i), removed, nil
			}
			removed := label(of.name, text[of.parts[n].from:of.parts[n].to])
			switch {
			case len(of.parts) > 1:
				return of.without(text, n), removed, nil
			case len(hooks.parts) > 1:
				return hooks.without(text, event), removed, nil
			}
			_, at := top.member("hooks")
			return top.without(text, at), removed, nil
		}
	}
	return text, "", nil
}

// mine reports whether Install wrote the hook: any program that is run as "hook claude",
// followed only by flags.
func mine(hook []byte) bool {
	var c command
	if json.Unmarshal(hook, &c) != nil {
		return false
	}
	all := slices.Concat(words(c.Command), c.Args)
	for len(all) > 0 && (all[0] == "exec" || all[0] == "env" || strings.Contains(all[0], "=")) {
		all = all[1:]
	}
	return len(all) > 2 && all[1] == "hook" && all[2] == "claude" && (len(all) == 3 || strings.HasPrefix(all[3], "-"))
}

// words splits a shell command, with quotes and backslashes.
func words(command string) []string {
	var all []string
	var word strings.Builder
	quote, begun := rune(0), false
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if begun {
				all = append(all, word.String())
			}
			begun = false
			word.Reset()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		all = append(all, word.String())
	}
	return all
}
