package components

import (
	"encoding/json"
	"slices"
	"strconv"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/go-json-experiment/json/jsontext"
)

// List is a list of components that encodes in one pass. discordgo's types encode themselves one
// inside the other, and each level checks and copies the JSON of the levels below: for an average card that
// takes fifteen times as long.
type List []dgo.MessageComponent

// MarshalJSON implements [json.Marshaler].
func (l List) MarshalJSON() ([]byte, error) {
	const averageSize = 2 << 10
	return appendList(make([]byte, 0, averageSize), l)
}

func appendList(dst []byte, list []dgo.MessageComponent) (_ []byte, err error) {
	dst = append(dst, '[')
	for n, c := range list {
		if n > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendComponent(dst, c); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendComponent encodes what cards consist of, and leaves everything else to discordgo.
func appendComponent(dst []byte, c dgo.MessageComponent) (_ []byte, err error) {
	switch c := c.(type) {
	case dgo.Container:
		if c.ID == 0 && !c.Spoiler && c.AccentColor != nil {
			dst = appendInt(dst, `{"type":`, int(dgo.ContainerComponent))
			dst = appendInt(dst, `,"accent_color":`, *c.AccentColor)
			dst, err = appendList(append(dst, `,"spoiler":false,"components":`...), c.Components)
			return append(dst, '}'), err
		}
	case dgo.ActionsRow:
		if c.ID == 0 && c.Components != nil {
			dst = appendInt(dst, `{"type":`, int(dgo.ActionsRowComponent))
			dst, err = appendList(append(dst, `,"components":`...), c.Components)
			return append(dst, '}'), err
		}
	case dgo.TextDisplay:
		dst = appendInt(dst, `{"type":`, int(dgo.TextDisplayComponent))
		return append(appendText(dst, `,"content":`, c.Content), '}'), nil
	case dgo.Button:
		if c.ID == 0 && !c.Disabled && c.Emoji == nil && c.SKUID == "" && c.Style != 0 {
			dst = appendInt(dst, `{"type":`, int(dgo.ButtonComponent))
			dst = appendInt(dst, `,"style":`, int(c.Style))
			dst = appendText(append(dst, `,"disabled":false`...), `,"label":`, c.Label)
			if c.URL != "" {
				dst = appendText(dst, `,"url":`, c.URL)
			}
			if c.CustomID != "" {
				dst = appendText(dst, `,"custom_id":`, c.CustomID)
			}
			return append(dst, '}'), nil
		}
	}
	data, err := json.Marshal(c)
	return slices.Concat(dst, data), err
}

func appendInt(dst []byte, name string, n int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(n), 10)
}

func appendText(dst []byte, name, text string) []byte {
	dst, _ = jsontext.AppendQuote(append(dst, name...), text) // It replaces invalid UTF-8, which is its only error.
	return dst
}
