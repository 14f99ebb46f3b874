package discordsim

import "github.com/askbridge/askbridge/chatsim/internal/double"

// checkModal checks the data of a response of type 9.
// https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal
func checkModal(data object) *check {
	c := newCheck()
	c.modal, c.v2 = true, true
	c.object("", data, []string{"custom_id", "title", "components"}, shape{
		"custom_id":  c.str(1, maxCustomID),
		"title":      c.face(1, maxModalTitle),
		"components": c.list(1, maxModalParts, c.oneOf([]int{kindRow, kindTextDisplay, kindLabel})),
		// Some libraries send these with every response.
		"content": nil, "embeds": nil, "tts": nil, "flags": nil, "allowed_mentions": nil,
	})
	if c.total > maxComponents.max {
		c.fail(maxComponents, "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "%d components in all, %d are allowed", c.total, maxComponents.max)
	}
	c.sizes("components")
	for i, part := range objects(data["components"]) {
		c.inputLabels(join("components", i), part)
	}
	return c
}

// inputLabels checks that every text input has exactly one label: its own in an action row,
// else that of its Label component.
// https://docs.discord.com/developers/components/reference#text-input
func (c *check) inputLabels(at string, part object) {
	switch kindOf(part) {
	case kindRow:
		for i, e := range objects(part["components"]) {
			if text(e, "label") == "" {
				c.fail(ruleRowLabel, join(join(join(at, "components"), i), "label"), "BASE_TYPE_REQUIRED", "This field is required")
			}
		}
	case kindLabel:
		if e := child(part, "component"); kindOf(e) == kindTextInput && e["label"] != nil {
			c.fail(ruleRowLabel, join(join(at, "component"), "label"), "BASE_TYPE_BAD_LENGTH", "a text input in a Label has no label of its own")
		}
	}
}

func (c *check) textInput(at string, o object, fields fieldsCheck) {
	fields([]string{"custom_id", "style"}, shape{
		"custom_id": c.customID, "style": c.between(1, rule{name: ruleStyle.name, max: 2, doc: ruleStyle.doc}),
		"label": c.face(0, maxLabel), "min_length": c.between(0, maxInputLength), "max_length": c.between(1, maxInputLength),
		"required": c.boolean, "value": c.str(0, maxInputValue), "placeholder": c.face(0, maxInputHint),
	})
	least, most := integer(o, "min_length", 0), integer(o, "max_length", maxInputLength.max)
	if least > most {
		c.fail(ruleRange, join(at, "min_length"), "NUMBER_TYPE_MAX", "min_length must be less than or equal to max_length")
	}
	if n := double.Length(text(o, "value")); n > most || (n > 0 && n < least) {
		c.fail(ruleRange, join(at, "value"), "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	}
}
