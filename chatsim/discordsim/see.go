package discordsim

import (
	"fmt"
	"slices"
	"strings"
)

// The button labels of a form. An app cannot change them.
const (
	formSubmit = "Submit"
	formCancel = "Cancel"
)

// seeMessage renders a message as one person sees it.
func (s *Server) seeMessage(conv *channel, m *message, person string) string {
	head := s.nameOf(m.author)
	if !m.edited.IsZero() && !m.thinking {
		head += " (edited)"
	}
	lines := []string{head}
	if m.thinking {
		lines = append(lines, s.nameOf(m.author)+" is thinking…")
	}
	if m.content != "" {
		lines = append(lines, s.read(m.content).plain)
	}
	for _, e := range objects(m.embeds) {
		lines = append(lines, nonEmpty(text(e, "title"), s.read(text(e, "description")).plain)...)
	}
	lines = append(lines, s.seeComponents(conv.shows(m), face{msg: m}.picks(person))...)
	if m.poll != nil {
		lines = append(lines, s.seePoll(m, person)...)
	}
	lines = append(lines, seeFiles(m)...)
	if w := s.client(person).warnings[m.id]; w != "" {
		lines = append(lines, "⚠ "+w)
	}
	if m.onlyFor != "" {
		lines = append(lines, "(only you can see this)")
	}
	return strings.Join(lines, "\n")
}

// seeForm renders a modal.
func (s *Server) seeForm(f *form) string {
	lines := []string{"[" + text(f.def, "title") + "]"}
	for _, part := range objects(f.def["components"]) {
		lines = append(lines, s.seeComponents([]object{part}, f.picks)...)
		for _, e := range fieldsOf([]object{part}) {
			if w := f.errors[text(e, "custom_id")]; w != "" {
				lines = append(lines, "⚠ "+w)
			}
		}
	}
	if f.trouble != "" {
		lines = append(lines, "⚠ "+f.trouble)
	}
	return strings.Join(append(lines, "["+formCancel+"] ["+formSubmit+"]"), "\n")
}

func (s *Server) seeComponents(list []object, held picks) []string {
	var lines []string
	for _, o := range list {
		lines = append(lines, s.seeComponent(o, held)...)
	}
	return lines
}

func (s *Server) seeComponent(o object, held picks) []string {
	switch kindOf(o) {
	case kindTextDisplay:
		return []string{s.read(text(o, "content")).plain}
	case kindSeparator:
		if flag(o, "divider", true) {
			return []string{"────"}
		}
		return nil
	case kindThumbnail:
		return nonEmpty(text(o, "description"))
	case kindGallery:
		var lines []string
		for _, item := range objects(o["items"]) {
			lines = append(lines, seeMedia(item))
		}
		return lines
	case kindFile:
		return []string{seeFile(text(o, "name"), integer(o, "size", 0))}
	case kindButton:
		return []string{seeButton(o)}
	case kindSection:
		return append(s.seeComponents(objects(o["components"]), held), s.seeComponent(child(o, "accessory"), held)...)
	case kindLabel:
		return append(nonEmpty(text(o, "label"), text(o, "description")), s.seeComponent(child(o, "component"), held)...)
	case kindRow:
		return s.seeRow(objects(o["components"]), held)
	case kindContainer:
		return s.seeComponents(objects(o["components"]), held)
	default:
		return seeField(s.offered(o), held.value(o))
	}
}

func (s *Server) seeRow(list []object, held picks) []string {
	var buttons, lines []string
	for _, e := range list {
		if kindOf(e) == kindButton {
			buttons = append(buttons, seeButton(e))
		} else {
			lines = append(lines, s.seeComponent(e, held)...)
		}
	}
	if len(buttons) > 0 {
		lines = append(lines, strings.Join(buttons, " "))
	}
	return lines
}

// seeButton renders a button: in brackets if enabled, in parentheses if disabled.
func seeButton(o object) string {
	label := strings.TrimSpace(text(child(o, "emoji"), "name") + " " + text(o, "label"))
	if flag(o, "disabled", false) {
		return "(" + label + ")"
	}
	return "[" + label + "]"
}

// seeField renders an input with its value.
func seeField(o object, held any) []string {
	var lines []string
	chosen, _ := held.([]string)
	_, most := valueRange(o)
	on, off := "● ", "○ "
	switch kind := kindOf(o); {
	case kind == kindTextInput:
		shown, _ := held.(string)
		if shown == "" {
			shown = text(o, "placeholder")
		}
		return append(nonEmpty(text(o, "label")), "|"+shown+"|")
	case kind == kindFileUpload:
		return []string{fmt.Sprintf("[Choose a file] %d chosen", len(chosen))}
	case kind == kindCheckbox && len(chosen) > 0:
		return []string{"☑"}
	case kind == kindCheckbox:
		return []string{"☐"}
	case isSelect(kind):
		mark := "▾ "
		if flag(o, "disabled", false) {
			mark = "▿ "
		}
		lines = append(lines, mark+text(o, "placeholder"))
	}
	if most > 1 || kindOf(o) == kindCheckboxGroup {
		on, off = "☑ ", "☐ "
	}
	for _, opt := range objects(o["options"]) {
		line := off
		if slices.Contains(chosen, text(opt, "value")) {
			line = on
		}
		line += text(opt, "label")
		if d := text(opt, "description"); d != "" {
			line += " – " + d
		}
		lines = append(lines, line)
	}
	return lines
}
