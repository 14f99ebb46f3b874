package slacksim

import (
	"maps"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// block checks one block.
func (c *check) block(at string, b object) {
	kind := text(b, "type")
	base := shape{"type": nil, "block_id": c.blockID}
	with := func(more shape) shape {
		maps.Copy(more, base)
		return more
	}
	switch kind {
	case "section":
		c.object(at, b, nil, with(shape{
			"text":   c.anyText(maxSectionText),
			"fields": c.list(maxSectionFields, func(at string, o object) { c.textObject(at, o, maxFieldText, true) }),
			"accessory": c.nested(func(at string, o object) {
				c.element(at, o, "section", map[string]bool{})
			}),
			"expand": c.boolean,
		}))
		if b["text"] == nil && b["fields"] == nil {
			c.fail(ruleRequired, at, "must define either `text` or `fields`")
		}
	case "header":
		c.object(at, b, []string{"text"}, with(shape{
			"text": c.plainText(maxHeaderText), "level": c.between(1, maxHeaderLevel),
		}))
	case "divider":
		c.object(at, b, nil, base)
	case "context":
		c.object(at, b, []string{"elements"}, with(shape{"elements": c.list(maxContextElements, c.contextElement)}))
	case "actions":
		c.actions(at, b, with(shape{}))
	case "input":
		c.input(at, b, with(shape{}))
	case "rich_text":
		c.object(at, b, []string{"elements"}, with(shape{"elements": c.list(rule{}, c.richText)}))
	case "markdown":
		c.markdownBlock(at, b, base)
	default:
		if !c.newerBlock(at, b, with(shape{})) {
			c.fail(ruleBlockType, at+"/type", "unsupported type: %s", kind)
		}
	}
}

func (c *check) blockID(at string, v any) {
	c.str(maxBlockID)(at, v)
	id, _ := v.(string)
	if id != "" && c.blockIDs[id] {
		c.fail(ruleUniqueBlock, at, "block_id %q already exists", id)
	}
	c.blockIDs[id] = true
}

func (c *check) actions(at string, b object, known shape) {
	actionIDs := map[string]bool{}
	primary := 0
	known["elements"] = c.list(maxActionsElements, func(at string, o object) {
		c.element(at, o, "actions", actionIDs)
		if text(o, "style") == "primary" {
			primary++
		}
	})
	c.object(at, b, []string{"elements"}, known)
	if primary > 1 {
		c.note(notePrimary, at, "%d primary buttons in one set", primary)
	}
}

func (c *check) input(at string, b object, known shape) {
	c.inputs = true
	known["label"] = c.plainText(maxInputLabel)
	known["hint"] = c.plainText(maxInputHint)
	known["optional"] = c.boolean
	known["dispatch_action"] = c.boolean
	known["element"] = c.nested(func(at string, o object) { c.element(at, o, "input", map[string]bool{}) })
	c.object(at, b, []string{"label", "element"}, known)
	if dispatch, _ := b["dispatch_action"].(bool); dispatch && text(child(b, "element"), "type") == "file_input" {
		c.fail(ruleElementPlace, at+"/element/type", "unsupported type: file_input in a block with dispatch_action")
	}
}

func (c *check) contextElement(at string, o object) {
	if text(o, "type") == "image" {
		c.element(at, o, "context", map[string]bool{})
		return
	}
	c.textObject(at, o, maxText, true)
}

func (c *check) markdownBlock(at string, b object, known shape) {
	if c.kind != "" {
		c.fail(ruleBlockType, at+"/type", "unsupported type: markdown")
		return
	}
	known["text"] = c.str(rule{})
	c.object(at, b, []string{"text"}, known)
	n := double.Length(text(b, "text"))
	c.total += n
	c.markdown += n
	if c.markdown > maxMarkdownText.max {
		c.fail(maxMarkdownText, at+"/text", "must be less than %d characters", maxMarkdownText.max+1)
	}
}

// textObject checks a composition object that holds text.
// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
func (c *check) textObject(at string, o object, most rule, mrkdwn bool) {
	known := shape{"type": nil, "text": c.str(most)}
	switch kind := text(o, "type"); {
	case kind == "plain_text":
		known["emoji"] = c.boolean
	case kind == "mrkdwn" && mrkdwn:
		known["verbatim"] = c.boolean
	default:
		c.fail(ruleTextType, at+"/type", "unsupported type: %s", kind)
		return
	}
	c.object(at, o, []string{"text"}, known)
	c.total += double.Length(text(o, "text"))
}

// plainText returns the check for a property that holds an unformatted text object.
func (c *check) plainText(most rule) func(string, any) {
	return c.nested(func(at string, o object) { c.textObject(at, o, most, false) })
}

// anyText returns the check for a property that holds a text object.
func (c *check) anyText(most rule) func(string, any) {
	return c.nested(func(at string, o object) { c.textObject(at, o, most, true) })
}
