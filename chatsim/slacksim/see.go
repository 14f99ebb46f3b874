package slacksim

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// plainOf returns the text of a plain text object, or "".
func plainOf(v any) string {
	o, _ := v.(object)
	return text(o, "text")
}

// readText returns the displayed text of a text object.
func (s *Server) readText(v any) string { return s.readIn(v, time.UTC) }

func (s *Server) readIn(v any, zone *time.Location) string {
	o, _ := v.(object)
	if text(o, "type") == "mrkdwn" {
		return s.readMarkup(text(o, "text"), zone).plain
	}
	if drawn, given := o["emoji"].(bool); given && !drawn {
		return text(o, "text")
	}
	return s.drawEmoji(text(o, "text"))
}

// words lists the texts of a block that label the controls in it or after it.
func (s *Server) words(b object) []string {
	var out []string
	add := func(v any) {
		if t := s.readText(v); t != "" {
			out = append(out, t)
		}
	}
	switch text(b, "type") {
	case "section":
		add(b["text"])
		for _, f := range objects(b["fields"]) {
			add(f)
		}
	case "header":
		add(b["text"])
	case "context":
		for _, e := range objects(b["elements"]) {
			add(e)
		}
	case "input":
		add(b["label"])
	case "markdown":
		out = append(out, text(b, "text"))
	case "rich_text":
		out = append(out, s.readRich(&markup{}, b["elements"], time.UTC))
	case "actions", "divider":
	default:
		out = append(out, bare(b)...)
	}
	return out
}

// bare lists all texts of a block without a renderer, ordered by property name.
func bare(v any) []string {
	var out []string
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			words, isText := v[name].(string)
			switch {
			case isText && slices.Contains([]string{"text", "title", "alt_text", "caption"}, name):
				out = append(out, words)
			case !isText:
				out = append(out, bare(v[name])...)
			}
		}
	case []any:
		for _, item := range v {
			out = append(out, bare(item)...)
		}
	}
	return out
}

// seeMessage renders a message as one person sees it.
func (s *Server) seeMessage(conv *conversation, m *message, person string) string {
	head := s.nameOf(m.user)
	if m.onlyFor != "" {
		head += " (only visible to you)"
	}
	if m.editedAt != "" {
		head += " (edited)"
	}
	if m.thread != "" && m.thread != m.ts {
		head += " (in thread)"
	}
	lines := []string{head}
	switch f := (face{conv: conv, msg: m}); {
	case len(m.blocks) > 0:
		lines = append(lines, s.seeBlocks(f, person))
	case m.text != "" || len(m.files) == 0:
		lines = append(lines, s.readMarkup(m.text, s.zone(person)).plain)
	}
	for _, f := range m.files {
		lines = append(lines, s.seeFile(f)...)
	}
	return strings.Join(lines, "\n")
}

// seeFile renders a file on a message: its title, and the first lines of a snippet.
func (s *Server) seeFile(f *file) []string {
	lines := []string{"📎 " + f.title}
	seen := s.seenFile(f)
	if seen.Preview != "" {
		lines = append(lines, strings.TrimRight(seen.Preview, "\n"))
	}
	if seen.More > 0 {
		lines = append(lines, fmt.Sprintf("(%d more lines)", seen.More))
	}
	return lines
}

func (s *Server) nameOf(user string) string {
	if user == s.opts.BotUser {
		return s.opts.BotName
	}
	if p := s.person(user); p != nil {
		return p.RealName
	}
	return "Slackbot"
}

func (s *Server) zone(person string) *time.Location {
	if p := s.person(person); p != nil {
		return p.Zone
	}
	return time.UTC
}

// seeView renders a modal.
func (s *Server) seeView(f face) string {
	v := f.view
	if text(v.def, "type") == homeTab {
		return s.seeBlocks(f, v.person)
	}
	lines := []string{"[" + plainOf(v.def["title"]) + "]"}
	if seen := s.seeBlocks(f, v.person); seen != "" {
		lines = append(lines, seen)
	}
	if v.trouble != "" {
		lines = append(lines, "⚠ "+v.trouble)
	}
	closing := plainOf(v.def["close"])
	if closing == "" {
		closing = defaultClose
	}
	buttons := "[" + closing + "]"
	if send := plainOf(v.def["submit"]); send != "" {
		buttons += " [" + send + "]"
	}
	return strings.Join(append(lines, buttons), "\n")
}

