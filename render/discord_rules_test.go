package render_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askbridge/askbridge/render"
)

// The numbers below are Discord's, written down a second time on purpose: what
// judges components must not share its constants.
// https://docs.discord.com/developers/components/reference
const (
	discordParts      = 40
	discordText       = 4000
	discordBytes      = 10_000
	discordSurcharge  = 12
	discordModalParts = 5
)

// The types of components that we send.
const (
	actionRow    = 1
	button       = 2
	stringSelect = 3
	textInput    = 4
	userSelect   = 5
	textDisplay  = 10
	container    = 17
	labelled     = 18
	radios       = 21
	checkboxes   = 22
)

// discordKeys lists the properties that each type may have.
var discordKeys = map[int][]string{
	actionRow:    {"type", "components"},
	button:       {"type", "custom_id", "label", "style", "disabled", "url"},
	stringSelect: {"type", "custom_id", "placeholder", "min_values", "max_values", "options", "disabled"},
	textInput:    {"type", "custom_id", "style", "value", "placeholder", "required", "min_length", "max_length"},
	userSelect:   {"type", "custom_id", "placeholder", "required"},
	textDisplay:  {"type", "content"},
	container:    {"type", "components", "accent_color", "spoiler"},
	labelled:     {"type", "label", "description", "component"},
	radios:       {"type", "custom_id", "options", "required"},
	checkboxes:   {"type", "custom_id", "options", "required", "min_values", "max_values"},
}

// discordInner lists the components allowed in each component; zero is the message, -1 a modal.
var discordInner = map[int][]int{
	0:         {container, textDisplay},
	-1:        {textDisplay, labelled},
	container: {textDisplay, actionRow},
	actionRow: {button, stringSelect},
	labelled:  {textInput, stringSelect, userSelect, radios, checkboxes},
}

// discordRules judges JSON as Discord would, and more strictly where we promise
// more: nothing live but what the bridge makes.
type discordRules struct {
	problems []string
	// live lists the mentions that may stand in text.
	live []string
	// all is every text in order, for those who look for theirs.
	all                strings.Builder
	ids                map[string]bool
	parts, text, bytes int
	small              int
}

func (r *discordRules) fail(at, format string, args ...any) {
	r.problems = append(r.problems, at+": "+fmt.Sprintf(format, args...))
}

