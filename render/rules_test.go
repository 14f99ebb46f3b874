package render_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askbridge/askbridge/render"
)

// The numbers below are Slack's, written down a second time on purpose: what
// judges blockkit must not share its constants.
// https://docs.slack.dev/reference/block-kit
const (
	slackMessageBlocks = 50
	slackModalBlocks   = 100
	slackMessageText   = 13_000
	slackTopText       = 4000
	slackViewBytes     = 250_000
)

// slackText limits each text of a message: its length, and whether it may be formatted.
var slackText = map[string]struct {
	most   int
	mrkdwn bool
}{
	"section":            {3000, false},
	"context":            {3000, true},
	"button":             {75, false},
	"option":             {75, false},
	"option description": {75, false},
	"input label":        {2000, false},
	"input hint":         {2000, false},
	"placeholder":        {150, false},
	"view title":         {24, false},
	"view submit":        {24, false},
	"view close":         {24, false},
}

// slackKeys lists the properties that each kind of block or element may have.
var slackKeys = map[string][]string{
	"section":             {"type", "block_id", "text", "accessory"},
	"context":             {"type", "block_id", "elements"},
	"actions":             {"type", "block_id", "elements"},
	"rich_text":           {"type", "block_id", "elements"},
	"divider":             {"type", "block_id"},
	"input":               {"type", "block_id", "label", "hint", "optional", "element"},
	"button":              {"type", "action_id", "text", "style", "url"},
	"radio_buttons":       {"type", "action_id", "options", "initial_option"},
	"checkboxes":          {"type", "action_id", "options", "initial_options"},
	"static_select":       {"type", "action_id", "placeholder", "options", "initial_option"},
	"multi_static_select": {"type", "action_id", "placeholder", "options", "initial_options"},
	"users_select":        {"type", "action_id", "placeholder"},
	"plain_text_input":    {"type", "action_id", "multiline", "min_length", "max_length", "initial_value"},
	"mrkdwn":              {"type", "text", "verbatim"},
	"plain_text":          {"type", "text", "emoji"},
	"option":              {"text", "value", "description"},
	"modal":               {"type", "title", "submit", "close", "blocks", "private_metadata", "callback_id"},
}

// slackRules judges JSON as Slack would, and more strictly where we promise
// more: nothing live but what the bridge makes.
type slackRules struct {
	problems []string
	// people may be mentioned.
	people []string
	// all is every text in order, for those who look for theirs.
	all     strings.Builder
	total   int
	blocks  map[string]bool
	actions map[string]bool
	inputs  bool
}

func (r *slackRules) fail(at, format string, args ...any) {
	r.problems = append(r.problems, at+": "+fmt.Sprintf(format, args...))
}

// reporter is what tests and property checks have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// judgeSlack checks a message and its forms, and returns all text of each.
func judgeSlack(t reporter, m slackMessage, people []string) (texts []string) {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Errorf("encode: %v", err)
		return nil
	}
	if !utf8.Valid(raw) {
		t.Errorf("not UTF-8")
	}
	var got struct {
		Text    string
		Blocks  []map[string]any
		Private map[string][]map[string]any
		Forms   map[string]map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Errorf("decode: %v", err)
		return nil
	}
	r := newRules(people)
	r.formatted("text", got.Text)
	if n := length(got.Text); n == 0 || n > slackTopText {
		r.fail("text", "%d characters", n)
	}
	r.message(got.Blocks)
	texts = append(texts, r.all.String())
	problems := r.problems
	for _, name := range slices.Sorted(maps.Keys(got.Private)) {
		r := newRules(people)
		r.message(got.Private[name])
		for _, p := range r.problems {
			problems = append(problems, "private message "+name+" "+p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got.Forms)) {
		r := newRules(people)
		r.view(got.Forms[name])
		for _, p := range r.problems {
			problems = append(problems, "form "+name+" "+p)
		}
		texts = append(texts, r.all.String())
	}
	for _, p := range problems {
		t.Errorf("%s", p)
	}
	return texts
}

func newRules(people []string) *slackRules {
	return &slackRules{people: people, blocks: map[string]bool{}, actions: map[string]bool{}}
}

