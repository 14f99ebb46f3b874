package components

import (
	"encoding/json"
	"strconv"
	"strings"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/render"
)

// labelType is the component that puts a label on an input of a modal, which
// discordgo does not know yet.
// https://docs.discord.com/developers/components/reference#label
const labelType dgo.ComponentType = 18

// The groups of a modal, which discordgo does not know yet either.
// https://docs.discord.com/developers/components/reference#radio-group
// https://docs.discord.com/developers/components/reference#checkbox-group
const (
	radioType dgo.ComponentType = 21
	checkType dgo.ComponentType = 22
)

// label is a labelled field.
type label struct {
	Kind        dgo.ComponentType `json:"type"`
	Label       string            `json:"label"`
	Description string            `json:"description,omitempty"`
	// Component is a textInput or a group.
	Component any `json:"component"`
}

func labelled(text, hint string, field any) label {
	if strings.HasSuffix(text, hint) && render.Units(text) <= MaxLabel {
		hint = "" // The label already contains it.
	}
	return label{labelType, render.Cut(text, MaxLabel, nil), render.Cut(hint, MaxHint, nil), field}
}

// textInput is like discordgo's type, which always includes a label, although that is invalid inside a label
// component.
type textInput struct {
	Type        dgo.ComponentType  `json:"type"`
	CustomID    string             `json:"custom_id"`
	Style       dgo.TextInputStyle `json:"style"`
	Placeholder string             `json:"placeholder,omitempty"`
	Value       string             `json:"value,omitempty"`
	Required    bool               `json:"required"`
	MinLength   int                `json:"min_length"`
	MaxLength   int                `json:"max_length"`
}

// group is a list to choose from in a modal: radio buttons, checkboxes, or a select for other numbers of
// options. Least and Most are set only if the type has them and they differ from Discord's defaults.
type group struct {
	Type     dgo.ComponentType `json:"type"`
	CustomID string            `json:"custom_id"`
	Options  []option          `json:"options"`
	Required bool              `json:"required"`
	Least    *int              `json:"min_values,omitempty"`
	Most     int               `json:"max_values,omitempty"`
}

// userSelect is a menu of the people of the server.
// https://docs.discord.com/developers/components/reference#user-select
type userSelect struct {
	Type        dgo.ComponentType `json:"type"`
	CustomID    string            `json:"custom_id"`
	Placeholder string            `json:"placeholder,omitempty"`
	Required    bool              `json:"required"`
}

// option is an entry of a group. Its value is its index.
type option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default"`
}

var _ dgo.MessageComponent = label{}

// Type is the type of a label.
func (label) Type() dgo.ComponentType { return labelType }

// MarshalJSON implements [json.Marshaler].
func (l label) MarshalJSON() ([]byte, error) {
	type plain label
	return json.Marshal(plain(l))
}

// modalText is the maximum length of a question above its input, so that the input stays visible on a phone.
// The card has the whole question.
const modalText = 1500

// Modal returns the modal of a form. unique, such as the interaction's ID, makes its custom_id different from
// every earlier modal; [ModalToken] removes it.
func Modal(f render.Form, unique string) dgo.InteractionResponseData {
	id := f.Token.String()
	if room := MaxID - len(id) - 1; unique != "" && room > 0 {
		id += ":" + unique[max(0, len(unique)-room):]
	}
	data := dgo.InteractionResponseData{CustomID: id, Title: render.Cut(f.Title, MaxTitle, nil)}
	for _, s := range f.Sections {
		switch s.Kind {
		case render.Entry:
			data.Components = append(data.Components, entry(s.Input))
		case render.Choice:
			data.Components = append(data.Components, choice(s.List))
		case render.Picker:
			data.Components = append(data.Components, picker(s.Input))
		case render.Frame, render.Body, render.Row, render.Rule:
		}
	}
	used := measure(data.Components)
	used.add(data.Title)
	text := modalDisplay(f.Sections, modalText)
	for most := modalText / 2; most > 0 && !used.leaves(text); most /= 2 {
		text = modalDisplay(f.Sections, most)
	}
	if text != "" {
		data.Components = append([]dgo.MessageComponent{dgo.TextDisplay{Content: text}}, data.Components...)
	}
	return data
}

// modalDisplay returns the text above the inputs, with at most that many characters of a section's heading and as many of its text.
func modalDisplay(sections []render.Section, most int) string {
	var text []string
	var above render.Kind
	for _, s := range sections {
		s.Text = shortened(s.Text, most)
		if t := display(s, above); t != "" {
			text, above = append(text, t), s.Kind
		}
	}
	return strings.Join(text, "\n")
}

// shortened truncates the text of a section: each heading or remark of the bridge, and everything else
// together. Truncated spans lose their style.
func shortened(spans []render.Span, limit int) []render.Span {
	out := make([]render.Span, 0, len(spans))
	room := limit
	for _, s := range spans {
		most, own := room, s.Style == render.Bold || s.Style == render.Aside || strings.TrimSpace(s.Text) == ""
		if own {
			most = limit
		}
		if most <= 0 {
			continue
		}
		text := render.Cut(s.Text, most, width)
		switch {
		case text != s.Text && !own:
			s.Style, room = render.Plain, 0
		case !own:
			room -= width(text)
		}
		s.Text = text
		out = append(out, s)
	}
	return out
}

func entry(in *render.Input) label {
	input := textInput{
		Type: dgo.TextInputComponent, CustomID: in.Token.String(), Style: dgo.TextInputParagraph,
		Placeholder: render.Cut(in.Empty, MaxHint, nil), Value: in.Value, Required: in.Required, MaxLength: render.MaxTyped,
	}
	if in.Required {
		input.MinLength = 1
	}
	return labelled(in.Label, in.Hint, input)
}

func picker(in *render.Input) label {
	menu := userSelect{dgo.UserSelectMenuComponent, in.Token.String(), render.Cut(in.Empty, MaxHint, nil), in.Required}
	return labelled(in.Label, in.Hint, menu)
}

// choice returns a list to choose from. There can be two to ten radio buttons and up to ten checkboxes; other
// numbers need a select, which costs one more tap.
func choice(l *render.List) label {
	g := group{Type: radioType, CustomID: l.Token.String(), Required: l.Required}
	n := len(l.Items)
	switch {
	case l.Many && n <= MaxGroup:
		g.Type = checkType
	case n < leastRadio || n > MaxGroup:
		g.Type = dgo.SelectMenuComponent
		if l.Many {
			g.Most = n
		}
	}
	if g.Type != radioType && !l.Required {
		g.Least = new(int)
	}
	for i, item := range l.Items {
		g.Options = append(g.Options, option{
			Label: render.Cut(item.Label, MaxOption, nil), Value: strconv.Itoa(i),
			Description: render.Cut(item.Description, MaxOption, nil), Default: item.Chosen,
		})
	}
	return labelled(l.Label, l.Hint, g)
}

// ModalUnique returns the unique suffix of a custom_id: the end of the argument of [Modal], as far as it
// fitted.
func ModalUnique(customID string) string {
	parts := strings.SplitN(customID, ":", tokenParts+1)
	if len(parts) <= tokenParts {
		return ""
	}
	return parts[tokenParts]
}

// tokenParts is the number of parts of a token, separated by colons.
const tokenParts = 5

// ModalToken returns the token in a modal's custom_id. For a custom_id that is not from [Modal] it returns an
// error that matches [render.ErrToken].
func ModalToken(customID string) (render.Token, error) {
	parts := strings.SplitN(customID, ":", tokenParts+1)
	return render.ParseToken(strings.Join(parts[:min(len(parts), tokenParts)], ":"))
}