// judgeDiscord checks a message, its pages, forms and notes, and returns all
// text of the message and its pages, and that of the notes.
func judgeDiscord(t reporter, m discordMessage, live []string) (shown, read string) {
	t.Helper()
	var got struct {
		Components []map[string]any
		Pages      map[string][]map[string]any
		Forms      map[string]map[string]any
		Private    map[string][]map[string]any
		Read       map[string][][]map[string]any
	}
	raw, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil || !utf8.Valid(raw) {
		t.Errorf("not JSON in UTF-8: %v", err)
		return "", ""
	}
	judge := func(name string, judge func(r *discordRules)) string {
		r := newDiscordRules(live)
		judge(r)
		for _, p := range r.problems {
			t.Errorf("%s %s", name, p)
		}
		return r.all.String()
	}
	shown = judge("message", func(r *discordRules) { r.message(got.Components) })
	for _, q := range slices.Sorted(maps.Keys(got.Pages)) {
		shown += judge("page "+q, func(r *discordRules) { r.message(got.Pages[q]) })
	}
	for _, name := range slices.Sorted(maps.Keys(got.Private)) {
		shown += judge("private "+name, func(r *discordRules) { r.message(got.Private[name]) })
	}
	for _, q := range slices.Sorted(maps.Keys(got.Read)) {
		for i, note := range got.Read[q] {
			read += judge(fmt.Sprintf("note %s.%d", q, i), func(r *discordRules) { r.message(note) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got.Forms)) {
		judge("form "+name, func(r *discordRules) { r.modal(got.Forms[name]) })
	}
	return shown, read
}

func newDiscordRules(live []string) *discordRules {
	return &discordRules{live: live, ids: map[string]bool{}}
}

func (r *discordRules) message(components []map[string]any) {
	if len(components) == 0 {
		r.fail("components", "none")
	}
	for i, c := range components {
		r.component(fmt.Sprintf("components[%d]", i), 0, c)
	}
	r.totals()
	if r.parts > discordParts {
		r.fail("components", "%d of them", r.parts)
	}
}

func (r *discordRules) totals() {
	if r.text > discordText || r.bytes > discordBytes {
		r.fail("components", "%d characters, %d bytes", r.text, r.bytes)
	}
	if r.small > 3 { // Who asks, who is notified, who may answer.
		r.fail("components", "%d lines of small text", r.small)
	}
}

func (r *discordRules) modal(m map[string]any) {
	title, _ := m["title"].(string)
	r.plain("title", title, 45)
	id, _ := m["custom_id"].(string)
	parts := strings.Split(id, ":")
	verbs := []render.Verb{render.SubmitText, render.SubmitNote, render.Dismissed, render.AnsweredAll, render.SubmitPass, render.SubmitAsk, render.Confirmed}
	if token, err := render.ParseToken(strings.Join(parts[:min(5, len(parts))], ":")); err != nil || !slices.Contains(verbs, token.Verb) || len(parts) != 6 || len(id) > 100 {
		r.fail("modal", "custom_id %q", id)
	}
	list, _ := m["components"].([]any)
	if n := len(list); n == 0 || n > discordModalParts {
		r.fail("modal", "%d components", n)
	}
	for i, c := range list {
		r.component(fmt.Sprintf("components[%d]", i), -1, c.(map[string]any))
	}
	r.totals()
}

func (r *discordRules) component(at string, in int, c map[string]any) {
	r.parts++
	n, _ := c["type"].(float64)
	kind := int(n)
	if !slices.Contains(discordInner[in], kind) {
		r.fail(at, "type %d in type %d", kind, in)
	}
	for key := range c {
		inForm := in == labelled && kind == stringSelect && key == "required"
		if !slices.Contains(discordKeys[kind], key) && !inForm {
			r.fail(at, "type %d with property %q", kind, key)
		}
	}
	inner, _ := c["components"].([]any)
	for i, child := range inner {
		r.component(fmt.Sprintf("%s[%d]", at, i), kind, child.(map[string]any))
	}
	switch kind {
	case textDisplay:
		r.display(at, c["content"])
	case actionRow:
		r.row(at, inner)
	case container:
		if len(inner) == 0 {
			r.fail(at, "an empty container")
		}
	case button:
		label, _ := c["label"].(string)
		r.plain(at, label, 80)
		if address, _ := c["url"].(string); c["style"] == 5.0 {
			if _, named := c["custom_id"]; named || !strings.HasPrefix(address, "https://") || length(address) > 512 {
				r.fail(at, "a link to %q", address)
			}
			return
		}
		if style := c["style"]; style != 1.0 && style != 2.0 && style != 3.0 && style != 4.0 {
			r.fail(at, "style %v", style)
		}
		r.token(at, c["custom_id"], render.Choose, render.Drop, render.OpenConfirm, render.OpenText, render.Answer, render.Submit, render.Dismiss, render.TurnPage, render.ShowFull, render.TakeBack, render.Skip, render.Unskip, render.OpenNote, render.Undo, render.Claiming, render.OpenPass, render.OpenAsk, render.OpenMore, render.ShowDetails)
	case stringSelect:
		r.token(at, c["custom_id"], render.Pick)
		r.options(at, c)
	case labelled:
		label, _ := c["label"].(string)
		r.plain(at, label, 45)
		if hint, ok := c["description"].(string); ok {
			r.plain(at, hint, 100)
		}
		r.component(at+".component", labelled, c["component"].(map[string]any))
		if field := c["component"].(map[string]any); field["type"] == float64(stringSelect) {
			r.optional(at, field)
		}
	case userSelect:
		r.token(at, c["custom_id"], render.SubmitPass)
		if empty, ok := c["placeholder"].(string); ok {
			r.plain(at, empty, 150)
		}
	case radios, checkboxes:
		r.token(at, c["custom_id"], render.Pick)
		r.group(at, kind, c)
	case textInput:
		r.token(at, c["custom_id"], render.SubmitText, render.SubmitNote, render.SubmitAsk)
		if hint, ok := c["placeholder"].(string); ok {
			r.plain(at, hint, 100)
		}
		if value, _ := c["value"].(string); length(value) > 4000 {
			r.fail(at, "value of %d characters", length(value))
		}
	}
}

func (r *discordRules) row(at string, inner []any) {
	menus := slices.ContainsFunc(inner, func(c any) bool { return c.(map[string]any)["type"] == float64(stringSelect) })
	if n := len(inner); n == 0 || n > 5 || menus && n > 1 {
		r.fail(at, "%d components in a row", n)
	}
}

func (r *discordRules) token(at string, id any, verbs ...render.Verb) {
	s, _ := id.(string)
	token, err := render.ParseToken(s)
	if err != nil || !slices.Contains(verbs, token.Verb) {
		r.fail(at, "custom_id %q", s)
	}
	if length(s) > 100 || r.ids[s] {
		r.fail(at, "custom_id %q is long or stands twice", s)
	}
	r.ids[s] = true
}

func (r *discordRules) options(at string, c map[string]any) {
	options, _ := c["options"].([]any)
	least, _ := c["min_values"].(float64)
	most, said := c["max_values"].(float64)
	if !said {
		most = 1
	}
	if n := float64(len(options)); n == 0 || n > 25 || least > most || most < 1 || most > n {
		r.fail(at, "%v options, of which %v to %v", n, least, most)
	}
	if placeholder, ok := c["placeholder"].(string); ok {
		r.plain(at, placeholder, 150)
	}
	r.entries(at, options, most)
}

// optional checks that an optional choice is marked in both places, as phones need it.
func (r *discordRules) optional(at string, c map[string]any) {
	if least, said := c["min_values"].(float64); c["required"] == (said && least == 0) {
		r.fail(at, "required %v with at least %v", c["required"], c["min_values"])
	}
}

// group checks radio buttons and checkboxes.
func (r *discordRules) group(at string, kind int, c map[string]any) {
	options, _ := c["options"].([]any)
	least, most := 1, float64(len(options))
	if kind == radios {
		least, most = 2, 1
	} else {
		r.optional(at, c)
	}
	if n := len(options); n < least || n > 10 {
		r.fail(at, "%d options", n)
	}
	r.entries(at, options, most)
}

func (r *discordRules) entries(at string, options []any, most float64) {
	chosen := 0.0
	for i, o := range options {
		o := o.(map[string]any)
		label, _ := o["label"].(string)
		r.plain(at, label, 100)
		if description, _ := o["description"].(string); description != "" {
			r.plain(at, description, 100)
		}
		if o["value"] != fmt.Sprint(i) {
			r.fail(at, "option %d has the value %v", i, o["value"])
		}
		if o["default"] == true {
			chosen++
		}
	}
	if chosen > most {
		r.fail(at, "%v options chosen of at most %v", chosen, most)
	}
}

// plain is text that Discord shows as it is.
func (r *discordRules) plain(at, s string, most int) {
	if n := length(s); n == 0 || n > most || strings.TrimSpace(s) == "" || strings.Contains(s, "\n") {
		r.fail(at, "text of %d characters: %q", n, s)
	}
	if strings.Count(s, "\u2068") != strings.Count(s, "\u2069") {
		r.fail(at, "opens an isolation and does not close it: %q", s)
	}
	r.text += length(s)
	r.all.WriteString(s)
	r.visible(at, s)
}

func (r *discordRules) visible(at, s string) {
	if strings.ContainsRune(s, utf8.RuneError) {
		r.fail(at, "half a character: %q", s)
	}
	for _, bad := range s {
		if bad < ' ' && bad != '\n' || bad == '\u202e' || bad == '\u200b' || bad == '\u2066' {
			r.fail(at, "holds %q", bad)
		}
	}
}

func (r *discordRules) display(at string, content any) {
	s, _ := content.(string)
	if n := length(s); n == 0 || n > discordText || strings.TrimSpace(s) == "" {
		r.fail(at, "text of %d characters", n)
	}
	r.text += length(s)
	r.bytes += len(s) + discordSurcharge
	r.all.WriteString(s)
	r.visible(at, s)
	r.formatted(at, s)
}

var (
	discordFence  = regexp.MustCompile("(?s)```[\\w+-]*\n(.*?)\n```")
	discordEscape = regexp.MustCompile("\\\\[^0-9A-Za-z\\s]|`[^`\\s](?:[^`\n]*[^`\\s])?`") // Or code.
	// discordSource is the link to where the agent works, whose text names the host.
	discordSource = regexp.MustCompile(`\[([^\[\]\n]* )\(([^()]+)\) ⇗\]\(<https://([^/>]+)[^<>\s()]*>\)`)
	discordLink   = regexp.MustCompile(`<https?://[^\s<>@|\\]+(?:/[^\s<>|\\]*)?>`)
	discordQuote  = regexp.MustCompile(`(?m)^> `)
	discordBullet = regexp.MustCompile(`(?m)^ *(?:[-*]|[0-9]{1,2}\.) `)
	// discordList is a list of two or more items, or the only item that is left of one.
	discordList    = regexp.MustCompile(`(?m)^(?:[-*]|[0-9]{1,2}\.) .*(?:(?:\n *(?:[-*]|[0-9]{1,2}\.) .*)+|…)$`)
	discordToken   = regexp.MustCompile(`<[^<>]*>`)
	discordTime    = regexp.MustCompile(`^<t:[1-9][0-9]{8,}:[ftR]>$`)
	discordBold    = regexp.MustCompile(`\*\*[^*\n]+\*\*`)
	discordItalic  = regexp.MustCompile(`\*[^*\s][^*\n]*\*`)
	discordAddress = regexp.MustCompile(`(?i)[a-z]+://`)
	discordEmoji   = regexp.MustCompile(`:[^\s:\x{e002}\x{e003}]+:`) // No name goes on behind code or a link.
	discordStart   = regexp.MustCompile(`(?m)^\s*(#{1,3}\s|[-*+]\s|-#|>|[0-9]+[.)]\s)`)
)

// formatted checks that nothing in markdown is live that the bridge did not
// make. It reads as Discord does: fences first, then escapes.
func (r *discordRules) formatted(at, s string) {
	s = discordFence.ReplaceAllString(s, "\n")
	s = discordEscape.ReplaceAllStringFunc(s, func(found string) string {
		if found[0] == '`' {
			return "\ue002"
		}
		return "\ue000"
	})
	s = discordSource.ReplaceAllStringFunc(s, func(found string) string {
		if at := discordSource.FindStringSubmatch(found); at[2] == at[3] {
			return at[1]
		}
		return found
	})
	s = discordLink.ReplaceAllString(s, "\ue003")
	s = discordQuote.ReplaceAllString(s, "")
	s = discordList.ReplaceAllStringFunc(s, func(list string) string { return discordBullet.ReplaceAllString(list, "") })
	for _, token := range discordToken.FindAllString(s, -1) {
		if !discordTime.MatchString(token) && !slices.Contains(r.live, token) {
			r.fail(at, "live token %s", token)
		}
	}
	s = discordToken.ReplaceAllString(s, "\ue001")
	// Small text is the bridge's: the asker and the state.
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, "-# "); ok {
			r.small++
			lines[i] = rest
		}
	}
	s = strings.Join(lines, "\n")
	for _, p := range []*regexp.Regexp{discordStart, discordAddress, discordEmoji} {
		if found := p.FindString(s); found != "" {
			r.fail(at, "live %q in %q", found, s)
		}
	}
	s = discordItalic.ReplaceAllString(discordBold.ReplaceAllString(s, ""), "")
	if i := strings.IndexAny(s, "*_~|`<>[]@\\"); i >= 0 {
		r.fail(at, "live %q in %q", s[i], s)
	}
}

