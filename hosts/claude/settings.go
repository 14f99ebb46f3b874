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
	// Beside has the host's own screen ask too; the command has to say so as well.
	// See [Options.Beside].
	Beside bool
	// FailClosed blocks a question, permission, plan or form if its hook fails. Set it only for a host that knows it, see
	// [CanFailClosed]. Hooks that close a card never block anything.
	FailClosed bool
}

// prompting are the tools whose use is asked about.
const prompting = "Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|WebSearch|mcp__.*"

// closing is the timeout of hooks that close a card, in seconds. They hold their
// host for [lastWord] at most.
const closing = 10

// prompts matches the tools whose permission prompts are answered. Questions are
// among them beside the host's own screen alone: else PreToolUse has answered
// them, or handed them back.
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

// Change is what becomes of the host's settings.
type Change struct {
	// Text are the settings afterwards.
	Text []byte
	// Removed and Added are our own hooks that go and come, as the lines of a
	// reader. Nothing of others is among them.
	Removed, Added []string
}

// None reports whether everything stays.
func (c *Change) None() bool { return len(c.Removed) == 0 && len(c.Added) == 0 }

// Summary names the events whose hooks change in the settings at a path.
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

// events are the events of hooks as label writes them, each once.
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

// String shows what goes and comes, line by line.
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

// Apply puts the hooks into the settings, in place of those that an earlier
// Install left, whatever the program was called then. What others wrote keeps
// every byte.
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

// Remove takes out the hooks that Install put in. A byte order mark, which editors of Windows write, is taken out too.
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

// add puts an entry behind those of its event.
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

// label is a hook for a reader.
func label(event string, text []byte) string {
	var shown bytes.Buffer
	if json.Indent(&shown, text, "", "  ") != nil {
		shown.Write(text)
	}
	return "hooks." + event + ": " + shown.String()
}

// read finds the hooks of the settings; nil where there are none. Whatever else
// stands there must have the shape that the host documents.
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

// removeOne takes out the first of our hooks, with the entry, the event and the
// member that hold nothing else. It returns what it took out, "" for nothing.
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

// mine reports whether Install wrote the hook: whatever the program is called, it
// is run as "hook claude", with flags behind that alone.
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

// words splits a shell command as far as quotes and backslashes go.
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
