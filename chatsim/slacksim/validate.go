package slacksim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// problem is one error in blocks or a view.
type problem struct {
	rule rule
	at   string // JSON pointer into the call's arguments
	text string // in Slack's wording
}

// check validates blocks and collects all problems.
type check struct {
	kind     string // of the view; "" for a message
	problems []problem
	notes    []problem // content that Slack accepts but a careful app would not send

	blockIDs map[string]bool
	total    int // characters in all texts so far
	markdown int // characters in all markdown blocks so far
	cells    int // characters in all cells of tables so far
	focused  bool
	inputs   bool // an input block was seen
}

// shape maps the allowed properties of an object to their checks.
type shape map[string]func(at string, v any)

func (c *check) fail(r rule, at, format string, args ...any) {
	c.problems = append(c.problems, problem{r, at, fmt.Sprintf(format, args...)})
}

func (c *check) note(r rule, at, format string, args ...any) {
	c.notes = append(c.notes, problem{r, at, fmt.Sprintf(format, args...)})
}

// messageBlocks checks the blocks of a message. err is Slack's response; the notes are for the
// timeline.
func messageBlocks(v any) (blocks []object, c *check, err *apiError) {
	c = &check{blockIDs: map[string]bool{}}
	list, ok := v.([]any)
	if !ok || slices.ContainsFunc(list, func(item any) bool { _, ok := item.(object); return !ok }) {
		c.fail(ruleKind, "/blocks", "must be an array of objects")
		return nil, c, invalid("invalid_blocks_format", c.problems)
	}
	c.blocks("/blocks", list, maxMessageBlocks)
	if len(c.problems) > 0 {
		return nil, c, invalid("invalid_blocks", c.problems)
	}
	if c.total > maxBlocksText.max {
		c.fail(maxBlocksText, "/blocks", "%d characters in all, about %d are allowed", c.total, maxBlocksText.max)
		return nil, c, no("msg_blocks_too_long")
	}
	return objects(v), c, nil
}

// The kinds of views.
// https://docs.slack.dev/reference/views
const (
	modal   = "modal"
	homeTab = "home"
)

// anyView checks the view given to views.open, views.publish and similar methods.
func anyView(v any, kind string) (view object, c *check, err *apiError) {
	c = &check{kind: kind, blockIDs: map[string]bool{}}
	view, ok := v.(object)
	if !ok {
		c.fail(ruleKind, "/view", "must be an object")
		return nil, c, invalid("invalid_arguments", c.problems)
	}
	if raw, _ := json.Marshal(view); len(raw) > maxViewBytes.max { // Decoded JSON always encodes.
		c.fail(maxViewBytes, "/view", "%d bytes, %d are allowed", len(raw), maxViewBytes.max)
		return nil, c, no("view_too_large")
	}
	c.view("/view", view)
	if len(c.problems) > 0 {
		return nil, c, invalid("invalid_arguments", c.problems)
	}
	return view, c, nil
}

func (c *check) view(at string, view object) {
	if kind := text(view, "type"); kind != c.kind {
		c.fail(ruleKind, at+"/type", "unsupported type: %s", kind)
		return
	}
	required, known := []string{"type", "blocks"}, shape{
		"type":             c.str(rule{}),
		"callback_id":      c.optionalStr(maxCallbackID),
		"external_id":      c.optionalStr(maxExternalID),
		"private_metadata": c.optionalStr(maxPrivateMetadata),
		"blocks": func(at string, v any) {
			if list, ok := v.([]any); ok {
				c.blocks(at, list, maxModalBlocks)
			} else {
				c.fail(ruleKind, at, "must be an array of objects")
			}
		},
	}
	if c.kind == modal {
		required = append(required, "title")
		maps.Copy(known, shape{
			"title": c.plainText(maxModalTitle), "submit": c.plainText(maxModalSubmit), "close": c.plainText(maxModalClose),
			"clear_on_close": c.boolean, "notify_on_close": c.boolean, "submit_disabled": c.boolean,
		})
	}
	c.object(at, view, required, known)
	if c.kind == modal && c.inputs && view["submit"] == nil {
		c.fail(ruleSubmit, at, "missing required field: submit")
	}
}

