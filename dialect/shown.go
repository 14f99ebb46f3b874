package dialect

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/visible"
)

// A card shows what a permission covers in one text:
//
//	In ~/src/ledger                     the folder, if it is known
//	Environment: staging                the environment, if the host has several
//
//	npm test                            the command or text as it is, or else
//	                                    the input as JSON, or as a diff
//	The agent also sent:                members beside that text
//	timeout: 1000
//
//	The host also sent:                 members of the host's prompt
//	blocked_path: "/etc"
//
//	In the agent's words: "Run the tests"
//
// Two prompts that cover different operations never have the same text. JSON, diffs and names of
// members cannot be mistaken for anything else, since the texts in them are quoted or marked
// line by line. A command or plan is shown as it is, unless something in it could be
// mistaken for another part, or is invisible: then it is quoted.

// The lines that begin a part of the text.
const (
	alsoSent   = "The agent also sent:"
	hostSent   = "The host also sent:"
	agentWords = "In the agent's words: "
	// noContent marks a change whose content is unknown.
	noContent = "The agent did not send the content of this change."
)

// likePart is how a text begins that could be mistaken for a folder, a member, a diff, JSON or a
// quoted text.
var likePart = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|--- |\S+:(?:\s|$)|\S*\."|` + likeFolder + `)`)

const likeFolder = `In (?:[/~"\\]|[A-Za-z]:)`

// likePlan is the same for a plan, whose only other form is JSON.
var likePlan = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|Environment:|` + likeFolder + `)`)

// imitates reports whether a line of the text could be mistaken for the beginning of a part.
func imitates(text string) bool {
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, " \t\n"); {
		case line == alsoSent, line == hostSent, line == noContent, strings.HasPrefix(line, strings.TrimSpace(agentWords)):
			return true
		}
	}
	return false
}

// asIs is a text as it is, or quoted.
func asIs(text string) string {
	if !visible.Plain(text) || likePart.MatchString(text) || imitates(text) {
		return visible.Quote(text)
	}
	return text
}

// spelled is how [visible.Reveal] writes a character that cannot be seen.
var spelled = regexp.MustCompile(`\\u[0-9a-f]{4}`)

// noPlan is shown for a plan call without a plan, which Claude Code makes if the agent wrote none.
const noPlan = "The agent sent no plan."

// shownPlan is a plan with the other members of its input. Plans are long texts for people, so that
// an invisible character is escaped in place.
func shownPlan(f fields) string {
	plan, ok := plainText(f["plan"])
	rest := maps.Clone(f)
	delete(rest, "plan")
	if !hasPlan(f) {
		return withRest(noPlan, rest)
	}
	if !ok {
		return strictjson.Show(f.object())
	}
	shown := visible.Reveal(plan)
	if likePlan.MatchString(plan) || imitates(plan) || spelled.MatchString(plan) || strings.HasPrefix(plan, noPlan) {
		shown = visible.Quote(plan)
	}
	return withRest(shown, rest)
}

// hasPlan reports whether the input of a plan call has a plan.
func hasPlan(f fields) bool { return !missing(f["plan"]) && string(f["plan"]) != `""` }

// toolInput returns how the input of a tool is shown, the agent's words about it, and the part that
// an approval covers. The command of a shell is shown as it will run. Only the description of a
// shell's command counts as the agent's words, see [shells].
func toolInput(input json.RawMessage, shell bool) (shown, words string, covered any) {
	if input[0] != '{' {
		return shownValue("(input)", input), "", input // No member has such a name.
	}
	f := members(input)
	if command, ok := plainText(f["command"]); shell && ok && command != "" {
		if words, ok = plainText(f["description"]); ok {
			delete(f, "description")
		}
		rest := maps.Clone(f)
		delete(rest, "command")
		return withRest(asIs(command), rest), words, f
	}
	if changed, ok := shownChange("", input, maxDepth); ok {
		return changed, "", input
	}
	return strictjson.Show(input), "", input
}

// withRest is a text followed by other members of the input.
func withRest(text string, f fields) string {
	rest := shownRest(f)
	if text == "" || rest == "" {
		return text + rest
	}
	return lines(text, alsoSent+"\n"+rest)
}

// withPrompt is an input followed by members of the prompt around it.
func withPrompt(text string, parts []string) string {
	if len(parts) == 0 {
		return text
	}
	return lines(text, hostSent+"\n"+lines(parts...))
}

// shownRest are the members of an object.
func shownRest(f fields) string { return lines(shownParts("", f)...) }

// shownParts are the members of an object at a path, in the order of their names.
func shownParts(at string, f fields) []string {
	var parts []string
	for _, name := range sortedKeys(f) {
		parts = append(parts, shownValue(at+within("", name), f[name]))
	}
	return parts
}

// shownValue is a value at a path.
func shownValue(at string, value json.RawMessage) string {
	if changed, ok := shownChange(at, value, maxDepth); ok {
		return changed
	}
	return at + ": " + strictjson.Show(value)
}

// quotedWords are the agent's words about a call, cut at a limit that nothing covered exceeds.
func quotedWords(text string) string {
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > maxWords {
		text = string(r[:maxWords]) + "…"
	}
	return agentWords + visible.Quote(text)
}

// maxWords is the longest text that a card shows in the agent's words, in characters.
const maxWords = 300

// where is the folder and the environment of the call.
func (c *call) where() string {
	var all []string
	if folder := c.request.Operation.Folder; folder != "" {
		all = append(all, "In "+shownFolder(folder, c.home))
	}
	if environment := c.request.Operation.Environment; environment != "" {
		all = append(all, "Environment: "+onOneLine(environment))
	}
	return strings.Join(all, "\n")
}

// absolute is a path from the root of a file system.
var absolute = regexp.MustCompile(`^(?:/|[A-Za-z]:[/\\]|\\\\)`)

// shownFolder is a complete path, with ~ for the person's home. Only an absolute path is shown as
// it is.
func shownFolder(folder, home string) string {
	if !absolute.MatchString(folder) || onOneLine(folder) != folder {
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

// onOneLine is a text within a line of ours, quoted where it could be mistaken for more.
func onOneLine(text string) string {
	if !visible.Plain(text) || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t") || strings.HasPrefix(text, `"`) {
		return visible.Quote(text)
	}
	return text
}

