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
	"github.com/askbridge/askbridge/internal/visible"
)

// Persist is how far a permission may reach beyond the call that it is asked for.
type Persist string

// The ceilings, each with those before it. They are where Claude Code keeps what
// was allowed: https://code.claude.com/docs/en/settings
const (
	// PersistNone offers this one call alone.
	PersistNone Persist = "none"
	// PersistSession offers what ends with the session.
	PersistSession Persist = "session"
	// PersistLocal offers one's own settings of the repository too.
	PersistLocal Persist = "local"
	// PersistProject offers the settings that all share who work on it.
	PersistProject Persist = "project"
	// PersistUser offers one's settings for every repository.
	PersistUser Persist = "user"
)

// Persists are the ceilings, lowest first.
func Persists() []Persist {
	return []Persist{PersistNone, PersistSession, PersistLocal, PersistProject, PersistUser}
}

// allows reports whether the ceiling, session where it is not given, lets in what
// reaches as far as that.
func (p Persist) allows(reach Persist) bool {
	if p == "" {
		p = PersistSession
	}
	return slices.Index(Persists(), reach) <= slices.Index(Persists(), p)
}

// reach is where the host keeps a permission, and what that means.
type reach struct {
	level       Persist
	label, says string
}

var claudeReaches = map[string]reach{
	"session":         {PersistSession, "Allow for this session", "until this session ends"},
	"localSettings":   {PersistLocal, "Allow in this repository", "in this repository, for good, for this user alone (.claude/settings.local.json)"},
	"projectSettings": {PersistProject, "Allow in this repository for everybody", "in this repository, for good, for everybody who works on it (.claude/settings.json)"},
	"userSettings":    {PersistUser, "Allow everywhere", "in every folder of this user, for good (~/.claude/settings.json)"},
}

const (
	// maxReach is the longest description of what a permission reaches, in
	// characters; what is longer is not offered, since it has to be read.
	maxReach = 600
	// maxKept is how many suggestions are offered.
	maxKept = 8
	// maxKeptLabel is where the label of one is cut, whose description has it whole.
	maxKeptLabel = 72
)

// claudeKeeps offers what the host suggests to allow beyond this call, each suggestion with its rule and how far it
// reaches. A suggestion above the ceiling is offered for the session, and the mode that accepts every edit as a rule for
// the one file, see [call.claudeLesser]. Everything else goes back byte for byte. Left out are other modes, rules for all
// that a tool does, and what would have to be cut to be shown. If the host wants no permission given by a single key, none
// is given by a single tap.
func (c *call) claudeKeeps(envelope fields) {
	for _, name := range []string{"defaultToNo", "default_to_no"} {
		c.wary = c.wary || c.flag(name, envelope[name])
	}
	for _, name := range []string{"suppressAlwaysAllowRule", "suppress_always_allow_rule"} {
		if c.flag(name, envelope[name]) {
			return
		}
	}
	const at = "permission_suggestions"
	all, ok := c.list(at, envelope[at], "a list of what may be allowed from then on")
	if !ok {
		return
	}
	for n, raw := range all {
		raw = c.claudeLesser(raw)
		label, says, ok := c.claudeKeep(raw)
		if !ok || len(c.keeps) == maxKept {
			c.advise(fmt.Sprintf("%s[%d]", at, n), "is not offered")
			continue
		}
		if slices.ContainsFunc(c.keeps, func(k kept) bool { return k.Label == label && k.Description == says }) {
			continue // Two suggestions can become the same rule for the session.
		}
		full := label
		for again := 2; slices.ContainsFunc(c.keeps, func(k kept) bool { return k.Label == label }); again++ {
			label = fmt.Sprintf("%s (%d)", full, again)
		}
		c.keeps = append(c.keeps, kept{ask.Option{Label: label, Description: says}, js(raw)})
	}
}

// claudeLesser returns a suggestion that allows less where the suggestion itself is not offered: the same rule until the
// session ends instead of one above the ceiling, and a rule for the file instead of the mode that accepts every edit.
// Claude Code takes a rule that it did not suggest.
func (c *call) claudeLesser(raw json.RawMessage) json.RawMessage {
	f := members(raw)
	where, _ := plainText(f["destination"])
	if to, known := claudeReaches[where]; known && !c.opts.Persist.allows(to.level) && c.opts.Persist.allows(PersistSession) {
		f["destination"] = json.RawMessage(`"session"`)
		raw = f.object()
	}
	if kind, _ := plainText(f["type"]); kind != "setMode" || string(f["mode"]) != `"acceptEdits"` || string(f["destination"]) != `"session"` || len(f) != 3 {
		return raw
	}
	rule, ok := c.claudeFileRule()
	if !ok {
		return raw
	}
	return json.RawMessage(object(
		at("type", `"addRules"`), at("rules", array([]js{object(at("toolName", `"Edit"`), at("ruleContent", str(rule)))})), at("behavior", `"allow"`), at("destination", `"session"`),
	))
}

