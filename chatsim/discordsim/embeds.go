package discordsim

import (
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// readEmbeds checks the embeds of a message individually and their total length.
// https://docs.discord.com/developers/resources/message#embed-object-embed-limits
func (what *content) readEmbeds(body object) {
	v, given := body["embeds"]
	what.hasEmbeds = given
	if v == nil {
		return
	}
	what.embeds, _ = v.([]any)
	if len(what.embeds) > maxEmbeds.max {
		what.fail(maxEmbeds, "embeds", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbeds.max)
	}
	total := 0
	what.list(0, rule{}, func(at string, o object) { total += what.embed(at, o) })("embeds", v)
	if total > maxEmbedText.max {
		what.fail(maxEmbedText, "embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText.max)
	}
}

// adoptEmbeds copies validated embeds and adds Discord's defaults.
// https://docs.discord.com/developers/resources/message#embed-object
func adoptEmbeds(embeds []any) []any {
	out, _ := double.Clone(embeds).([]any)
	for _, o := range objects(out) {
		o["type"] = "rich"
		for _, field := range objects(o["fields"]) {
			field["inline"] = flag(field, "inline", false)
		}
	}
	return out
}

// embed checks one embed and returns the number of characters that count. Surrounding white
// space does not count, and a text of white space counts as absent.
// https://docs.discord.com/developers/resources/message#embed-object-embed-structure
func (c *check) embed(at string, o object) (length int) {
	words := func(most rule) func(string, any) {
		return func(at string, v any) {
			if s, ok := v.(string); ok {
				v = strings.TrimSpace(s)
				length += double.Length(strings.TrimSpace(s))
			}
			c.str(0, most)(at, v)
		}
	}
	needed := func(most rule) func(string, any) {
		return func(at string, v any) {
			if s, ok := v.(string); ok && strings.TrimSpace(s) == "" {
				c.fail(ruleRequired, at, "BASE_TYPE_REQUIRED", "This field is required")
			}
			words(most)(at, v)
		}
	}
	c.object(at, o, nil, shape{
		"title": words(maxEmbedTitle), "description": words(maxEmbedDesc),
		"footer": c.anObject(func(at string, o object) {
			c.object(at, o, nil, shape{"text": words(maxEmbedFooter), "icon_url": c.embedURL(true), "proxy_icon_url": nil})
		}),
		"author": c.anObject(func(at string, o object) {
			c.object(at, o, nil, shape{"name": words(maxEmbedAuthor), "url": c.embedURL(false), "icon_url": c.embedURL(true), "proxy_icon_url": nil})
		}),
		"fields": c.list(0, rule{}, func(at string, o object) {
			c.object(at, o, []string{"name", "value"}, shape{
				"name": needed(maxEmbedFieldName), "value": needed(maxEmbedFieldValue), "inline": c.boolean,
			})
		}),
		"url": c.embedURL(false), "color": c.between(0, kindUpTo(maxAccent.max)), "timestamp": c.str(0, rule{}),
		"image": c.anObject(c.embedPicture), "thumbnail": c.anObject(c.embedPicture),
		"type": nil, "video": nil, "provider": nil, "flags": nil,
	})
	fields, _ := o["fields"].([]any)
	if len(fields) > maxEmbedFields.max {
		c.fail(maxEmbedFields, join(at, "fields"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbedFields.max)
	}
	if length == 0 && len(fields) == 0 && o["image"] == nil && o["thumbnail"] == nil {
		c.fail(ruleEmbed, join(at, "description"), "BASE_TYPE_REQUIRED", "This field is required")
	}
	return length
}

// embedPicture checks an image of an embed.
func (c *check) embedPicture(at string, o object) {
	c.object(at, o, nil, shape{
		"url":       c.embedURL(true),
		"proxy_url": nil, "width": nil, "height": nil, "content_type": nil, "placeholder": nil, "placeholder_version": nil,
		"description": nil, "flags": nil, "is_animated": nil,
	})
}

// embedURL returns the check for a URL in an embed; that of an image may refer to an attached
// file. https://github.com/discord/discord-api-docs/issues/5837
func (c *check) embedURL(picture bool) func(string, any) {
	return func(at string, v any) {
		c.str(0, maxMediaURL)(at, v)
		link, isText := v.(string)
		scheme, rest, _ := strings.Cut(link, ":")
		switch web := scheme == "http" || scheme == "https"; {
		case !isText, picture && scheme == "attachment":
		case !web:
			c.fail(ruleEmbedURL, at, "URL_TYPE_INVALID_SCHEME", "Scheme \"%s\" is not supported. Scheme must be one of ('http', 'https').", scheme)
		case len(rest) < len("//x") || !strings.HasPrefix(rest, "//"):
			c.fail(ruleEmbedURL, at, "URL_TYPE_INVALID_URL", "Not a well formed URL.")
		}
	}
}
