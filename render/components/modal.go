package components

import (
	"encoding/json"
	"slices"
	"strings"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/render"
)

// labelType is the component that puts a label on an input of a modal, which
// discordgo does not know yet.
// https://docs.discord.com/developers/components/reference#label
const labelType dgo.ComponentType = 18

// label is a text input with its label.
type label struct {
	Text  string
	Hint  string
	Input textInput
}

// textInput is like discordgo's, which always writes a label of its own: inside
// a label that is refused.
type textInput struct {
	Type      dgo.ComponentType  `json:"type"`
	CustomID  string             `json:"custom_id"`
	Style     dgo.TextInputStyle `json:"style"`
	Value     string             `json:"value,omitempty"`
	Required  bool               `json:"required"`
	MinLength int                `json:"min_length"`
	MaxLength int                `json:"max_length"`
}

var _ dgo.MessageComponent = label{}

// Type is the type of a label.
func (label) Type() dgo.ComponentType { return labelType }

// MarshalJSON writes the label as Discord wants it.
func (l label) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type        dgo.ComponentType `json:"type"`
		Label       string            `json:"label"`
		Description string            `json:"description,omitempty"`
		Component   textInput         `json:"component"`
	}{labelType, l.Text, l.Hint, l.Input})
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
		if s.Kind == render.Entry {
			data.Components = append(data.Components, entry(s.Input))
			continue
		}
		s.Text = slices.Clone(s.Text)
		for i, span := range s.Text {
			s.Text[i].Text = render.Cut(span.Text, modalText, width)
		}
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

func entry(in *render.Input) label {
	input := textInput{
		Type: dgo.TextInputComponent, CustomID: in.Token.String(), Style: dgo.TextInputParagraph,
		Value: in.Value, Required: in.Required, MaxLength: render.MaxTyped,
	}
	if in.Required {
		input.MinLength = 1
	}
	return label{Text: render.Cut(in.Label, MaxLabel, nil), Hint: render.Cut(in.Hint, MaxHint, nil), Input: input}
}

// tokenParts is how many parts a token has, between colons.
const tokenParts = 5

// ModalToken reads the token out of a modal's custom_id. Anything that [Modal]
// did not write gives an error that matches [render.ErrToken].
func ModalToken(customID string) (render.Token, error) {
	parts := strings.SplitN(customID, ":", tokenParts+1)
	return render.ParseToken(strings.Join(parts[:min(len(parts), tokenParts)], ":"))
}
