package discordsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// face is one message or form that a person can see.
type face struct {
	conv *channel
	msg  *message
	form *form
}

// spot is one control on a face.
type spot struct {
	face

	control object
	label   string // a button's text, a select's placeholder, or a field's label
	over    string // the text above it
}

func (f face) components() []object {
	if f.form != nil {
		return objects(f.form.def["components"])
	}
	return f.conv.shows(f.msg)
}

// shows returns the components of a message as clients draw them: in a locked thread only links
// are enabled. https://github.com/discord/discord-api-docs/issues/7900
// https://github.com/discord/discord-api-docs/issues/6907
func (c *channel) shows(m *message) []object {
	if !c.Locked {
		return m.components
	}
	out := objects(double.Clone(m.components))
	walk(out, func(o object) {
		if text(o, "custom_id") != "" {
			o["disabled"] = true
		}
	})
	return out
}

// picks returns the person's selections on the face for modification.
func (f face) picks(person string) picks {
	if f.form != nil {
		return f.form.picks
	}
	if f.msg.picks[person] == nil {
		f.msg.picks[person] = picks{}
	}
	return f.msg.picks[person]
}

// faces lists what a person sees: only the form if one is open, else the messages, newest
// first.
func (s *Server) faces(t *Seat) []face {
	if f := s.client(t.person).form; f != nil {
		return []face{{conv: f.cause.channel, form: f}}
	}
	var out []face
	for _, conv := range s.sortedChannels() {
		if !s.seenBy(conv, t.person) || (t.channel != "" && conv.ID != t.channel) {
			continue
		}
		for _, m := range conv.messages {
			if (m.onlyFor == "" || m.onlyFor == t.person) && (t.message == "" || m.id == t.message) {
				out = append(out, face{conv: conv, msg: m})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b face) int {
		if a.msg == nil || b.msg == nil || a.msg.id == b.msg.id {
			return 0
		}
		if older(a.msg.id, b.msg.id) {
			return 1
		}
		return -1
	})
	return out
}

// spots lists the controls of a face.
func (s *Server) spots(f face) []spot {
	var out []spot
	var over []string
	controlsSeen := false
	read := func(words ...string) {
		if controlsSeen {
			over = nil
		}
		over = append(over, words...)
		controlsSeen = false
	}
	if f.msg != nil && f.msg.content != "" {
		read(s.read(f.msg.content).plain)
	}
	var visit func(list []object)
	visit = func(list []object) {
		for _, o := range list {
			switch kindOf(o) {
			case kindTextDisplay:
				read(s.read(text(o, "content")).plain)
			case kindLabel:
				read(nonEmpty(text(o, "label"), text(o, "description"))...)
				visit([]object{child(o, "component")})
			case kindButton, kindSelect, kindUserSelect, kindRoleSelect, kindMentionableSelect, kindChannelSelect, kindTextInput, kindFileUpload, kindRadioGroup, kindCheckboxGroup, kindCheckbox:
				label := text(o, "label")
				if kindOf(o) != kindButton && label == "" {
					label = text(o, "placeholder")
				}
				if kindOf(o) == kindTextInput && text(o, "label") != "" {
					read(text(o, "label"))
				}
				controlsSeen = true
				out = append(out, spot{face: f, control: s.offered(o), label: label, over: strings.Join(over, "\n")})
			default:
				visit(objects(o["components"]))
				if e := child(o, "accessory"); e != nil {
					visit([]object{e})
				}
			}
		}
	}
	visit(f.components())
	return out
}

func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// Named reports whether name is the control's custom_id.
func (p spot) Named(name string) bool { return name != "" && name == text(p.control, "custom_id") }

func (p spot) disabled() bool { return flag(p.control, "disabled", false) }

// Words returns the control's own text and the text above it.
func (p spot) Words() (label, over string) { return p.label, p.over }

// seek finds the one matching enabled control that a person sees below the given texts.
func (s *Server) seek(t *Seat, what string, under []string, fits func(spot) bool) (spot, error) {
	var faces [][]spot
	for _, f := range s.faces(t) {
		faces = append(faces, s.spots(f))
	}
	p, err := double.Seek(faces, under, func(p spot) bool { return fits(p) && !p.disabled() })
	if err != nil {
		return spot{}, fmt.Errorf("discordsim: %s: %s: %w", t.person, what, err)
	}
	return p, nil
}

// button finds a button by its text or custom_id.
func (s *Server) button(t *Seat, label string, under []string) (spot, error) {
	return s.seek(t, fmt.Sprintf("press %q", label), under, func(p spot) bool {
		return kindOf(p.control) == kindButton && text(p.control, "url") == "" && (double.Called(p.label, label) || p.Named(label))
	})
}

// choiceFor finds the select or group that has the option below the question, and the option's
// value.
func (s *Server) choiceFor(t *Seat, question, option string) (spot, string, error) {
	pick := func(p spot) (value string, found bool) {
		if kindOf(p.control) == kindCheckbox {
			return "true", true
		}
		options := objects(p.control["options"])
		i := slices.IndexFunc(options, func(o object) bool { return double.Called(text(o, "label"), option) })
		if i < 0 {
			i = slices.IndexFunc(options, func(o object) bool { return text(o, "value") == option })
		}
		if i < 0 {
			return "", false
		}
		return text(options[i], "value"), true
	}
	var under []string
	if question != "" {
		under = []string{question}
	}
	what := fmt.Sprintf("pick %q for %q", option, question)
	p, err := s.seek(t, what, under, func(p spot) bool { _, found := pick(p); return found })
	if err != nil {
		return spot{}, "", err
	}
	value, _ := pick(p)
	return p, value, nil
}

// field finds a text input by its label, placeholder or custom_id; "" where there is only one.
func (s *Server) field(t *Seat, name string) (spot, error) {
	var under []string
	if name != "" {
		under = []string{name}
	}
	return s.seek(t, fmt.Sprintf("fill %q", name), under, func(p spot) bool { return kindOf(p.control) == kindTextInput })
}

// String describes the control as its reader sees it.
func (p spot) String() string {
	name := p.label
	if name == "" {
		name = strings.ReplaceAll(p.over, "\n", " / ")
	}
	off := ""
	if p.disabled() {
		off = ", disabled"
	}
	return fmt.Sprintf("%s %q (%s%s)", kindNames[kindOf(p.control)], name, text(p.control, "custom_id"), off)
}