func (r *slackRules) message(blocks []map[string]any) {
	if n := len(blocks); n == 0 || n > slackMessageBlocks {
		r.fail("blocks", "%d of them", n)
	}
	for i, b := range blocks {
		if b["type"] == "input" {
			r.fail(fmt.Sprint(i), "inputs in messages fail on phones")
		}
		r.block(fmt.Sprintf("blocks[%d]", i), b)
	}
	if r.total > slackMessageText {
		r.fail("blocks", "%d characters in all", r.total)
	}
}

func (r *slackRules) view(v map[string]any) {
	raw, _ := json.Marshal(v)
	if len(raw) > slackViewBytes {
		r.fail("view", "%d bytes", len(raw))
	}
	r.keys("view", "modal", v)
	r.text("title", "view title", v["title"])
	if v["close"] != nil {
		r.text("close", "view close", v["close"])
	}
	if v["submit"] != nil {
		r.text("submit", "view submit", v["submit"])
	}
	if v["callback_id"] != "askbridge" {
		r.fail("view", "callback_id %v", v["callback_id"])
	}
	forms := []render.Verb{render.SubmitText, render.AnsweredAll, render.Dismissed, render.SubmitNote, render.SubmitPass, render.SubmitAsk, render.Confirmed}
	if token, err := render.ParseToken(fmt.Sprint(v["private_metadata"])); err != nil || !slices.Contains(forms, token.Verb) {
		r.fail("view", "private_metadata %v", v["private_metadata"])
	}
	blocks, _ := v["blocks"].([]any)
	if n := len(blocks); n == 0 || n > slackModalBlocks {
		r.fail("view", "%d blocks", n)
	}
	for i, b := range blocks {
		r.block(fmt.Sprintf("blocks[%d]", i), b.(map[string]any))
	}
	if r.inputs && v["submit"] == nil {
		r.fail("view", "inputs without submit")
	}
}

func (r *slackRules) keys(at, kind string, o map[string]any) {
	known, ok := slackKeys[kind]
	if !ok {
		r.fail(at, "unknown kind %q", kind)
	}
	for key := range o {
		if !slices.Contains(known, key) {
			r.fail(at, "%s with property %q", kind, key)
		}
	}
}

func (r *slackRules) id(at, what string, v any, seen map[string]bool) {
	s, _ := v.(string)
	if s == "" || length(s) > 255 {
		r.fail(at, "%s %q", what, s)
	}
	if seen[s] {
		r.fail(at, "%s %q stands twice", what, s)
	}
	seen[s] = true
}

func (r *slackRules) block(at string, b map[string]any) {
	kind, _ := b["type"].(string)
	r.keys(at, kind, b)
	r.id(at, "block_id", b["block_id"], r.blocks)
	elements, _ := b["elements"].([]any)
	switch kind {
	case "section":
		r.text(at, "section", b["text"])
		if e, ok := b["accessory"].(map[string]any); ok {
			r.element(at+".accessory", e)
		}
	case "rich_text":
		r.rich(at, elements)
	case "context":
		if len(elements) == 0 || len(elements) > 10 {
			r.fail(at, "%d elements", len(elements))
		}
		for _, e := range elements {
			r.text(at, "context", e)
			if strings.Contains(fmt.Sprint(e), "\n") {
				r.fail(at, "a frame line of two lines")
			}
		}
	case "actions":
		if n := len(elements); n == 0 || n > 25 {
			r.fail(at, "%d elements", n)
		}
		primary := 0
		for i, e := range elements {
			e := e.(map[string]any)
			if r.element(fmt.Sprintf("%s.elements[%d]", at, i), e); e["style"] == "primary" {
				primary++
			}
			if kind := e["type"]; kind == "plain_text_input" || kind == "multi_static_select" {
				r.fail(at, "%s among actions", kind)
			}
		}
		if primary > 1 {
			r.fail(at, "%d primary buttons", primary)
		}
	case "input":
		r.inputs = true
		r.text(at, "input label", b["label"])
		if b["hint"] != nil {
			r.text(at, "input hint", b["hint"])
		}
		r.element(at+".element", b["element"].(map[string]any))
	}
}

