package dialect

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/visible"
)

// claudeSuggestion is an option that allows more than this call.
type claudeSuggestion struct {
	ask.Option
	update js.Text
}

// maxSuggestions is how many suggestions are offered.
const maxSuggestions = 8

// claudeDestination is a place where the host keeps permissions.
type claudeDestination struct {
	level       Persist
	label, text string
}

var claudeDestinations = map[string]claudeDestination{
	"session":         {PersistSession, "Allow for this session", "until this session ends"},
	"localSettings":   {PersistLocal, "Allow in this repository", "in this repository, permanently, for this user only (.claude/settings.local.json)"},
	"projectSettings": {PersistProject, "Allow in this repository for everyone", "in this repository, permanently, for everyone who works on it (.claude/settings.json)"},
	"userSettings":    {PersistUser, "Allow everywhere", "in every folder of this user, permanently (~/.claude/settings.json)"},
}

// readSuggestions offers the host's suggestions to allow more than this call, each with its rule and reach. A suggestion beyond
// the limit is offered for the session instead, and the mode that accepts every edit as a rule for the one file, see
// [claudePrompt.narrow]. Any other suggestion is returned byte for byte. Other modes, rules for everything a tool does, and
// suggestions too long to show are not offered.
func (p *claudePrompt) readSuggestions(c *call) {
	for _, name := range []string{"defaultToNo", "default_to_no"} {
		p.confirm = p.confirm || c.Flag(name, p.envelope[name])
	}
	for _, name := range []string{"suppressAlwaysAllowRule", "suppress_always_allow_rule"} {
		if c.Flag(name, p.envelope[name]) {
			return
		}
	}
	const at = "permission_suggestions"
	all, ok := c.List(at, p.envelope[at], "a list of what may be allowed from then on")
	if !ok {
		return
	}
	for n, raw := range all {
		raw = p.narrow(c.opts.Persist, raw)
		label, text, ok := claudeSuggestionText(c.opts.Persist, raw)
		if !ok || len(p.suggestions) == maxSuggestions {
			c.Advise(fmt.Sprintf("%s[%d]", at, n), "is not offered")
			continue
		}
		if slices.ContainsFunc(p.suggestions, func(s claudeSuggestion) bool { return s.Label == label && s.Description == text }) {
			continue // Two suggestions can become the same rule for the session.
		}
		full := label
		for again := 2; slices.ContainsFunc(p.suggestions, func(s claudeSuggestion) bool { return s.Label == label }); again++ {
			label = fmt.Sprintf("%s (%d)", full, again)
		}
		p.suggestions = append(p.suggestions, claudeSuggestion{ask.Option{Label: label, Description: text}, js.Text(raw)})
	}
}

// narrow returns a suggestion that allows less if the suggestion itself is not offered: the same rule until the session ends
// instead of one beyond the limit, and a rule for the file instead of the mode that accepts every edit. Claude Code accepts
// rules that it did not suggest.
func (p *claudePrompt) narrow(limit Persist, raw json.RawMessage) json.RawMessage {
	f := js.FieldsOf(raw)
	where, _ := js.StringOf(f["destination"])
	if to, known := claudeDestinations[where]; known && !limit.allows(to.level) && limit.allows(PersistSession) {
		f["destination"] = json.RawMessage(`"session"`)
		raw = f.Object()
	}
	if kind, _ := js.StringOf(f["type"]); kind != "setMode" || string(f["mode"]) != `"acceptEdits"` || string(f["destination"]) != `"session"` || len(f) != 3 {
		return raw
	}
	rule, ok := p.fileRule()
	if !ok {
		return raw
	}
	return json.RawMessage(js.Object(
		js.At("type", `"addRules"`), js.At("rules", js.Array([]js.Text{js.Object(js.At("toolName", `"Edit"`), js.At("ruleContent", js.String(rule)))})), js.At("behavior", `"allow"`), js.At("destination", `"session"`),
	))
}