// defaultClose is the default label of a modal's close button.
// https://docs.slack.dev/reference/views/modal-views/
const defaultClose = "Cancel"

func (s *Server) seeBlocks(f face, person string) string {
	var lines []string
	for _, b := range f.blocks() {
		lines = append(lines, s.seeBlock(f, b, person)...)
	}
	return strings.Join(lines, "\n")
}

func (s *Server) seeBlock(f face, b object, person string) []string {
	zone := s.zone(person)
	var lines []string
	kind := text(b, "type")
	switch kind {
	case "section":
		if t := s.readIn(b["text"], zone); t != "" {
			lines = append(lines, t)
		}
		for _, field := range objects(b["fields"]) {
			lines = append(lines, s.readIn(field, zone))
		}
	case "context":
		var parts []string
		for _, e := range objects(b["elements"]) {
			parts = append(parts, s.readIn(e, zone)+text(e, "alt_text"))
		}
		lines = append(lines, strings.Join(parts, "  "))
	case "divider":
		lines = append(lines, "────")
	case "rich_text":
		lines = append(lines, s.readRich(&markup{}, b["elements"], zone))
	default:
		lines = append(lines, s.words(b)...)
	}
	var buttons []string
	warned := ""
	for _, e := range elementsOf(b) {
		if !visibleTo(e, person) {
			continue
		}
		if text(e, "type") == "button" {
			buttons = append(buttons, "["+plainOf(e["text"])+"]")
		} else {
			lines = append(lines, s.seeElement(s.offered(e), f.picks(person).value(b, e), zone)...)
		}
		if w := s.client(person).warnings[warningKey(f.id(), text(b, "block_id"), text(e, "action_id"))]; w != "" {
			warned = w
		}
	}
	if len(buttons) > 0 {
		lines = append(lines, strings.Join(buttons, " "))
	}
	if warned != "" {
		lines = append(lines, "⚠ "+warned)
	}
	if kind == "input" {
		if hint := plainOf(b["hint"]); hint != "" {
			lines = append(lines, hint)
		}
		if f.view != nil && f.view.errors[text(b, "block_id")] != "" {
			lines = append(lines, "⚠ "+f.view.errors[text(b, "block_id")])
		}
	}
	return lines
}

// seeElement renders a control that is not a button, with its selection.
func (s *Server) seeElement(e object, held any, zone *time.Location) []string {
	kind := text(e, "type")
	var lines []string
	switch kind {
	case "image":
		return []string{text(e, "alt_text")}
	case "plain_text_input":
		shown, _ := held.(string)
		if shown == "" {
			shown = plainOf(e["placeholder"])
		}
		return []string{"|" + shown + "|"}
	case "overflow":
		lines = append(lines, "[…]")
	case "static_select", "multi_static_select", kindUsers:
		lines = append(lines, "▾ "+plainOf(e["placeholder"]))
	}
	for _, o := range optionsOf(e) {
		mark := "○ "
		chosen := isChosen(held, o) || kind == kindUsers && held == any(text(o, "value"))
		switch {
		case kind == "overflow":
			mark = "· "
		case several(kind) && chosen:
			mark = "☑ "
		case several(kind):
			mark = "☐ "
		case chosen:
			mark = "● "
		}
		line := mark + s.readIn(o["text"], zone)
		if d := s.readIn(o["description"], zone); d != "" {
			line += fmt.Sprintf(" – %s", d)
		}
		lines = append(lines, line)
	}
	return lines
}

// isChosen reports whether an option is selected.
func isChosen(held any, option object) bool {
	if list, ok := held.([]any); ok {
		return slices.ContainsFunc(list, func(v any) bool { return reflect.DeepEqual(v, any(option)) })
	}
	return held != nil && reflect.DeepEqual(held, any(option))
}
