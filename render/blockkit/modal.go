package blockkit

import (
	"encoding/json"
	"slices"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/render"
)

// CallbackID is the callback_id of every view.
const CallbackID = "askbridge"

// Modal returns the view of a form. Its private_metadata is the form's token. The action_id of a list is a
// token with the verb Pick, with the indexes of options as values; that of a text input has the verb
// Wrote.
func Modal(f render.Form) slackapi.ModalViewRequest {
	v := slackapi.ModalViewRequest{
		Type:            slackapi.VTModal,
		CallbackID:      CallbackID,
		PrivateMetadata: f.Token.String(),
		Title:           plain(f.Title, MaxTitle),
		Close:           plain(f.Close, MaxTitle),
		Blocks:          slackapi.Blocks{BlockSet: modalBlocks(f)},
	}
	if f.Submit != "" {
		v.Submit = plain(f.Submit, MaxTitle)
	}
	for _, how := range []func([]render.Span) []render.Span{render.Written, narrow} {
		if refused(v) {
			f = rewritten(f, how)
			v.Blocks.BlockSet = modalBlocks(f)
		}
	}
	return v
}

// refused reports whether a view is too large for Slack.
func refused(v slackapi.ModalViewRequest) bool {
	raw, err := json.Marshal(v)
	return err != nil || len(raw) > MaxView || len(v.Blocks.BlockSet) > MaxModalBlocks
}

// rewritten applies how to the texts of a form.
func rewritten(f render.Form, how func([]render.Span) []render.Span) render.Form {
	f.Sections = slices.Clone(f.Sections)
	for n := range f.Sections {
		f.Sections[n].Text = how(f.Sections[n].Text)
	}
	return f
}

func modalBlocks(f render.Form) []slackapi.Block {
	var blocks []slackapi.Block
	for _, s := range f.Sections {
		switch s.Kind {
		case render.Body:
			blocks = append(blocks, body(s)...)
		case render.Choice:
			input := slackapi.NewInputBlock(s.ID, plain(s.List.Label, MaxLabel), nil, choice(s.List))
			blocks = append(blocks, input.WithOptional(!s.List.Required))
		case render.Entry:
			blocks = append(blocks, entry(s))
		case render.Picker:
			blocks = append(blocks, picker(s))
		case render.Frame, render.Row, render.Rule:
			blocks = append(blocks, messageBlocks(s)...)
		}
	}
	if len(blocks) > MaxModalBlocks {
		blocks = slices.DeleteFunc(blocks, func(b slackapi.Block) bool { return b.BlockType() == slackapi.MBTDivider })
	}
	return blocks
}

func entry(s render.Section) slackapi.Block {
	in := s.Input
	field := slackapi.NewPlainTextInputBlockElement(nil, in.Token.String())
	field.Multiline = true
	field.MaxLength = MaxTyped
	field.InitialValue = in.Value
	if in.Required {
		field.MinLength = 1
	}
	var hint *slackapi.TextBlockObject
	if in.Hint != "" {
		hint = plain(in.Hint, MaxHint)
	}
	return slackapi.NewInputBlock(s.ID, plain(in.Label, MaxLabel), hint, field).WithOptional(!in.Required)
}

// picker returns a menu of the people of the workspace.
// https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#users_select
func picker(s render.Section) slackapi.Block {
	in := s.Input
	menu := slackapi.NewOptionsSelectBlockElement(slackapi.OptTypeUser, plain(in.Empty, MaxHint), in.Token.String())
	return slackapi.NewInputBlock(s.ID, plain(in.Label, MaxLabel), plain(in.Hint, MaxHint), menu).WithOptional(!in.Required)
}

// NoteView returns a view that shows a note in place of a form that came too late. It can only be closed,
// by a button with the label end.
func NoteView(title, end string, spans []render.Span) slackapi.ModalViewRequest {
	blocks, _ := Note(spans)
	return slackapi.ModalViewRequest{
		Type:       slackapi.VTModal,
		CallbackID: CallbackID,
		Title:      plain(render.Line(title), MaxTitle),
		Close:      plain(render.Line(end), MaxTitle),
		Blocks:     slackapi.Blocks{BlockSet: blocks},
	}
}
