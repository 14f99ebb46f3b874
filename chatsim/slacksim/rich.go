package slacksim

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// richText checks one section of a rich text block.
// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
func (c *check) richText(at string, o object) {
	known := shape{"type": nil, "elements": c.list(rule{}, c.richElement)}
	switch kind := text(o, "type"); kind {
	case "rich_text_section":
	case "rich_text_preformatted":
		known["border"], known["language"] = c.between(0, maxRichBorder), c.optionalStr(rule{})
		known["elements"] = c.list(rule{}, func(at string, o object) {
			if kind := text(o, "type"); kind != "text" && kind != "link" {
				c.fail(ruleElementPlace, at+"/type", "unsupported type: %s in rich_text_preformatted", kind)
				return
			}
			c.richElement(at, o)
		})
	case "rich_text_quote":
		known["border"] = c.between(0, maxRichBorder)
	case "rich_text_list":
		known["style"] = c.oneOf(ruleStyle, "bullet", "ordered")
		known["indent"], known["offset"], known["border"] = c.between(0, maxRichIndent), c.between(0, rule{}), c.between(0, maxRichBorder)
		known["elements"] = c.list(rule{}, func(at string, o object) {
			if kind := text(o, "type"); kind != "rich_text_section" {
				c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
				return
			}
			c.richText(at, o)
		})
		c.object(at, o, []string{"elements", "style"}, known)
		return
	default:
		c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
		return
	}
	c.object(at, o, []string{"elements"}, known)
}

// richElement checks an element of a rich text section.
func (c *check) richElement(at string, o object) {
	known := shape{"type": nil, "style": c.nested(c.richStyle)}
	with := func(required string, more shape) {
		maps.Copy(known, more)
		c.object(at, o, []string{required}, known)
	}
	switch kind := text(o, "type"); kind {
	case "text":
		with("text", shape{"text": c.str(rule{})})
		c.total += double.Length(text(o, "text"))
	case "link":
		with("url", shape{"url": c.str(maxButtonURL), "text": c.optionalStr(rule{}), "unsafe": c.boolean})
		c.total += double.Length(text(o, "text")) + double.Length(text(o, "url"))
	case "user":
		with("user_id", shape{"user_id": c.str(rule{})})
	case "usergroup":
		with("usergroup_id", shape{"usergroup_id": c.str(rule{})})
	case "channel":
		with("channel_id", shape{"channel_id": c.str(rule{})})
	case "broadcast":
		with("range", shape{"range": c.oneOf(ruleKind, "here", "channel", "everyone")})
	case "emoji":
		with("name", shape{"name": c.str(rule{}), "unicode": c.optionalStr(rule{}), "skin_tone": c.between(1, maxSkinTone)})
	case "color":
		with("value", shape{"value": c.str(rule{})})
	case "date":
		with("timestamp", shape{
			"timestamp": c.between(0, rule{}), "format": c.str(rule{}), "url": c.str(maxButtonURL), "fallback": c.str(rule{}),
		})
		if text(o, "format") == "" {
			c.fail(ruleRequired, at, "missing required field: format")
		}
	default:
		c.fail(ruleElementType, at+"/type", "unsupported type: %s", kind)
	}
}

func (c *check) richStyle(at string, o object) {
	c.object(at, o, nil, shape{
		"bold": c.boolean, "italic": c.boolean, "strike": c.boolean, "code": c.boolean, "underline": c.boolean,
		"highlight": c.boolean, "client_highlight": c.boolean, "unlink": c.boolean,
	})
}

// readRich returns the displayed text of rich text for a reader in a time zone. Text elements
// are literal: they contain no markup.
func (s *Server) readRich(out *markup, v any, zone *time.Location) string {
	var parts []string
	for _, part := range objects(v) {
		switch text(part, "type") {
		case "rich_text_list":
			offset, _ := number(part["offset"])
			for i, item := range objects(part["elements"]) {
				mark := "• "
				if text(part, "style") == "ordered" {
					mark = fmt.Sprintf("%d. ", offset+i+1)
				}
				parts = append(parts, mark+s.readRichLine(out, item["elements"], zone))
			}
		default:
			// A section ends its last line.
			parts = append(parts, s.readRichLine(out, part["elements"], zone))
		}
	}
	return strings.Join(parts, "\n")
}

func (s *Server) readRichLine(out *markup, v any, zone *time.Location) string {
	var read strings.Builder
	for _, e := range objects(v) {
		switch text(e, "type") {
		case "text":
			read.WriteString(text(e, "text"))
		case "link":
			out.linked = true
			if label := text(e, "text"); label != "" && label != text(e, "url") {
				out.labelled = append(out.labelled, text(e, "url")+"|"+label)
				read.WriteString(label)
			} else {
				read.WriteString(text(e, "url"))
			}
		case "user":
			read.WriteString(s.readControl(out, "@"+text(e, "user_id"), zone))
		case "usergroup":
			read.WriteString(s.readControl(out, "!subteam^"+text(e, "usergroup_id"), zone))
		case "channel":
			read.WriteString(s.readControl(out, "#"+text(e, "channel_id"), zone))
		case "broadcast":
			read.WriteString(s.readControl(out, "!"+text(e, "range"), zone))
		case "emoji":
			read.WriteString(s.drawEmoji(":" + text(e, "name") + ":"))
		case "color":
			read.WriteString(text(e, "value"))
		case "date":
			unix, _ := number(e["timestamp"])
			read.WriteString(readDate(fmt.Sprintf("!date^%d^%s", unix, text(e, "format")), text(e, "fallback"), zone))
		}
	}
	return read.String()
}

// ReadRich returns the displayed text of the elements of a rich text block, with times in UTC.
func (s *Server) ReadRich(elements any) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readRich(&markup{}, elements, time.UTC)
}
