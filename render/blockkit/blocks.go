package blockkit

import (
	"strconv"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/render"
)

// maxFallback is the maximum length of the text next to the blocks. Notifications show less than two
// lines of it.
const maxFallback = 400

// Message returns the blocks of a card, and the text for notifications and screen readers.
func Message(c render.Card) (blocks []slackapi.Block, text string) {
	for _, s := range c.Sections {
		blocks = append(blocks, messageBlocks(s)...)
	}
	return blocks, fallback(c.Summary)
}

func messageBlocks(s render.Section) []slackapi.Block {
	switch s.Kind {
	case render.Frame:
		return frame(s)
	case render.Body:
		return body(s)
	case render.Row:
		return []slackapi.Block{slackapi.NewActionBlock(s.ID, row(s.Buttons)...)}
	case render.Choice:
		return []slackapi.Block{listed(s)}
	case render.Rule:
		return []slackapi.Block{&slackapi.DividerBlock{Type: slackapi.MBTDivider, BlockID: s.ID}}
	case render.Entry, render.Picker:
		// Inputs in messages fail on phones: bolt-python#903, bolt-js#2377.
	}
	return nil
}

func row(buttons []render.Button) []slackapi.BlockElement {
	elements := make([]slackapi.BlockElement, 0, len(buttons))
	for _, b := range buttons {
		button := slackapi.NewButtonBlockElement(b.Token.String(), "", plain(b.Label, MaxButton))
		button.URL = b.URL
		switch {
		case b.Danger && !b.Chosen:
			button.Style = slackapi.StyleDanger
		case b.Main, b.Chosen:
			button.Style = slackapi.StylePrimary
		case b.Danger:
			button.Style = slackapi.StyleDanger
		}
		elements = append(elements, button)
	}
	return elements
}

// listed returns a list to choose from in a message. An actions block cannot contain a multi-select menu.
// https://docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element
func listed(s render.Section) slackapi.Block {
	if s.List.Many && len(s.List.Items) > MaxOptions {
		text := plain(s.List.Label, MaxText)
		return slackapi.NewSectionBlock(text, nil, slackapi.NewAccessory(choice(s.List)), slackapi.SectionBlockOptionBlockID(s.ID))
	}
	return slackapi.NewActionBlock(s.ID, choice(s.List))
}

// choice returns a list to choose from: radio buttons or checkboxes up to their maximum, otherwise a menu.
// The value of an option is its index.
func choice(l *render.List) slackapi.BlockElement {
	options := make([]*slackapi.OptionBlockObject, len(l.Items))
	var chosen []*slackapi.OptionBlockObject
	for i, item := range l.Items {
		options[i] = slackapi.NewOptionBlockObject(strconv.Itoa(i), plain(item.Label, MaxOption), nil)
		if item.Description != "" {
			options[i].Description = plain(item.Description, MaxOption)
		}
		if item.Chosen {
			chosen = append(chosen, options[i])
		}
	}
	switch hint := plain(l.Label, MaxPlaceholder); {
	case len(l.Items) <= MaxOptions:
	case l.Many:
		menu := slackapi.NewOptionsMultiSelectBlockElement(slackapi.MultiOptTypeStatic, hint, l.Token.String(), options...)
		menu.InitialOptions = chosen
		return menu
	default:
		menu := slackapi.NewOptionsSelectBlockElement(slackapi.OptTypeStatic, hint, l.Token.String(), options...)
		if len(chosen) > 0 {
			menu.InitialOption = chosen[0]
		}
		return menu
	}
	if l.Many {
		boxes := slackapi.NewCheckboxGroupsBlockElement(l.Token.String(), options...)
		boxes.InitialOptions = chosen
		return boxes
	}
	radio := slackapi.NewRadioButtonsBlockElement(l.Token.String(), options...)
	if len(chosen) > 0 {
		radio.InitialOption = chosen[0]
	}
	return radio
}

// formatted returns mrkdwn without automatic links.
func formatted(text string) *slackapi.TextBlockObject {
	return slackapi.NewTextBlockObject(slackapi.MarkdownType, text, false, true)
}

// plain returns text that Slack shows unchanged, without links, formatting and emoji, so it needs no
// escaping.
func plain(text string, limit int) *slackapi.TextBlockObject {
	return slackapi.NewTextBlockObject(slackapi.PlainTextType, render.Cut(text, limit, nil), false, false)
}

// fallback returns the summary as text. It mentions people, as the blocks do: Slack then shows their display
// names, which interactions do not contain.
func fallback(summary []render.Span) string {
	cut := make([]render.Span, len(summary))
	for i, s := range summary {
		cut[i] = s
		cut[i].Text = render.Cut(s.Text, maxFallback, width)
	}
	return alike(cut)
}