// plainPath is an absolute path without the characters that mean something in a rule.
var plainPath = regexp.MustCompile(`^/[\pL\pN ._@+,=~/-]*[\pL\pN._-]$`)

// claudeFileRule is the content of a rule for edits of the file that the call changes. An absolute path begins with two
// slashes in a rule. https://code.claude.com/docs/en/permissions
func (c *call) claudeFileRule() (string, bool) {
	input := members(c.envelope[c.asksAt])
	name := "file_path"
	if c.asks == "NotebookEdit" {
		name = "notebook_path"
	}
	file, ok := plainText(input[name])
	if !ok || !slices.Contains(claudeEdits, c.asks) || !plainPath.MatchString(file) || path.Clean(file) != file {
		return "", false
	}
	return "/" + file, true
}

// kept is an option that allows more than the call at hand.
type kept struct {
	ask.Option
	update js
}

// claudeKeep words one suggestion; it is not ok where that is not offered.
func (c *call) claudeKeep(raw json.RawMessage) (label, says string, ok bool) {
	f := members(raw)
	kind, _ := plainText(f.take("type"))
	where, _ := plainText(f.take("destination"))
	to, known := claudeReaches[where]
	var what, means []string
	switch kind {
	case "addRules":
		behavior, _ := plainText(f.take("behavior"))
		if what, means, ok = claudeRuleWords(f.take("rules")); behavior != "allow" {
			return "", "", false
		}
	case "addDirectories":
		if what, ok = shownTexts(f.take("directories")); ok {
			means = []string{"the agent may work in " + strings.Join(what, " and ")}
		}
	}
	if says = strings.Join(means, "; "); says != "" {
		says = strings.ToUpper(says[:1]) + says[1:] + ", " + to.says + "."
	}
	if !ok || !known || len(f) > 0 || !c.opts.Persist.allows(to.level) || utf8.RuneCountInString(says) > maxReach {
		return "", "", false
	}
	return line(to.label+": "+strings.Join(what, ", "), maxKeptLabel), says, true
}

// claudeRuleWords words rules, such as Bash(npm test *): as the host writes them,
// and what they let through. A rule without a content lets everything through that
// its tool does, and is not worded.
// https://code.claude.com/docs/en/permissions
func claudeRuleWords(data json.RawMessage) (what, means []string, ok bool) {
	var rules []json.RawMessage
	if json.Unmarshal(data, &rules) != nil || len(rules) == 0 {
		return nil, nil, false
	}
	for _, raw := range rules {
		f := members(raw)
		tool, _ := plainText(f.take("toolName"))
		content, _ := plainText(f.take("ruleContent"))
		if tool == "" || strings.Trim(content, " :*") == "" || len(f) > 0 || !visible.Plain(tool) {
			return nil, nil, false
		}
		shown := content
		if !visible.Plain(content) {
			shown = visible.Quote(content)
		}
		rule := tool + "(" + shown + ")"
		what = append(what, rule)
		begins, prefix := strings.CutSuffix(shown, ":*")
		command, arguments := strings.CutSuffix(shown, " *")
		domain, pages := strings.CutPrefix(shown, "domain:")
		file, edits := strings.CutPrefix(shown, "//")
		switch {
		case tool == "Bash" && prefix && !strings.Contains(begins, "*"):
			means = append(means, "every command that begins with “"+begins+"” runs without asking")
		case tool == "Bash" && arguments && !strings.Contains(command, "*"):
			means = append(means, "the command “"+command+"” runs without asking, with any arguments")
		case tool == "WebFetch" && pages && !strings.Contains(domain, "*"):
			means = append(means, "pages of "+domain+" are read without asking")
		case tool == "Edit" && edits && plainPath.MatchString("/"+file):
			means = append(means, "/"+file+" is changed without asking")
		case tool == "Bash" && !strings.Contains(shown, "*"):
			means = append(means, "the command “"+shown+"” runs without asking")
		default:
			means = append(means, "whatever "+rule+" matches runs without asking")
		}
	}
	return what, means, true
}

// shownTexts are the texts of a list, as people see them.
func shownTexts(data json.RawMessage) (shown []string, ok bool) {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil || len(all) == 0 {
		return nil, false
	}
	for _, raw := range all {
		text, is := plainText(raw)
		if !is || text == "" {
			return nil, false
		}
		if !visible.Plain(text) {
			text = visible.Quote(text)
		}
		shown = append(shown, text)
	}
	return shown, true
}
