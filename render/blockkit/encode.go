package blockkit

import (
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/internal/rawjson"
)

// AppendBlocks appends to dst the list of blocks as JSON: what the library makes of them, written in
// one pass. The library's lists encode themselves one inside the other, and each level is checked
// and copied again. It fails on a block that no card has and that the library cannot encode.
func AppendBlocks(dst []byte, blocks []slackapi.Block) ([]byte, error) {
	w := writer{rawjson.Object{JSON: append(dst, '[')}}
	for _, b := range blocks {
		w.block(b)
	}
	return append(w.JSON, ']'), w.Err
}

// writer writes what cards are made of; everything else, and what cards set no member of, is left
// to the library.
type writer struct{ rawjson.Object }

func (w *writer) block(b slackapi.Block) {
	switch b := b.(type) {
	case *slackapi.SectionBlock:
		if b.Fields == nil && b.Accessory == nil && !b.Expand {
			w.begin(b.Type, b.BlockID)
			w.someText("text", b.Text)
			w.Shut()
			return
		}
	case *slackapi.ContextBlock:
		w.begin(b.Type, b.BlockID)
		rawjson.List(&w.Object, "elements", b.ContextElements.Elements, func(e slackapi.MixedElement) {
			if text, is := e.(*slackapi.TextBlockObject); is {
				w.Item()
				w.text(text)
				return
			}
			w.AnyItem(e)
		})
		w.Shut()
		return
	case *slackapi.ActionBlock:
		if b.Elements == nil {
			break
		}
		w.begin(b.Type, b.BlockID)
		rawjson.List(&w.Object, "elements", b.Elements.ElementSet, w.element)
		w.Shut()
		return
	case *slackapi.RichTextBlock:
		w.begin(b.Type, b.BlockID)
		rawjson.List(&w.Object, "elements", b.Elements, w.stretch)
		w.Shut()
		return
	}
	w.AnyItem(b)
}

// begin opens a block.
func (w *writer) begin(kind slackapi.MessageBlockType, id string) {
	w.Item()
	w.Text("type", string(kind))
	w.SomeText("block_id", id)
}

// stretch writes what a block of rich text is made of.
func (w *writer) stretch(e slackapi.RichTextElement) {
	section, is := e.(*slackapi.RichTextSection)
	if !is {
		w.AnyItem(e)
		return
	}
	w.Item()
	w.Text("type", string(section.Type))
	rawjson.List(&w.Object, "elements", section.Elements, func(e slackapi.RichTextSectionElement) {
		run, is := e.(*slackapi.RichTextSectionTextElement)
		if !is {
			w.AnyItem(e)
			return
		}
		w.Item()
		w.Text("type", string(run.Type))
		w.Text("text", run.Text)
		if run.Style != nil {
			w.Any("style", run.Style)
		}
		w.Shut()
	})
	w.Shut()
}

// element writes one of a block's controls.
func (w *writer) element(e slackapi.BlockElement) {
	b, is := e.(*slackapi.ButtonBlockElement)
	if !is || b.Text == nil || b.Confirm != nil || b.AccessibilityLabel != "" || b.AgentPrompt != "" || b.AgentPromptDisplay != "" || b.VisibleToUserIDs != nil {
		w.AnyItem(e)
		return
	}
	w.Item()
	w.SomeText("type", string(b.Type))
	w.someText("text", b.Text)
	w.SomeText("action_id", b.ActionID)
	w.SomeText("url", b.URL)
	w.SomeText("value", b.Value)
	w.SomeText("style", string(b.Style))
	w.Shut()
}

// someText writes a member that is a text object, if there is one.
func (w *writer) someText(name string, t *slackapi.TextBlockObject) {
	if t != nil {
		w.Name(name)
		w.Open()
		w.text(t)
	}
}

// text writes a text object, which has been begun.
func (w *writer) text(t *slackapi.TextBlockObject) {
	w.Text("type", t.Type)
	w.Text("text", t.Text)
	if t.Emoji != nil {
		w.Flag("emoji", *t.Emoji)
	}
	w.SomeFlag("verbatim", t.Verbatim)
	w.Shut()
}