// named is a name within a sentence of ours.
func named(name string) string {
	if strings.ContainsAny(name, "“”") || onOneLine(name) != name {
		return visible.Quote(name)
	}
	return name
}

// shownText is a text of the input in a sentence of ours, with nothing in it hidden.
func shownText(text string) string {
	if !visible.Plain(text) {
		return visible.Quote(text)
	}
	return text
}

// lines joins what is there, with an empty line between.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// hasText reports whether a value has a text in a member whose name counts.
func hasText(data json.RawMessage, counts func(name string) bool) bool {
	return textIn("", data, counts, maxDepth+1)
}

func textIn(name string, data json.RawMessage, counts func(name string) bool, depth int) bool {
	if depth == 0 || missing(data) {
		return false
	}
	switch data[0] {
	case '"':
		return counts(name)
	case '[':
		return slices.ContainsFunc(fieldList(data), func(item json.RawMessage) bool { return textIn(name, item, counts, depth-1) })
	case '{':
		for inner, value := range members(data) {
			if textIn(inner, value, counts, depth-1) {
				return true
			}
		}
	}
	return false
}

// isContent reports whether a member of that name can hold the content of a change, and not only
// name the file.
func isContent(name string) bool {
	return !slices.Contains(append([]string{"uri", "type", "kind", "files"}, paths...), name)
}

// isNew reports whether a member of that name holds the text that replaces another one.
func isNew(name string) bool { return slices.Contains(replacing[:], name) }
