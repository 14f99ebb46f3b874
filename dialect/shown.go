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
//	The agent says: "Run the tests"
//
// Two prompts that cover different operations never have the same text. JSON, diffs and names of
// members cannot be mistaken for anything else, since the texts in them are quoted or marked
// line by line. A command or plan stands there as it is, unless something in it could be
// mistaken for another part, or cannot be seen: then it is quoted.

// The lines that begin a part of the text.
const (
	alsoSent   = "The agent also sent:"
	sentBeside = "The host also sent:"
	agentSays  = "The agent says: "
	// noContent stands below a change whose content is unknown.
	noContent = "The agent did not send the content of this change."
)

// likePart is how a text begins that could be mistaken for a folder, a member, a diff, JSON or a
// quoted text.
var likePart = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|--- |\S+:(?:\s|$)|\S*\."|` + likeFolder + `)`)

const likeFolder = `In (?:[/~"\\]|[A-Za-z]:)`

// likePlan is the same for a plan, beside which there is only JSON.
var likePlan = regexp.MustCompile(`^(?:\{(?:\n|\}|$)|"|Environment:|` + likeFolder + `)`)

// imitates reports whether a line of the text could be mistaken for the beginning of a part.
func imitates(text string) bool {
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, " \t\n"); {
		case line == alsoSent, line == sentBeside, line == noContent, strings.HasPrefix(line, strings.TrimSpace(agentSays)):
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

// shownPlan is a plan with whatever else the host would be told. Plans are long texts for people,
// so that a character that cannot be seen is spelled within it.
func shownPlan(input json.RawMessage) string {
	f := members(input)
	plan, ok := plainText(f["plan"])
	if !ok || plan == "" {
		return strictjson.Show(input)
	}
	delete(f, "plan")
	shown := visible.Reveal(plan)
	if likePlan.MatchString(plan) || imitates(plan) || spelled.MatchString(plan) {
		shown = visible.Quote(plan)
	}
	return withRest(shown, f)
}

// toolInput is what a tool is about to be given: how it is shown, what the agent says about it, and
// the part of it that an approval covers. The command of a shell stands on the card as it will
// run. Only the description of a shell's command is what the agent says, see [shells].
func toolInput(input json.RawMessage, shell bool) (shown, says string, covered any) {
	if input[0] != '{' {
		return shownValue("(input)", input), "", input // No member has such a name.
	}
	f := members(input)
	if command, ok := plainText(f["command"]); shell && ok && command != "" {
		if says, ok = plainText(f["description"]); ok {
			delete(f, "description")
		}
		rest := maps.Clone(f)
		delete(rest, "command")
		return withRest(asIs(command), rest), says, f
	}
	if changed, ok := shownChange("", input, maxDepth); ok {
		return changed, "", input
	}
	return strictjson.Show(input), "", input
}

// withRest is a text with the members beside it.
func withRest(text string, f fields) string {
	rest := shownRest(f)
	if text == "" || rest == "" {
		return text + rest
	}
	return lines(text, alsoSent+"\n"+rest)
}

// withBeside is an input with what the prompt around it says.
func withBeside(text string, parts []string) string {
	if len(parts) == 0 {
		return text
	}
	return lines(text, sentBeside+"\n"+lines(parts...))
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

// said is what the agent says about a call, up to a limit that nothing covered exceeds.
func said(text string) string {
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > maxSaid {
		text = string(r[:maxSaid]) + "…"
	}
	return agentSays + visible.Quote(text)
}

// maxSaid is how much of what an agent says stands on a card, in characters.
const maxSaid = 300

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

// absolute is a path from the root of a file system. It has no name in it that is only dots: those
// of another folder could be hidden behind it.
var absolute = regexp.MustCompile(`^(?:/|[A-Za-z]:[/\\]|\\\\)`)

// shownFolder is a complete path, whose beginning is ~ where that is the person's home. Only an
// absolute path stands there as it is.
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
// say which file it is about.
func isContent(name string) bool {
	return !slices.Contains(append([]string{"uri", "type", "kind", "files"}, paths...), name)
}

// isNew reports whether a member of that name holds the text that replaces another one.
func isNew(name string) bool { return slices.Contains(replacing[:], name) }
