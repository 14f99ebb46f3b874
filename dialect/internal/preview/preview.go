// Package preview writes the text in which a card shows everything that an approval covers:
//
//	In ~/src/ledger                     the folder, if it is known
//	Environment: staging                the environment, if the host has several
//
//	npm test                            the command or text as it is, otherwise
//	                                    the input as JSON or as a diff
//	The agent also sent:                other members of the input
//	timeout: 1000
//
//	The host also sent:                 members of the host's prompt
//	blocked_path: "/etc"
//
//	In the agent's words: "Run the tests"
//
// Two prompts that cover different operations never have the same text. JSON, diffs and names of members cannot be mistaken
// for anything else, because the texts in them are quoted or marked line by line. A command or plan is shown as it is,
// unless a part of it is hidden or could be mistaken for another part of the card: then it is quoted.
package preview

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/dialect/internal/diff"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// Lines that begin a part of the text.
const (
	alsoSent = "The agent also sent:"
	hostSent = "The host also sent:"
	// AgentWords begins the agent's description of the call.
	AgentWords = "In the agent's words: "
	// NoContent marks a change whose content is unknown.
	NoContent = "The agent did not send the content of this change."
)

// likePart matches a text whose beginning could be mistaken for a folder, a member, a diff, JSON or a quoted text.
var likePart = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|--- |\S+:(?:\s|$)|\S*\."|` + likeFolder + `)`)

const likeFolder = `In (?:[/~"\\]|[A-Za-z]:)`

// likePlan is likePart for a plan, whose only other form is JSON.
var likePlan = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|Environment:|` + likeFolder + `)`)

// Imitates reports whether a line of the text could be mistaken for the beginning of a part.
func Imitates(text string) bool {
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, " \t\n"); {
		case line == alsoSent, line == hostSent, line == NoContent, strings.HasPrefix(line, strings.TrimSpace(AgentWords)):
			return true
		}
	}
	return false
}

// AsIs returns a text, quoted if it could be mistaken for another part or has hidden characters.
func AsIs(text string) string {
	if !visible.Plain(text) || likePart.MatchString(text) || Imitates(text) {
		return visible.Quote(text)
	}
	return text
}

// spelled matches an invisible character as [visible.Reveal] writes it.
var spelled = regexp.MustCompile(`\\u[0-9a-f]{4}`)

// noPlan is shown for a plan call without a plan, which Claude Code sends if the agent wrote none.
const noPlan = "The agent sent no plan."

// Plan shows a plan with the other members of its input. Plans are long texts for people, so an invisible character is
// escaped in place.
func Plan(f js.Fields) string {
	plan, ok := js.StringOf(f["plan"])
	rest := maps.Clone(f)
	delete(rest, "plan")
	if !HasPlan(f) {
		return WithRest(noPlan, rest)
	}
	if !ok {
		return strictjson.Show(f.Object())
	}
	shown := visible.Reveal(plan)
	if likePlan.MatchString(plan) || Imitates(plan) || spelled.MatchString(plan) || strings.HasPrefix(plan, noPlan) {
		shown = visible.Quote(plan)
	}
	return WithRest(shown, rest)
}

// HasPlan reports whether the input of a plan call has a plan.
func HasPlan(f js.Fields) bool { return !js.Missing(f["plan"]) && string(f["plan"]) != `""` }

// ToolInput returns how the input of a tool is shown, the agent's words about it, and the part that an approval covers. The
// command of a shell is shown as it will run. Only the description of a shell's command counts as the agent's words.
func ToolInput(input json.RawMessage, shell bool) (shown, words string, covered any) {
	if input[0] != '{' {
		return value("(input)", input), "", input // No member has this name.
	}
	f := js.FieldsOf(input)
	if command, ok := js.StringOf(f["command"]); shell && ok && command != "" {
		if words, ok = js.StringOf(f["description"]); ok {
			delete(f, "description")
		}
		rest := maps.Clone(f)
		delete(rest, "command")
		return WithRest(AsIs(command), rest), words, f
	}
	if changed, ok := diff.Change("", input, diff.MaxDepth); ok {
		return changed, "", input
	}
	return strictjson.Show(input), "", input
}

// WithRest returns a text followed by other members of the input.
func WithRest(text string, f js.Fields) string {
	rest := Rest(f)
	if text == "" || rest == "" {
		return text + rest
	}
	return quote.Paragraphs(text, alsoSent+"\n"+rest)
}

// WithPrompt returns the text of an input followed by members of the prompt around it.
func WithPrompt(text string, parts []string) string {
	if len(parts) == 0 {
		return text
	}
	return quote.Paragraphs(text, hostSent+"\n"+quote.Paragraphs(parts...))
}

// Rest shows the members of an object.
func Rest(f js.Fields) string { return quote.Paragraphs(Parts("", f)...) }

// Parts shows each member of an object at a path, in the order of their names.
func Parts(at string, f js.Fields) []string {
	var parts []string
	for _, name := range js.Keys(f) {
		parts = append(parts, value(at+diff.Path("", name), f[name]))
	}
	return parts
}

// value shows a value at a path.
func value(at string, value json.RawMessage) string {
	if changed, ok := diff.Change(at, value, diff.MaxDepth); ok {
		return changed
	}
	return at + ": " + strictjson.Show(value)
}

// Words shows the agent's words about a call, cut at a limit.
func Words(text string) string {
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > MaxWords {
		text = string(r[:MaxWords]) + "…"
	}
	return AgentWords + visible.Quote(text)
}

// MaxWords is the longest text that a card shows in the agent's words, in characters.
const MaxWords = 300

// absolute matches a path from the root of a file system.
var absolute = regexp.MustCompile(`^(?:/|[A-Za-z]:[/\\]|\\\\)`)

// Folder shows a complete path, with ~ for the person's home. A path that is not absolute is quoted.
func Folder(folder, home string) string {
	if !absolute.MatchString(folder) || quote.OnOneLine(folder) != folder {
		return visible.Quote(folder)
	}
	home = strings.TrimRight(home, `/\`)
	if !absolute.MatchString(home+"/") || path.Clean(home) == "/" || home == "" {
		return folder
	}
	if rest, ok := strings.CutPrefix(folder, home); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		return "~" + rest
	}
	return folder
}

// HasText reports whether a value has a text in a member whose name counts.
func HasText(data json.RawMessage, counts func(name string) bool) bool {
	return textIn("", data, counts, diff.MaxDepth+1)
}

func textIn(name string, data json.RawMessage, counts func(name string) bool, depth int) bool {
	if depth == 0 || js.Missing(data) {
		return false
	}
	switch data[0] {
	case '"':
		return counts(name)
	case '[':
		return slices.ContainsFunc(js.Items(data), func(item json.RawMessage) bool { return textIn(name, item, counts, depth-1) })
	case '{':
		for inner, value := range js.FieldsOf(data) {
			if textIn(inner, value, counts, depth-1) {
				return true
			}
		}
	}
	return false
}

// IsContent reports whether a member of this name can hold the content of a change, and does not just name the file.
func IsContent(name string) bool {
	return !slices.Contains(append([]string{"uri", "type", "kind", "files"}, diff.Paths...), name)
}

// IsNew reports whether a member of this name holds a replacement text.
func IsNew(name string) bool { return slices.Contains(diff.Replacing[:], name) }