func (r *slackRules) element(at string, e map[string]any) {
	kind, _ := e["type"].(string)
	r.keys(at, kind, e)
	r.id(at, "action_id", e["action_id"], r.actions)
	token, err := render.ParseToken(fmt.Sprint(e["action_id"]))
	if err != nil {
		r.fail(at, "action_id %v is no token", e["action_id"])
	}
	verbs := map[string][]render.Verb{
		"button":        {render.Choose, render.OpenText, render.OpenConfirm, render.Answer, render.Submit, render.Dismiss, render.TakeBack, render.Skip, render.Unskip, render.OpenNote, render.Undo, render.Claiming, render.OpenPass, render.OpenAsk, render.OpenMore, render.ShowDetails, render.TurnPage, render.Follow, render.OpenInbox},
		"users_select":  {render.SubmitPass},
		"radio_buttons": {render.Pick}, "checkboxes": {render.Pick}, "plain_text_input": {render.SubmitText, render.SubmitNote},
		"static_select": {render.Pick}, "multi_static_select": {render.Pick},
	}
	if !slices.Contains(verbs[kind], token.Verb) {
		r.fail(at, "%s with verb %q", kind, token.Verb)
	}
	switch kind {
	case "button":
		r.text(at, "button", e["text"])
		if address, _ := e["url"].(string); (token.Verb == render.Follow) != strings.HasPrefix(address, "https://") || length(address) > 3000 {
			r.fail(at, "%q leads to %q", token.Verb, address)
		}
	case "plain_text_input":
		if value, _ := e["initial_value"].(string); length(value) > 3000 {
			r.fail(at, "initial_value of %d characters", length(value))
		}
	case "radio_buttons", "checkboxes":
		r.options(at, kind, e, 10)
	case "static_select", "multi_static_select":
		r.text(at, "placeholder", e["placeholder"])
		r.options(at, kind, e, 100)
	}
}

func (r *slackRules) options(at, kind string, e map[string]any, most int) {
	options, _ := e["options"].([]any)
	if n := len(options); n == 0 || n > most {
		r.fail(at, "%d options", n)
	}
	for i, o := range options {
		o := o.(map[string]any)
		r.keys(at, "option", o)
		r.text(at, "option", o["text"])
		if o["description"] != nil {
			r.text(at, "option description", o["description"])
		}
		if o["value"] != fmt.Sprint(i) {
			r.fail(at, "option %d has the value %v", i, o["value"])
		}
	}
	same := func(initial any) bool {
		return slices.ContainsFunc(options, func(o any) bool { return fmt.Sprint(o) == fmt.Sprint(initial) })
	}
	if initial, ok := e["initial_option"]; ok && (kind != "radio_buttons" && kind != "static_select" || !same(initial)) {
		r.fail(at, "initial_option is none of the options")
	}
	if list, ok := e["initial_options"].([]any); ok {
		if kind != "checkboxes" && kind != "multi_static_select" || len(list) == 0 || slices.ContainsFunc(list, func(o any) bool { return !same(o) }) {
			r.fail(at, "initial_options are none of the options")
		}
	}
}

func (r *slackRules) text(at, place string, v any) {
	o, _ := v.(map[string]any)
	kind, _ := o["type"].(string)
	s, _ := o["text"].(string)
	r.keys(at, kind, o)
	rule := slackText[place]
	if n := length(s); n == 0 || n > rule.most {
		r.fail(at, "%s of %d characters", place, n)
	}
	if strings.TrimSpace(s) == "" {
		r.fail(at, "%s is blank", place)
	}
	if strings.ContainsRune(s, utf8.RuneError) {
		r.fail(at, "%s holds half a character: %q", place, s)
	}
	r.total += length(s)
	r.all.WriteString(s)
	switch {
	case kind == "mrkdwn" && !rule.mrkdwn:
		r.fail(at, "%s is formatted", place)
	case kind == "mrkdwn":
		if o["verbatim"] != true {
			r.fail(at, "%s is not verbatim", place)
		}
		r.formatted(at, s)
	case o["emoji"] != false:
		r.fail(at, "%s may be drawn as emoji", place)
	case strings.Contains(s, "\n") && place != "section":
		r.fail(at, "%s has two lines", place)
	}
	for _, bad := range s {
		if bad < ' ' && bad != '\n' || bad == '\u202e' || bad == '\u200b' || bad == '\u2066' {
			r.fail(at, "%s holds %q", place, bad)
		}
	}
	if strings.Count(s, "\u2068") != strings.Count(s, "\u2069") && place != "section" {
		r.fail(at, "%s opens an isolation and does not close it: %q", place, s)
	}
}

