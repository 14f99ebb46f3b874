package slacksim

import (
	"maps"
	"slices"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// surfaces lists the surfaces of blocks that are not available on all of them; "" is a message.
// https://docs.slack.dev/reference/block-kit/blocks/
var surfaces = map[string][]string{
	"alert":           {modal},
	"card":            {"", modal, homeTab},
	"carousel":        {"", homeTab},
	"context_actions": {""},
	"data_table":      {"", homeTab},
	"markdown":        {""},
	"plan":            {""},
	"table":           {"", homeTab},
	"task_card":       {""},
}

// newerBlock checks block kinds introduced after 2024 and reports whether the kind is known.
func (c *check) newerBlock(at string, b object, known shape) bool {
	kind := text(b, "type")
	if allowed := surfaces[kind]; allowed != nil && !slices.Contains(allowed, c.kind) {
		c.fail(ruleBlockType, at+"/type", "unsupported type: %s", kind)
		return true
	}
	with := func(required []string, more shape) bool {
		maps.Copy(more, known)
		c.object(at, b, required, more)
		return true
	}
	switch kind {
	case "image":
		c.imageSource(at, b)
		return with([]string{"alt_text"}, shape{
			"image_url": c.str(maxButtonURL), "slack_file": c.nested(c.slackFile), "alt_text": c.str(maxFieldText), "title": c.plainText(maxFieldText),
		})
	case "alert":
		return with([]string{"text"}, shape{"text": c.anyText(maxAlertText), "level": c.oneOf(ruleStyle, "default", "info", "warning", "error", "success")})
	case "card":
		return c.card(at, b, known)
	case "carousel":
		return with([]string{"elements"}, shape{"elements": c.list(maxCards, func(at string, o object) { c.card(at, o, shape{"type": nil, "block_id": c.blockID}) })})
	case "context_actions":
		return with([]string{"elements"}, shape{"elements": c.list(maxContextActions, c.contextAction)})
	case "table":
		return with([]string{"rows"}, shape{"rows": c.rows(1, maxTableRows), "column_settings": nil})
	case "data_table":
		return with([]string{"caption", "rows"}, shape{
			"caption": c.str(rule{}), "rows": c.rows(2, maxDataRows), "page_size": c.between(1, maxPageSize), "row_header_column_index": c.between(0, rule{}),
		})
	case "task_card":
		if text(b, "status") == "pending" {
			c.fail(ruleStatus, at+"/status", "must be a valid enum value")
		}
		return c.task(at, b, known)
	case "plan":
		return with([]string{"title"}, shape{
			"title": c.str(rule{}), "tasks": c.list(rule{}, func(at string, o object) { c.task(at, o, shape{"type": nil, "block_id": c.blockID}) }),
		})
	}
	return false
}

// imageSource checks that an image has exactly one source.
// https://docs.slack.dev/reference/block-kit/blocks/image-block
func (c *check) imageSource(at string, o object) {
	if (o["image_url"] == nil) == (o["slack_file"] == nil) {
		c.fail(ruleEither, at, "must define either `image_url` or `slack_file`")
	}
}

// slackFile checks a file reference by id or URL.
// https://docs.slack.dev/reference/block-kit/composition-objects/slack-file-object
func (c *check) slackFile(at string, o object) {
	c.object(at, o, nil, shape{"id": c.str(rule{}), "url": c.str(maxButtonURL)})
	if (o["id"] == nil) == (o["url"] == nil) {
		c.fail(ruleEither, at, "must define either `id` or `url`")
	}
}

// card checks a card. Its texts are text objects.
// https://docs.slack.dev/reference/block-kit/blocks/card-block
func (c *check) card(at string, b object, known shape) bool {
	actionIDs := map[string]bool{}
	maps.Copy(known, shape{
		"hero_image": c.nested(func(at string, o object) { c.element(at, o, "context", actionIDs) }),
		"icon":       c.nested(func(at string, o object) { c.element(at, o, "context", actionIDs) }), "slack_icon": nil,
		"title": c.anyText(maxHeaderText), "subtitle": c.anyText(maxHeaderText), "body": c.anyText(maxAlertText), "subtext": c.anyText(maxAlertText),
		"actions": c.list(maxCardButtons, func(at string, o object) { c.element(at, o, "actions", actionIDs) }),
	})
	c.object(at, b, nil, known)
	if b["hero_image"] == nil && b["title"] == nil && b["body"] == nil && b["actions"] == nil {
		c.fail(ruleRequired, at, "must define one of `hero_image`, `title`, `body` or `actions`")
	}
	if b["icon"] != nil && b["slack_icon"] != nil {
		c.fail(ruleEither, at, "must define either `icon` or `slack_icon`")
	}
	return true
}

// contextAction checks an element below an assistant's response.
// https://docs.slack.dev/reference/block-kit/blocks/context-actions-block
func (c *check) contextAction(at string, o object) {
	known := shape{"type": nil, "action_id": c.str(maxActionID)}
	switch kind := text(o, "type"); kind {
	case "feedback_buttons":
		known["positive_button"], known["negative_button"] = nil, nil
		c.object(at, o, []string{"positive_button", "negative_button"}, known)
	case "icon_button":
		known["icon"], known["text"], known["value"] = c.oneOf(ruleStyle, "trash"), c.plainText(maxButtonText), c.str(maxButtonValue)
		known["confirm"], known["accessibility_label"], known["visible_to_user_ids"] = c.nested(c.confirm), c.str(maxAccessibility), nil
		c.object(at, o, []string{"icon", "text"}, known)
	default:
		c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
	}
}

// task checks an agent task. Its texts are plain strings.
// https://docs.slack.dev/reference/block-kit/blocks/task-card-block
func (c *check) task(at string, o object, known shape) bool {
	maps.Copy(known, shape{
		"task_id": c.str(rule{}), "title": c.str(rule{}), "status": c.oneOf(ruleStatus, "pending", "in_progress", "complete", "error"),
		"details": c.nested(func(string, object) {}), "output": c.nested(func(string, object) {}), "sources": nil,
	})
	c.object(at, o, []string{"task_id", "title"}, known)
	return true
}

// rows returns the check for table rows: no row has more columns than the first one, or more
// than the limit. https://docs.slack.dev/reference/block-kit/blocks/table-block
func (c *check) rows(least int, most rule) func(string, any) {
	return func(at string, v any) {
		rows, isList := v.([]any)
		if !isList {
			c.fail(ruleKind, at, "must be an array of arrays")
			return
		}
		if len(rows) < least {
			c.fail(ruleEmpty, at, "no fewer than %d items allowed", least)
		}
		c.atMost(most, at, len(rows))
		for i, row := range rows {
			at := join(at, i)
			cells, isRow := row.([]any)
			if !isRow {
				c.fail(ruleKind, at, "must be an array of cells")
				continue
			}
			c.atMost(maxColumns, at, len(cells))
			if first, _ := rows[0].([]any); least > 1 && len(cells) != len(first) {
				c.fail(ruleRagged, at, "must have %d cells as the first row has", len(first))
			}
			for n, cell := range cells {
				c.nested(c.cell)(join(at, n), cell)
			}
		}
		if limit := map[bool]rule{true: maxDataText, false: maxTableText}[least > 1]; c.cells > limit.max {
			c.fail(limit, at, "%d characters in all tables, %d are allowed", c.cells, limit.max)
		}
	}
}

// cell checks one table cell and counts its text.
func (c *check) cell(at string, o object) {
	switch kind := text(o, "type"); kind {
	case "raw_text":
		c.object(at, o, []string{"text"}, shape{"type": nil, "text": c.optionalStr(rule{})})
		c.cells += double.Length(text(o, "text"))
	case "raw_number":
		c.object(at, o, []string{"value"}, shape{"type": nil, "value": nil, "text": c.optionalStr(rule{})})
	case "rich_text":
		c.object(at, o, []string{"elements"}, shape{"type": nil, "block_id": c.blockID, "elements": c.list(rule{}, c.richText)})
	default:
		c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
	}
}
