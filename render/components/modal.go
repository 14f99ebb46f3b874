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

// label is a field with its label.
type label struct {
	Kind        dgo.ComponentType `json:"type"`
	Label       string            `json:"label"`
	Description string            `json:"description,omitempty"`
	// Component is a textInput or a group.
	Component any `json:"component"`
}

func labelled(text, hint string, field any) label {
	if strings.HasSuffix(text, hint) && render.Units(text) <= MaxLabel {
		hint = "" // The label says it whole.
	}
	return label{labelType, render.Cut(text, MaxLabel, nil), render.Cut(hint, MaxHint, nil), field}
}

// textInput is like discordgo's, which always writes a label of its own: inside
// a label that is refused.
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

// group is something to choose from in a modal: radio buttons, checkboxes, or a
// select for what those do not take. Least and most stand only where the type has
// them and they are not what Discord assumes.
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

// MarshalJSON writes the label as Discord wants it.
func (l label) MarshalJSON() ([]byte, error) {
	type plain label
	return json.Marshal(plain(l))
}

// modalText is how much of a question stands above its input, so that the input
// stays in sight on a phone. The card has it in full.
const modalText = 1500

// Modal turns a form into a modal. Unique, such as the interaction's id, makes
// its custom_id differ from every modal shown before; [ModalToken] takes it off
// again.
func Modal(f render.Form, unique string) dgo.InteractionResponseData {
	id := f.Token.String()
	if room := MaxID - len(id) - 1; unique != "" && room > 0 {
		id += ":" + unique[max(0, len(unique)-room):]
	}
	data := dgo.InteractionResponseData{CustomID: id, Title: render.Cut(f.Title, MaxTitle, nil)}
	var text []string
	var above render.Kind
	for _, s := range f.Sections {
		switch s.Kind {
		case render.Entry:
			data.Components = append(data.Components, entry(s.Input))
			continue
		case render.Choice:
			data.Components = append(data.Components, choice(s.List))
			continue
		case render.Picker:
			data.Components = append(data.Components, picker(s.Input))
			continue
		case render.Frame, render.Body, render.Row, render.Rule:
		}
		s.Text = shortened(s.Text)
		if t := display(s, above); t != "" {
			text, above = append(text, t), s.Kind
		}
	}
	if len(text) > 0 {
		above := dgo.TextDisplay{Content: strings.Join(text, "\n")}
		data.Components = append([]dgo.MessageComponent{above}, data.Components...)
	}
	return data
}

// shortened cuts what stands above an input: each heading or remark of the bridge, and
// all the rest together. What does not stand there whole is live no more.
func shortened(spans []render.Span) []render.Span {
	out := make([]render.Span, 0, len(spans))
	room := modalText
	for _, s := range spans {
		most, own := room, s.Style == render.Bold || s.Style == render.Aside || strings.TrimSpace(s.Text) == ""
		if own {
			most = modalText
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

// choice offers the options of a list. Radio buttons take two at least and ten at
// most, checkboxes ten at most; a select takes any other number, at a tap more.
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

// ModalUnique returns what made the custom_id differ from others: the end of what
// [Modal] was given, as much of it as there was room for.
func ModalUnique(customID string) string {
	parts := strings.SplitN(customID, ":", tokenParts+1)
	if len(parts) <= tokenParts {
		return ""
	}
	return parts[tokenParts]
}

// tokenParts is how many parts a token has, between colons.
const tokenParts = 5

// ModalToken reads the token out of a modal's custom_id. Anything that [Modal]
// did not write gives an error that matches [render.ErrToken].
func ModalToken(customID string) (render.Token, error) {
	parts := strings.SplitN(customID, ":", tokenParts+1)
	return render.ParseToken(strings.Join(parts[:min(len(parts), tokenParts)], ":"))
}
