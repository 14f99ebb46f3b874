package components

import (
	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/internal/rawjson"
)

// AppendComponents appends to dst the list of components as JSON: what the library makes of them,
// written in one pass. The library's components encode themselves one inside the other, and each level
// is checked and copied again. It fails on a component that no card has and that the library cannot
// encode.
func AppendComponents(dst []byte, list []dgo.MessageComponent) ([]byte, error) {
	w := writer{rawjson.Object{JSON: append(dst, '[')}}
	for _, c := range list {
		w.component(c)
	}
	return append(w.JSON, ']'), w.Err
}

// writer writes what cards are made of; everything else, and what cards set no member of, is left
// to the library.
type writer struct{ rawjson.Object }

func (w *writer) component(c dgo.MessageComponent) {
	switch c := c.(type) {
	case dgo.Container:
		if c.ID == 0 && !c.Spoiler && c.AccentColor != nil {
			w.begin(dgo.ContainerComponent)
			w.Number("accent_color", int64(*c.AccentColor))
			w.Flag("spoiler", false)
			rawjson.List(&w.Object, "components", c.Components, w.component)
			w.Shut()
			return
		}
	case dgo.ActionsRow:
		if c.ID == 0 {
			w.begin(dgo.ActionsRowComponent)
			rawjson.List(&w.Object, "components", c.Components, w.component)
			w.Shut()
			return
		}
	case dgo.TextDisplay:
		w.begin(dgo.TextDisplayComponent)
		w.Text("content", c.Content)
		w.Shut()
		return
	case dgo.Button:
		if c.ID == 0 && !c.Disabled && c.Emoji == nil && c.SKUID == "" && c.Style != 0 {
			w.begin(dgo.ButtonComponent)
			w.Number("style", int64(c.Style))
			w.Flag("disabled", false)
			w.Text("label", c.Label)
			w.SomeText("url", c.URL)
			w.SomeText("custom_id", c.CustomID)
			w.Shut()
			return
		}
	}
	w.AnyItem(c)
}

// begin opens a component.
func (w *writer) begin(kind dgo.ComponentType) {
	w.Item()
	w.Number("type", int64(kind))
}
