package render_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// richKeys lists the properties of rich text and of its parts.
var richKeys = map[string][]string{
	"rich_text_section":      {"type", "elements"},
	"rich_text_preformatted": {"type", "elements", "border"},
	"rich_text_quote":        {"type", "elements", "border"},
	"rich_text_list":         {"type", "elements", "style", "indent", "border", "offset"},
	"text":                   {"type", "text", "style"},
	"user":                   {"type", "user_id"},
	"link":                   {"type", "url"},
	"date":                   {"type", "timestamp", "format", "fallback"},
}

// rich judges rich text: nothing in it is live but the people who may be named,
// times, and addresses with nothing in front of them.
func (r *slackRules) rich(at string, parts []any) {
	size := 0
	for i := 0; i < len(parts); i++ {
		part := parts[i].(map[string]any)
		elements, _ := part["elements"].([]any)
		r.richKeys(at, part)
		if part["type"] == "rich_text_list" {
			parts = slices.Concat(parts[:i+1], elements, parts[i+1:])
			continue
		}
		if len(elements) == 0 {
			r.fail(at, "part %d is empty", i)
		}
		for _, e := range elements {
			e := e.(map[string]any)
			r.richKeys(at, e)
			switch s, _ := e["text"].(string); e["type"] {
			case "text":
				size += length(s)
				r.all.WriteString(s)
				if s == "" || strings.ContainsRune(s, utf8.RuneError) {
					r.fail(at, "a text %q", s)
				}
			case "link":
				address, _ := e["url"].(string)
				size += length(address)
				r.all.WriteString(address)
				if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || length(address) > 3000 {
					r.fail(at, "a link to %q", address)
				}
			case "user":
				if id := fmt.Sprint(e["user_id"]); !slices.Contains(r.people, id) {
					r.fail(at, "live name %s", id)
				}
			}
			if part["type"] == "rich_text_preformatted" && e["type"] != "text" {
				r.fail(at, "a sample with %v", e["type"])
			}
		}
		r.all.WriteString("\n")
	}
	if r.total += size; size > 3000 {
		r.fail(at, "rich text of %d characters", size)
	}
}

func (r *slackRules) richKeys(at string, o map[string]any) {
	known, ok := richKeys[fmt.Sprint(o["type"])]
	if !ok {
		r.fail(at, "%v in rich text", o["type"])
	}
	for key := range o {
		if !slices.Contains(known, key) {
			r.fail(at, "%v with property %q", o["type"], key)
		}
	}
}