func TestRulesRefuseWhatDiscordRefuses(t *testing.T) {
	t.Parallel()
	display := func(text string) map[string]any { return map[string]any{"type": 10.0, "content": text} }
	row := func(inner ...any) map[string]any { return map[string]any{"type": 1.0, "components": inner} }
	press := func(id, label string) map[string]any {
		return map[string]any{"type": 2.0, "custom_id": id, "label": label, "style": 2.0}
	}
	tests := map[string]map[string]any{
		"everyone":                display("@everyone"),
		"a mention of a stranger": display("<@9>"),
		"a mention of a role":     display("<@&1>"),
		"a channel":               display("<#1>"),
		"a command":               display("</deploy:1>"),
		"a custom emoji":          display("<:ok:1>"),
		"an early time":           display("<t:1:R>"),
		"a masked link":           display("[a](https\\://evil.example)"),
		"an address":              display("see https://evil.example"),
		"an emoji code":           display("well :tada: done"),
		"a heading":               display("a\n# b"),
		"a list of one":           display("a\n- b"),
		"a heading in a list":     display("- # a\n- b"),
		"another scheme":          display("see <slack://open>"),
		"a user before a host":    display("see <https://good.example@evil.example>"),
		"a numbered list":         display("a\n1. b"),
		"a quotation to the end":  display(">>> a"),
		"a heading in a quote":    display("> # a"),
		"a spoiler":               display("||a||"),
		"code in two backticks":   display("``a``"),
		"an open fence":           display("```\na"),
		"an underscore":           display("_a_"),
		"one star too many":       display("**a** *"),
		"a long text":             display(strings.Repeat("𝒜", 2001)),
		"an empty text":           display(""),
		"an embed":                {"type": 99.0},
		"a button of a stranger":  row(press("approve", "A")),
		"a blank button":          row(press("1:p01x:d:-1:-1", " ")),
		"the same button twice":   row(press("1:p01x:d:-1:-1", "A"), press("1:p01x:d:-1:-1", "B")),
		"an empty row":            row(),
		"a text in a row":         row(display("a")),
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newDiscordRules([]string{"<@1>"})
			if r.component("c", container, c); len(r.problems) == 0 {
				t.Error("nothing found wrong")
			}
		})
	}
	r := newDiscordRules([]string{"<@1>"})
	r.component("c", container, display("-# **bot** asks\n<@1> \\<\\@1\\> **b** *c* <t:1773590400:f> 10:30 a-b 1.5 https\\://x\n```\n# <@2>\n```\nend\n- `<@2>`\n- <https://x.example/a_b*c>\n> **q**\n\n1. a\n  - b\n2. c"))
	if r.component("d", container, row(press("1:p01x:d:-1:-1", "<@1> *b*"))); len(r.problems) > 0 {
		t.Errorf("refused what is fine: %q", r.problems)
	}
}
