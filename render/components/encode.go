package components

import (
	"encoding/json"
	"fmt"
	"strconv"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/internal/rawjson"
)

// Tree is the components of a message. As JSON it is what the library makes of them, written in
// one pass: the library's components encode themselves one inside the other, and each level is
// checked and copied again.
type Tree []dgo.MessageComponent

// MarshalJSON returns the list of components. It fails on a component that no card has and that
// the library cannot encode.
func (t Tree) MarshalJSON() ([]byte, error) {
	const everyday = 2 << 10
	return appendList(make([]byte, 0, everyday), t)
}

// appendList writes components, separated by commas, between brackets; no list at all is null.
func appendList(dst []byte, list []dgo.MessageComponent) (_ []byte, err error) {
	if list == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendComponent(dst, c); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendComponent writes what cards are made of; everything else, and what cards set no member
// of, is left to the library.
func appendComponent(dst []byte, c dgo.MessageComponent) (_ []byte, err error) {
	switch c := c.(type) {
	case dgo.Container:
		if c.ID != 0 || c.Spoiler || c.AccentColor == nil {
			break
		}
		dst = append(dst, `{"type":17,"accent_color":`...)
		dst = strconv.AppendInt(dst, int64(*c.AccentColor), 10)
		dst = append(dst, `,"spoiler":false,"components":`...)
		if dst, err = appendList(dst, c.Components); err != nil {
			return nil, err
		}
		return append(dst, '}'), nil
	case dgo.ActionsRow:
		if c.ID != 0 {
			break
		}
		if dst, err = appendList(append(dst, `{"type":1,"components":`...), c.Components); err != nil {
			return nil, err
		}
		return append(dst, '}'), nil
	case dgo.TextDisplay:
		return append(rawjson.AppendText(append(dst, `{"type":10,"content":`...), c.Content), '}'), nil
	case dgo.Button:
		if c.ID != 0 || c.Disabled || c.Emoji != nil || c.SKUID != "" || c.Style == 0 {
			break
		}
		dst = append(dst, `{"type":2,"style":`...)
		dst = strconv.AppendUint(dst, uint64(c.Style), 10)
		dst = rawjson.AppendText(append(dst, `,"disabled":false,"label":`...), c.Label)
		if c.URL != "" {
			dst = rawjson.AppendText(append(dst, `,"url":`...), c.URL)
		}
		if c.CustomID != "" {
			dst = rawjson.AppendText(append(dst, `,"custom_id":`...), c.CustomID)
		}
		return append(dst, '}'), nil
	}
	own, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("components: encode a %T: %w", c, err)
	}
	return append(dst, own...), nil
}
