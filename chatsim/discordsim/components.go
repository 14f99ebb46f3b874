package discordsim

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// Types of components.
// https://docs.discord.com/developers/components/reference#component-object-component-types
const (
	kindRow           = 1
	kindButton        = 2
	kindSelect        = 3
	kindTextInput     = 4
	kindSection       = 9
	kindTextDisplay   = 10
	kindThumbnail     = 11
	kindGallery       = 12
	kindFile          = 13
	kindSeparator     = 14
	kindContainer     = 17
	kindLabel         = 18
	kindFileUpload    = 19
	kindRadioGroup    = 21
	kindCheckboxGroup = 22
	kindCheckbox      = 23
)

// kindNames are the implemented component types, for COVERAGE.md.
var kindNames = map[int]string{
	kindRow: "action-row", kindButton: "button", kindSelect: "string-select", kindTextInput: "text-input",
	kindSection: "section", kindTextDisplay: "text-display", kindThumbnail: "thumbnail", kindSeparator: "separator",
	kindContainer: "container", kindLabel: "label", kindRadioGroup: "radio-group", kindCheckboxGroup: "checkbox-group",
	kindCheckbox: "checkbox", kindGallery: "media-gallery", kindFile: "file", kindFileUpload: "file-upload",
	kindUserSelect: "user-select", kindRoleSelect: "role-select",
	kindMentionableSelect: "mentionable-select", kindChannelSelect: "channel-select",
}

func kindOf(o object) int { return integer(o, "type", 0) }

