package slacksim

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/askbridge/askbridge/chatsim/internal/double"
)

// face is one message or view that a person can see.
type face struct {
	conv *conversation
	msg  *message
	view *view
}

// spot is one control on a face.
type spot struct {
	face

	block, element object
	kind           string
	label          string // a button's visible text, or the label or placeholder of other controls
	over           string // the text above it
}

func (f face) blocks() []object {
	if f.view != nil {
		return f.view.blocks
	}
	return f.msg.blocks
}

// picks returns the person's selections on the face for modification.
func (f face) picks(person string) picks {
	if f.view != nil {
		return f.view.picks
	}
	if f.msg.picks[person] == nil {
		f.msg.picks[person] = picks{}
	}
	return f.msg.picks[person]
}

// id returns the message's timestamp or the view's id.
func (f face) id() string {
	if f.view != nil {
		return f.view.id
	}
	return f.msg.ts
}

// warningKey identifies one control of one face.
func warningKey(id, blockID, actionID string) string { return id + "\n" + blockID + "\n" + actionID }

// forgetWarnings removes the warnings next to the controls of a changed message.
func (s *Server) forgetWarnings(id string) {
	for _, c := range s.clients {
		for key := range c.warnings {
			if strings.HasPrefix(key, id+"\n") {
				delete(c.warnings, key)
			}
		}
	}
}

// faces lists what a person sees: only the top view if one is open, else the Home tab if it is
// selected, else the messages, newest first.
func (s *Server) faces(t *Seat) []face {
	if views := s.client(t.person).views; len(views) > 0 {
		return []face{{view: views[len(views)-1]}}
	}
	if home := s.homes[t.person]; t.home && home != nil {
		return []face{{view: home}}
	}
	var out []face
	for _, conv := range s.sortedConversations() {
		if t.home || !conv.member(t.person) || (t.channel != "" && conv.ID != t.channel) {
			continue
		}
		for _, m := range conv.messages {
			if (m.onlyFor == "" || m.onlyFor == t.person) && (t.message == "" || m.ts == t.message) {
				out = append(out, face{conv: conv, msg: m})
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].msg.ts > out[j].msg.ts })
	return out
}

// spots lists the controls of a face that are visible to the person.
func (s *Server) spots(f face, person string) []spot {
	var out []spot
	var over []string
	controlsSeen := false
	for _, b := range f.blocks() {
		if words := s.words(b); len(words) > 0 {
			if controlsSeen {
				over = nil
			}
			over = append(over, words...)
			controlsSeen = false
		}
		for _, e := range elementsOf(b) {
			kind := text(e, "type")
			if !interactive(kind) || !visibleTo(e, person) {
				continue
			}
			controlsSeen = true
			label := plainOf(e["text"])
			if kind != "button" {
				label = plainOf(e["placeholder"])
			}
			out = append(out, spot{face: f, block: b, element: e, kind: kind, label: label, over: strings.Join(over, "\n")})
		}
	}
	return out
}

// visibleTo reports whether a button with visible_to_user_ids is shown to the person.
func visibleTo(e object, person string) bool {
	list, limited := e["visible_to_user_ids"].([]any)
	return !limited || slices.Contains(list, any(person))
}

// Named reports whether name is one of the control's ids.
func (p spot) Named(name string) bool {
	block, action := text(p.block, "block_id"), text(p.element, "action_id")
	return name == action || name == block || name == block+"/"+action
}

// Words returns the control's own text and the text above it.
func (p spot) Words() (label, over string) { return p.label, p.over }

// seek finds the one matching control that a person sees below the given texts.
func (s *Server) seek(t *Seat, what string, under []string, fits func(spot) bool) (spot, error) {
	var faces [][]spot
	for _, f := range s.faces(t) {
		faces = append(faces, s.spots(f, t.person))
	}
	p, err := double.Seek(faces, under, fits)
	if err != nil {
		return spot{}, fmt.Errorf("slacksim: %s: %s: %w", t.person, what, err)
	}
	return p, nil
}

// button finds a button by its text or id.
func (s *Server) button(t *Seat, label string, under []string) (spot, error) {
	return s.seek(t, fmt.Sprintf("press %q", label), under, func(p spot) bool {
		return p.kind == "button" && (double.Called(p.label, label) || p.Named(label))
	})
}

// choiceFor finds the element that has the option below the question.
func (s *Server) choiceFor(t *Seat, question, option string) (spot, object, error) {
	pick := func(p spot) object {
		options := optionsOf(s.offered(p.element))
		i := slices.IndexFunc(options, func(o object) bool { return double.Called(s.readText(o["text"]), option) })
		if i < 0 {
			i = slices.IndexFunc(options, func(o object) bool { return text(o, "value") == option })
		}
		if i < 0 {
			return nil
		}
		return options[i]
	}
	what := fmt.Sprintf("pick %q for %q", option, question)
	p, err := s.seek(t, what, []string{question}, func(p spot) bool { return pick(p) != nil })
	if err != nil {
		return spot{}, nil, err
	}
	return p, pick(p), nil
}

// field finds a text input by its label, placeholder or id.
func (s *Server) field(t *Seat, name string) (spot, error) {
	return s.seek(t, fmt.Sprintf("fill %q", name), []string{name}, func(p spot) bool { return p.kind == "plain_text_input" })
}

// String describes the control as its reader sees it.
func (p spot) String() string {
	name := p.label
	if name == "" {
		name = strings.ReplaceAll(p.over, "\n", " / ")
	}
	return fmt.Sprintf("%s %q (%s/%s)", p.kind, name, text(p.block, "block_id"), text(p.element, "action_id"))
}
