package discordsim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// problem is one error in a body.
type problem struct {
	rule rule
	at   string // the field path, separated by dots
	code string // Discord's error code
	text string
}

// check validates a body and collects all problems.
type check struct {
	problems []problem
	warned   []problem // errors that Discord accepts
	notes    []problem // content that a careful app would not send

	attachments []*attachment // the message's files, which components can refer to
	named       []*attachment // those that components refer to

	v2    bool
	modal bool

	customIDs map[string]string
	ids       map[int]bool
	total     int // components so far
	text      int // characters in text displays so far
	others    int // characters in labels, placeholders and options so far
	bytes     int // bytes in text displays so far, with Discord's overhead for each
}

func newCheck() *check { return &check{customIDs: map[string]string{}, ids: map[int]bool{}} }

func (c *check) fail(r rule, at, code, format string, args ...any) {
	c.problems = append(c.problems, problem{r, at, code, fmt.Sprintf(format, args...)})
}

func (c *check) warn(r rule, at, format string, args ...any) {
	c.warned = append(c.warned, problem{rule: r, at: at, text: fmt.Sprintf(format, args...)})
}

func (c *check) note(r rule, at, format string, args ...any) {
	c.notes = append(c.notes, problem{rule: r, at: at, text: fmt.Sprintf(format, args...)})
}

// shape maps the allowed fields of an object to their checks.
type shape map[string]func(at string, v any)

// object checks an object's field names, and then each field. A null field counts as absent.
func (c *check) object(at string, o object, required []string, known shape) {
	for _, name := range required {
		if o[name] == nil {
			c.fail(ruleRequired, join(at, name), "BASE_TYPE_REQUIRED", "This field is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		holds, ok := known[name]
		switch {
		case !ok:
			c.note(noteField, join(at, name), "unknown field")
		case holds != nil && o[name] != nil:
			holds(join(at, name), o[name])
		}
	}
}

func join(at string, name any) string { return strings.TrimPrefix(fmt.Sprintf("%s.%v", at, name), ".") }

// str returns the check for a text field with a minimum and a maximum length.
func (c *check) str(least int, most rule) func(string, any) {
	return func(at string, v any) {
		s, ok := v.(string)
		if !ok {
			c.fail(ruleKind, at, "BASE_TYPE_STRING", "Could not interpret \"%v\" as string.", v)
			return
		}
		n := double.Length(s)
		switch {
		case n < least && most.max > 0:
			c.fail(ruleEmpty, at, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most.max)
		case most.max > 0 && n > most.max && least > 0:
			c.fail(most, at, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most.max)
		case most.max > 0 && n > most.max:
			c.fail(most, at, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most.max)
		}
	}
}

// face returns the check for a text on a control, which counts toward the total of such texts.
// A required text must not be only white space.
// https://github.com/discord-net/Discord.Net/pull/2831
func (c *check) face(least int, most rule) func(string, any) {
	return func(at string, v any) {
		s, ok := v.(string)
		if ok {
			c.others += double.Length(s)
		}
		if least > 0 && s != "" && strings.TrimSpace(s) == "" {
			c.fail(ruleEmpty, at, "BASE_TYPE_REQUIRED", "This field is required")
			return
		}
		c.str(least, most)(at, v)
	}
}

// snowflake checks an id.
// https://docs.discord.com/developers/reference#snowflakes
func (c *check) snowflake(at string, v any) {
	if _, err := strconv.ParseUint(idOf(v), 10, 64); err != nil {
		c.fail(ruleKind, at, "NUMBER_TYPE_COERCE", "Value \"%v\" is not snowflake.", v)
	}
}

func (c *check) boolean(at string, v any) {
	if _, ok := v.(bool); !ok {
		c.fail(ruleKind, at, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
	}
}

// between returns the check for a field that holds a whole number.
func (c *check) between(least int, most rule) func(string, any) {
	return func(at string, v any) {
		n, ok := number(v)
		switch {
		case !ok:
			c.fail(ruleKind, at, "NUMBER_TYPE_COERCE", "Value \"%v\" is not int.", v)
		case n < least:
			c.fail(most, at, "NUMBER_TYPE_MIN", "int value should be greater than or equal to %d.", least)
		case most.max > 0 && n > most.max:
			c.fail(most, at, "NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", most.max)
		}
	}
}

// anObject returns the check for a field that holds an object.
func (c *check) anObject(inside func(at string, o object)) func(string, any) {
	return func(at string, v any) {
		if o, ok := v.(object); ok {
			inside(at, o)
		} else {
			c.fail(ruleKind, at, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
		}
	}
}

// list returns the check for a field that holds objects.
func (c *check) list(least int, most rule, each func(at string, o object)) func(string, any) {
	return c.items(least, most, c.anObject(each))
}

// items returns the check for a field that holds a list.
func (c *check) items(least int, most rule, each func(at string, v any)) func(string, any) {
	return func(at string, v any) {
		items, ok := v.([]any)
		if !ok {
			c.fail(ruleKind, at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
			return
		}
		switch n := len(items); {
		case n < least && n == 0:
			c.fail(ruleEmpty, at, "BASE_TYPE_REQUIRED", "This field is required")
		case n < least, most.max > 0 && n > most.max:
			c.fail(most, at, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most.max)
		}
		for i, item := range items {
			each(join(at, i), item)
		}
	}
}

// customID checks that a control has a unique custom_id.
func (c *check) customID(at string, v any) {
	c.str(1, maxCustomID)(at, v)
	id, _ := v.(string)
	if first, taken := c.customIDs[id]; taken && id != "" {
		c.fail(ruleUnique, at, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated: %q is also at %s", id, first)
		return
	}
	c.customIDs[id] = at
}

// componentID checks the numeric id of a component.
func (c *check) componentID(at string, v any) {
	c.between(0, kindUpTo(1<<31-1))(at, v)
	n, _ := number(v)
	if n != 0 && c.ids[n] {
		c.fail(ruleUniqueID, at, "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated: %d", n)
	}
	c.ids[n] = true
}