// messageComponents checks the components of a message.
func (c *check) messageComponents(v any) {
	allowed, most := []int{kindRow}, maxRows
	if c.v2 {
		allowed, most = []int{kindRow, kindSection, kindTextDisplay, kindGallery, kindFile, kindSeparator, kindContainer}, rule{}
	}
	c.list(0, most, c.oneOf(allowed))("components", v)
	if c.total > maxComponents.max {
		c.fail(maxComponents, "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "%d components in all, %d are allowed", c.total, maxComponents.max)
	}
	c.sizes("components")
}

// sizes checks the limits that apply to all text displays together.
func (c *check) sizes(at string) {
	switch {
	case c.text > maxDisplayText.max:
		c.fail(maxDisplayText, at, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "The displayable text size (%d) exceeds the maximum of %d.", c.text, maxDisplayText.max)
	case c.text+c.others > maxDisplayText.max:
		c.note(noteText, at, "%d characters in text displays, %d in labels and options", c.text, c.others)
	}
	if c.bytes > maxDisplayBytes.max && len(c.problems) == 0 {
		c.fail(maxDisplayBytes, at, "", "%d bytes in text displays, %d are allowed: Discord answers with 500", c.bytes, maxDisplayBytes.max)
	}
}

// oneOf returns the check for a component of one of the given types.
func (c *check) oneOf(kinds []int) func(at string, o object) {
	return func(at string, o object) {
		c.total++
		kind := kindOf(o)
		if !slices.Contains(kinds, kind) {
			r := ruleType
			if !c.v2 && !c.modal && kind > kindTextInput {
				r = ruleV2Flag
			}
			c.fail(r, join(at, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (%s).", choices(kinds))
			return
		}
		c.component(at, o, kind)
	}
}

func choices(kinds []int) string {
	var out []string
	for _, k := range kinds {
		out = append(out, fmt.Sprint(k))
	}
	return strings.Join(out, ", ")
}

func (c *check) component(at string, o object, kind int) {
	fields := func(required []string, more shape) {
		more["type"], more["id"] = nil, c.componentID
		c.object(at, o, required, more)
	}
	switch kind {
	case kindRow:
		c.row(at, o, fields)
	case kindButton:
		c.button(at, o, fields)
	case kindSelect:
		c.choice(at, o, fields, maxSelectOptions, 1, maxSelectValues)
	case kindUserSelect, kindRoleSelect, kindMentionableSelect, kindChannelSelect:
		c.entities(at, o, fields)
	case kindTextInput:
		c.textInput(at, o, fields)
	case kindSection:
		fields([]string{"components", "accessory"}, shape{
			"components": c.list(1, maxSectionTexts, c.oneOf([]int{kindTextDisplay})),
			"accessory":  c.anObject(c.oneOf([]int{kindButton, kindThumbnail})),
		})
	case kindTextDisplay:
		s := text(o, "content")
		c.text += double.Length(s)
		c.bytes += len(s) + 12
		fields([]string{"content"}, shape{"content": c.str(1, maxTextDisplay)})
	case kindThumbnail:
		fields([]string{"media"}, shape{"media": c.media(true), "description": c.str(1, maxMediaDesc), "spoiler": c.boolean})
	case kindGallery:
		fields([]string{"items"}, shape{"items": c.list(1, maxGallery, func(at string, o object) {
			c.object(at, o, []string{"media"}, shape{"media": c.media(true), "description": c.str(1, maxMediaDesc), "spoiler": c.boolean})
		})})
	case kindFile:
		fields([]string{"file"}, shape{"file": c.media(false), "spoiler": c.boolean, "name": nil, "size": nil})
	case kindSeparator:
		fields(nil, shape{"divider": c.boolean, "spacing": c.between(1, rule{name: ruleStyle.name, max: 2, doc: ruleStyle.doc})})
	case kindContainer:
		inside := c.oneOf([]int{kindRow, kindSection, kindTextDisplay, kindGallery, kindFile, kindSeparator})
		fields([]string{"components"}, shape{
			"components": c.list(1, rule{}, inside), "accent_color": c.between(0, maxAccent), "spoiler": c.boolean,
		})
	case kindLabel:
		inside := c.oneOf(append(slices.Clone(selects), kindTextInput, kindFileUpload, kindRadioGroup, kindCheckboxGroup, kindCheckbox))
		fields([]string{"label", "component"}, shape{
			"label": c.face(1, maxLabel), "description": c.face(1, maxLabelDesc), "component": c.anObject(inside),
		})
	case kindFileUpload:
		c.fileUpload(at, o, fields)
	case kindRadioGroup:
		c.choice(at, o, fields, maxRadioOptions, 2, rule{})
	case kindCheckboxGroup:
		c.choice(at, o, fields, maxCheckboxOptions, 1, maxCheckboxValues)
	case kindCheckbox:
		fields([]string{"custom_id"}, shape{"custom_id": c.customID, "default": c.boolean})
	}
}

type fieldsCheck = func(required []string, more shape)

// row checks an action row: up to five buttons, or one select; in a modal one text input.
func (c *check) row(at string, o object, fields fieldsCheck) {
	inside := append([]int{kindButton}, selects...)
	if c.modal {
		inside = []int{kindTextInput}
		c.note(noteRow, at, "an action row")
	}
	fields([]string{"components"}, shape{"components": c.list(1, maxButtons, c.oneOf(inside))})
	wide := slices.ContainsFunc(objects(o["components"]), func(e object) bool { return kindOf(e) != kindButton })
	if list := objects(o["components"]); wide && len(list) > 1 && len(list) <= maxButtons.max {
		c.fail(ruleRowWidth, join(join(at, "components"), 1), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
	}
}

// Styles of buttons.
// https://docs.discord.com/developers/components/reference#button-button-styles
const styleLink = 5

func (c *check) button(at string, o object, fields fieldsCheck) {
	fields([]string{"style"}, shape{
		"style":     c.between(1, rule{name: ruleStyle.name, max: styleLink, doc: ruleStyle.doc}),
		"label":     c.face(0, maxButtonLabel),
		"emoji":     c.anObject(c.emoji),
		"custom_id": c.customID,
		"url":       c.str(1, maxButtonURL),
		"disabled":  c.boolean,
	})
	if strings.TrimSpace(text(o, "label")) == "" && o["emoji"] == nil {
		c.fail(ruleButtonFace, join(at, "label"), "BASE_TYPE_REQUIRED", "A button needs a label or an emoji")
	}
	scheme, _, whole := strings.Cut(text(o, "url"), "://")
	if text(o, "url") != "" && (!whole || !slices.Contains([]string{"http", "https", "discord"}, scheme)) {
		c.fail(ruleButtonURL, join(at, "url"), "URL_TYPE_INVALID_SCHEME", "Scheme \"%s\" is not supported. Scheme must be one of ('http', 'https', 'discord').", scheme)
	}
	link := integer(o, "style", 0) == styleLink
	needs, excludes := "custom_id", "url"
	if link {
		needs, excludes = excludes, needs
	}
	if o[needs] == nil {
		c.fail(ruleButton, join(at, needs), "BASE_TYPE_REQUIRED", "A %s is required for this style of button", needs)
	}
	if o[excludes] != nil {
		c.fail(ruleButton, join(at, excludes), "BUTTON_COMPONENT_URL_AND_CUSTOM_ID", "A custom id and url cannot both be specified")
	}
}

// choice checks a select, a radio group or a checkbox group. values is the rule for min_values
// and max_values, if they exist.
func (c *check) choice(at string, o object, fields fieldsCheck, options rule, least int, values rule) {
	known := shape{
		"custom_id": c.customID,
		"options":   c.list(least, options, c.option),
	}
	if kindOf(o) == kindSelect {
		known["placeholder"], known["disabled"] = c.face(0, maxPlaceholder), c.boolean
	}
	if c.modal {
		known["required"] = c.boolean
	}
	if values.max > 0 {
		known["min_values"], known["max_values"] = c.between(0, values), c.between(1, values)
	}
	fields([]string{"custom_id", "options"}, known)
	list := objects(o["options"])
	seen := map[string]bool{}
	for i, opt := range list {
		v := text(opt, "value")
		if seen[v] {
			c.fail(ruleValues, fmt.Sprintf("%s.options.%d.value", at, i), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		seen[v] = true
	}
	_, most := valueRange(o)
	if most > len(list) && o["max_values"] != nil {
		c.fail(values, join(at, "max_values"), "NUMBER_TYPE_MAX", "int value should be less than or equal to the number of options, %d.", len(list))
	}
	if n := len(defaults(o)); n > most {
		c.fail(ruleDefaults, join(at, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "%d defaults, %d values are allowed", n, most)
	}
	c.picking(at, o, values)
}

// picking checks how many options a choice allows to select.
func (c *check) picking(at string, o object, values rule) {
	if fewest, most := valueRange(o); fewest > most {
		c.fail(ruleRange, join(at, "min_values"), "NUMBER_TYPE_MAX", "min_values must be less than or equal to max_values")
	}
	c.optional(at, o, values)
	if c.modal && flag(o, "disabled", false) {
		c.fail(ruleModalAlive, join(at, "disabled"), "COMPONENT_DISABLED_IN_MODAL", "a component in a modal cannot be disabled")
	}
}

// optional checks whether a choice in a modal may stay empty.
func (c *check) optional(at string, o object, values rule) {
	if !c.modal || values.max == 0 {
		return
	}
	fewest, given := number(o["min_values"])
	needed := flag(o, "required", true)
	switch {
	case needed && given && fewest == 0:
		c.fail(ruleOptional, join(at, "min_values"), "NUMBER_TYPE_MIN", "min_values must be at least 1 where required is not false")
	case !needed && fewest > 0, !needed && !given:
		c.warn(ruleOptional, join(at, "min_values"), "required is false and min_values is not 0: phones want both")
	}
}

func (c *check) option(at string, o object) {
	c.object(at, o, []string{"label", "value"}, shape{
		"label": c.face(1, maxOptionLabel), "value": c.str(1, maxOptionValue), "description": c.face(0, maxOptionDesc),
		"emoji": c.anObject(c.emoji), "default": c.boolean,
	})
}

// emoji checks a custom emoji, which has an id, or a Unicode emoji. A name such as "rocket" is
// neither. https://docs.discord.com/developers/resources/emoji#emoji-object
func (c *check) emoji(at string, o object) {
	c.object(at, o, nil, shape{"id": c.snowflake, "name": c.str(0, rule{}), "animated": c.boolean})
	name := text(o, "name")
	if o["id"] == nil && strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		c.fail(ruleEmoji, join(at, "name"), "BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
}

// valueRange returns how many options may be selected.
func valueRange(o object) (fewest, most int) {
	switch kindOf(o) {
	case kindRadioGroup:
		fewest, most = 1, 1
	case kindCheckboxGroup:
		fewest, most = 1, max(1, len(objects(o["options"])))
	default:
		fewest, most = 1, 1
	}
	if !flag(o, "required", true) {
		fewest = 0
	}
	return integer(o, "min_values", fewest), integer(o, "max_values", most)
}

// defaults lists the initially selected values.
func defaults(o object) []string {
	out := []string{}
	for _, opt := range objects(o["options"]) {
		if flag(opt, "default", false) {
			out = append(out, text(opt, "value"))
		}
	}
	for _, v := range objects(o["default_values"]) {
		out = append(out, idOf(v["id"]))
	}
	return out
}

// walk visits every component, outer ones first.
func walk(list []object, visit func(object)) {
	for _, o := range list {
		visit(o)
		walk(objects(o["components"]), visit)
		for _, name := range []string{"accessory", "component"} {
			if inner := child(o, name); inner != nil {
				walk([]object{inner}, visit)
			}
		}
	}
}

// adopt copies validated components and adds Discord's defaults, including a numeric id for
// each.
func adopt(components []object) []object {
	out := objects(double.Clone(components))
	taken := map[int]bool{}
	walk(out, func(o object) { taken[integer(o, "id", 0)] = true })
	next := 1
	walk(out, func(o object) {
		if integer(o, "id", 0) == 0 {
			for taken[next] {
				next++
			}
			o["id"], taken[next] = next, true
		}
		switch kindOf(o) {
		case kindSelect, kindUserSelect, kindRoleSelect, kindMentionableSelect, kindChannelSelect:
			fewest, most := valueRange(o)
			assume(o, "min_values", fewest)
			assume(o, "max_values", most)
			for _, v := range objects(o["default_values"]) {
				v["id"] = idOf(v["id"])
			}
		case kindSeparator:
			assume(o, "divider", true)
			assume(o, "spacing", 1)
		case kindContainer:
			assume(o, "accent_color", nil)
			assume(o, "spoiler", false)
		case kindThumbnail:
			assume(o, "description", nil)
			assume(o, "spoiler", false)
		case kindFile:
			assume(o, "spoiler", false)
		case kindGallery:
			for _, item := range objects(o["items"]) {
				assume(item, "description", nil)
				assume(item, "spoiler", false)
			}
		}
	})
	return out
}

// assume sets a default for a missing field.
func assume(o object, name string, v any) {
	if o[name] == nil {
		o[name] = v
	}
}