func (c *check) blocks(at string, list []any, most rule) {
	c.atMost(most, at, len(list))
	for i, item := range list {
		at := fmt.Sprintf("%s/%d", at, i)
		if block, ok := item.(object); ok {
			c.block(at, block)
		} else {
			c.fail(ruleKind, at, "must be an object")
		}
	}
}

// object checks an object's property names, and then each property.
func (c *check) object(at string, o object, required []string, known shape) {
	for _, name := range required {
		if _, ok := o[name]; !ok {
			c.fail(ruleRequired, at, "missing required field: %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		holds, ok := known[name]
		switch {
		case !ok:
			c.fail(ruleProperty, at, "invalid additional property: %s", name)
		case holds != nil:
			holds(at+"/"+name, o[name])
		}
	}
}

// nested returns the check for a property that holds an object.
func (c *check) nested(inside func(at string, o object)) func(string, any) {
	return func(at string, v any) {
		if o, ok := v.(object); ok {
			inside(at, o)
		} else {
			c.fail(ruleKind, at, "must be an object")
		}
	}
}

// list returns the check for a property that holds one or more objects.
func (c *check) list(most rule, each func(at string, o object)) func(string, any) {
	return func(at string, v any) {
		items, ok := v.([]any)
		if !ok {
			c.fail(ruleKind, at, "must be an array of objects")
			return
		}
		if len(items) == 0 {
			c.fail(ruleEmpty, at, "no fewer than 1 items allowed")
		}
		c.atMost(most, at, len(items))
		for i, item := range items {
			c.nested(each)(fmt.Sprintf("%s/%d", at, i), item)
		}
	}
}

func (c *check) atMost(most rule, at string, n int) {
	if most.max > 0 && n > most.max {
		c.fail(most, at, "no more than %d items allowed", most.max)
	}
}

// str returns the check for a property that holds non-empty text.
func (c *check) str(most rule) func(string, any) {
	return func(at string, v any) {
		if s, ok := v.(string); ok && s == "" {
			c.fail(ruleEmpty, at, "must be more than 0 characters")
			return
		}
		c.optionalStr(most)(at, v)
	}
}

// optionalStr returns the check for a property that holds text, possibly empty.
func (c *check) optionalStr(most rule) func(string, any) {
	return func(at string, v any) {
		s, ok := v.(string)
		if !ok {
			c.fail(ruleKind, at, "must be a string")
			return
		}
		if n := double.Length(s); most.max > 0 && n > most.max {
			c.fail(most, at, "must be less than %d characters", most.max+1)
		}
	}
}

// link returns the check for a URL that opens when a person presses.
// https://github.com/MacPaw/together-app/issues/4
func (c *check) link(most rule) func(string, any) {
	return func(at string, v any) {
		c.str(most)(at, v)
		address, _ := v.(string)
		if scheme, rest, _ := strings.Cut(address, ":"); address != "" && (scheme == "" || rest == "") {
			c.fail(ruleURL, at, "invalid url")
		}
	}
}

func (c *check) boolean(at string, v any) {
	if _, ok := v.(bool); !ok {
		c.fail(ruleKind, at, "must be a boolean")
	}
}

// between returns the check for a property that holds a whole number.
func (c *check) between(least int, most rule) func(string, any) {
	return func(at string, v any) {
		n, ok := number(v)
		switch {
		case !ok:
			c.fail(ruleKind, at, "must be an integer")
		case n < least:
			c.fail(most, at, "must be at least %d", least)
		case most.max > 0 && n > most.max:
			c.fail(most, at, "must be no more than %d", most.max)
		}
	}
}

// oneOf returns the check for a property that holds one of the given words.
func (c *check) oneOf(r rule, words ...string) func(string, any) {
	return func(at string, v any) {
		if s, _ := v.(string); !slices.Contains(words, s) {
			c.fail(r, at, "must be one of %v", words)
		}
	}
}