// plainPath matches an absolute path without characters that have a meaning in a rule.
var plainPath = regexp.MustCompile(`^/[\pL\pN ._@+,=~/-]*[\pL\pN._-]$`)

// fileRule is the content of a rule for edits of the file that the call changes. In a rule, an absolute path begins with two
// slashes. https://code.claude.com/docs/en/permissions
func (p *claudePrompt) fileRule() (string, bool) {
	input := js.FieldsOf(p.envelope[p.path])
	name := "file_path"
	if p.tool == "NotebookEdit" {
		name = "notebook_path"
	}
	file, ok := js.StringOf(input[name])
	if !ok || !slices.Contains(claudeEdits, p.tool) || !plainPath.MatchString(file) || path.Clean(file) != file {
		return "", false
	}
	return "/" + file, true
}

// claudeSuggestionText describes a suggestion. It is not ok for a suggestion that is not offered.
func claudeSuggestionText(limit Persist, raw json.RawMessage) (label, text string, ok bool) {
	f := js.FieldsOf(raw)
	kind, _ := js.StringOf(f.Take("type"))
	where, _ := js.StringOf(f.Take("destination"))
	to, known := claudeDestinations[where]
	var rules, effects []string
	switch kind {
	case "addRules":
		behavior, _ := js.StringOf(f.Take("behavior"))
		if rules, effects, ok = claudeRules(f.Take("rules")); behavior != "allow" {
			return "", "", false
		}
	case "addDirectories":
		if rules, ok = quote.Texts(f.Take("directories")); ok {
			effects = []string{"the agent may work in " + strings.Join(rules, " and ")}
		}
	}
	if text = strings.Join(effects, "; "); text != "" {
		text = strings.ToUpper(text[:1]) + text[1:] + ", " + to.text + "."
	}
	if !ok || !known || len(f) > 0 || !limit.allows(to.level) || utf8.RuneCountInString(text) > maxOptionText {
		return "", "", false
	}
	return quote.Line(to.label+": "+strings.Join(rules, ", "), maxOptionLabel), text, true
}

// claudeRules returns rules as the host writes them, such as Bash(npm test *), and what each of them allows. It is not ok if
// one has no content, because such a rule allows everything its tool does.
// https://code.claude.com/docs/en/permissions
func claudeRules(data json.RawMessage) (rules, effects []string, ok bool) {
	all := js.Items(data)
	for _, raw := range all {
		f := js.FieldsOf(raw)
		tool, _ := js.StringOf(f.Take("toolName"))
		content, _ := js.StringOf(f.Take("ruleContent"))
		if tool == "" || strings.Trim(content, " :*") == "" || len(f) > 0 || !visible.Plain(tool) {
			return nil, nil, false
		}
		shown := quote.Text(content)
		rule := tool + "(" + shown + ")"
		rules = append(rules, rule)
		begins, prefix := strings.CutSuffix(shown, ":*")
		command, arguments := strings.CutSuffix(shown, " *")
		domain, pages := strings.CutPrefix(shown, "domain:")
		file, edits := strings.CutPrefix(shown, "//")
		switch {
		case tool == "Bash" && prefix && !strings.Contains(begins, "*"):
			effects = append(effects, "every command that begins with “"+begins+"” runs without asking")
		case tool == "Bash" && arguments && !strings.Contains(command, "*"):
			effects = append(effects, "the command “"+command+"” runs without asking, with any arguments")
		case tool == "WebFetch" && pages && !strings.Contains(domain, "*"):
			effects = append(effects, "pages of "+domain+" are read without asking")
		case tool == "Edit" && edits && plainPath.MatchString("/"+file):
			effects = append(effects, "/"+file+" is changed without asking")
		case tool == "Bash" && !strings.Contains(shown, "*"):
			effects = append(effects, "the command “"+shown+"” runs without asking")
		default:
			effects = append(effects, "everything that "+rule+" matches runs without asking")
		}
	}
	return rules, effects, len(all) > 0
}