var (
	slackControl = regexp.MustCompile(`<[^<>]*>`)
	slackDate    = regexp.MustCompile(`^<!date\^[0-9]+\^[^|<>]+\|[A-Za-z0-9 ,:./]+>$`)
	// slackSource is the link to where the agent works, whose text names the host.
	slackSource = regexp.MustCompile(`^<https://([^/|]+)[^|]*\|[^<>|]* \(([^()]+)\) ⇗>$`)
	slackEntity = regexp.MustCompile(`&(amp|lt|gt);`)
)

// formatted checks that nothing in mrkdwn is live that the bridge did not make,
// and that everything else is escaped once.
func (r *slackRules) formatted(at, s string) {
	for _, token := range slackControl.FindAllString(s, -1) {
		person := strings.TrimPrefix(strings.TrimPrefix(strings.Trim(token, "<>"), "@"), "!subteam^")
		if at := slackSource.FindStringSubmatch(token); at != nil && at[1] == at[2] {
			continue
		}
		if !slackDate.MatchString(token) && !slices.Contains(r.people, person) {
			r.fail(at, "live token %s", token)
		}
	}
	rest := slackEntity.ReplaceAllString(slackControl.ReplaceAllString(s, ""), "")
	if strings.ContainsAny(rest, "&<>") {
		r.fail(at, "unescaped: %q", rest)
	}
	if strings.Count(s, "```")%2 != 0 {
		r.fail(at, "an open code block: %q", s)
	}
	for i, part := range strings.Split(s, "```") {
		if i%2 == 1 {
			continue
		}
		if strings.Contains(part, "`") {
			r.fail(at, "code: %q", part)
		}
		for line := range strings.SplitSeq(part, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "&gt;") {
				r.fail(at, "a quotation: %q", line)
			}
		}
	}
}

// length counts UTF-16 units.
func length(s string) int { return len(utf16.Encode([]rune(s))) }

func TestRulesRefuseWhatSlackRefuses(t *testing.T) {
	t.Parallel()
	section := func(text string) map[string]any {
		return map[string]any{"type": "context", "block_id": "b", "elements": []any{map[string]any{"type": "mrkdwn", "verbatim": true, "text": text}}}
	}
	rich := func(kind string, more map[string]any) map[string]any {
		more["type"] = kind
		part := map[string]any{"type": "rich_text_section", "elements": []any{more}}
		return map[string]any{"type": "rich_text", "block_id": "b", "elements": []any{part}}
	}
	tests := map[string]map[string]any{
		"a mention of the channel": section("<!channel>"),
		"a mention of a stranger":  section("<@U0000009>"),
		"a disguised link":         section("<https://evil.example|ok>"),
		"an unescaped ampersand":   section("a & b"),
		"an open code block":       section("```\nx"),
		"a quotation":              section("&gt; y"),
		"an emoji":                 rich("emoji", map[string]any{"name": "tada"}),
		"a text over an address":   rich("link", map[string]any{"url": "https://evil.example", "text": "ok"}),
		"another scheme":           rich("link", map[string]any{"url": "slack://open"}),
		"a user before a host":     rich("link", map[string]any{"url": "https://good.example@evil.example"}),
		"a user group":             rich("usergroup", map[string]any{"usergroup_id": "S0000001"}),
		"a broadcast":              rich("broadcast", map[string]any{"range": "channel"}),
		"a stranger in rich text":  rich("user", map[string]any{"user_id": "U0000009"}),
		"text that may be emoji":   {"type": "section", "block_id": "b", "text": map[string]any{"type": "plain_text", "text": ":tada:"}},
		"text in mrkdwn":           {"type": "section", "block_id": "b", "text": map[string]any{"type": "mrkdwn", "verbatim": true, "text": "x"}},
		"a long text":              section(strings.Repeat("𝒜", 1501)),
		"an unknown block":         {"type": "header", "block_id": "b"},
		"a missing block_id":       {"type": "divider"},
	}
	for name, block := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRules([]string{"U0000001"})
			if r.block("b", block); len(r.problems) == 0 {
				t.Error("nothing found wrong")
			}
		})
	}
	r := newRules([]string{"U0000001"})
	if r.block("b", section("<@U0000001> &lt; *b* <!date^1^{time}|2 Jan 2026, 15:04 UTC>")); len(r.problems) > 0 {
		t.Errorf("refused what is fine: %q", r.problems)
	}
}
