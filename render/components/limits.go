package components

import (
	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/render"
)

// The limits of Discord's messages and modals. Lengths are UTF-16 units of the string as sent, the strictest
// interpretation of "characters".
const (
	// Flags marks a message that consists of components only.
	// https://docs.discord.com/developers/components/reference
	Flags = 1 << 15
	// MaxParts is the maximum number of components of a message, including nested ones.
	// https://docs.discord.com/developers/components/reference
	MaxParts = 40
	// MaxText is the maximum number of characters of all text displays of a message. Labels and options
	// are included, since the documentation does not exclude them.
	// https://github.com/discord/discord-api-docs/pull/8562
	MaxText = 4000
	// MaxBytes is the maximum number of bytes of all texts of a message, with TextOverhead for each
	// text display. It is undocumented; Discord was seen to fail above 10,170.
	// https://github.com/discord/discord-api-docs/issues/8554
	MaxBytes     = 10_000
	TextOverhead = 12
	// MaxRow is the maximum number of buttons in an action row.
	// https://docs.discord.com/developers/components/reference#action-row
	MaxRow = 5
	// MaxButton is the maximum length of a button's label, and ButtonShown the length that phones show.
	// https://docs.discord.com/developers/components/reference#button
	MaxButton   = 80
	ButtonShown = 38
	// MaxID is the length of a custom_id.
	// https://docs.discord.com/developers/components/reference#custom-id
	MaxID = 100
	// MaxOption is the length of an option's label and of its description,
	// MaxOptions how many options a select takes, MaxPlaceholder the length of
	// what an empty select shows.
	// https://docs.discord.com/developers/components/reference#string-select
	MaxOption      = 100
	MaxOptions     = 25
	MaxPlaceholder = 150
	// MaxTitle is the length of a modal's title, and MaxModalParts how many
	// components stand in it.
	// https://docs.discord.com/developers/interactions/receiving-and-responding
	MaxTitle      = 45
	MaxModalParts = 5
	// MaxLabel and MaxHint are the lengths of a label's text and description.
	// https://docs.discord.com/developers/components/reference#label
	MaxLabel = 45
	MaxHint  = 100
	// MaxGroup is the maximum number of radio buttons and checkboxes; leastRadio is the minimum of radio
	// buttons.
	// https://docs.discord.com/developers/components/reference#radio-group
	// https://docs.discord.com/developers/components/reference#checkbox-group
	MaxGroup   = 10
	leastRadio = 2
	// MaxTyped is the length of what can be typed into a text input.
	// https://docs.discord.com/developers/components/reference#text-input
	MaxTyped = 4000
)

// menus is the number of questions from which on menus replace buttons, if the questions do not fit into a
// form: their buttons would fill a phone's screen more than once.
const menus = 6

// buttons is the maximum number of options shown as buttons: two full rows. More would fill a phone's
// screen.
const buttons = 2 * MaxRow

// Limits returns the limits of a Discord message for the layout.
func Limits() render.Limits {
	return render.Limits{
		Platform:      "discord",
		Typing:        render.TypedAsReply,
		Text:          MaxText,
		Part:          MaxText,
		Parts:         MaxParts,
		ButtonText:    ButtonShown,
		Buttons:       buttons,
		Menus:         menus,
		Pages:         true,
		FormFields:    MaxModalParts,
		Groups:        []string{rolePlatform},
		ChannelGroups: true,
		SharedDraft:   true,
		RedrawInReply: true,
		Width:         width,
		Fits:          fits,
	}
}

// fits reports whether a card is within Discord's limits.
func fits(c render.Card) bool {
	n := measure(Message(c))
	return n.parts <= MaxParts && n.text <= MaxText && n.bytes <= MaxBytes
}

// size is the size of a message in terms of Discord's limits.
type size struct{ parts, text, bytes int }

func (s *size) add(texts ...string) {
	for _, t := range texts {
		s.text += render.Units(t)
		s.bytes += len(t)
	}
}

// leaves reports whether one more text display fits into the message.
func (s size) leaves(text string) bool {
	s.add(text)
	return s.text <= MaxText && s.bytes+TextOverhead <= MaxBytes
}

func measure(components []dgo.MessageComponent) size {
	var s size
	for _, c := range components {
		s.parts++
		var inner []dgo.MessageComponent
		switch c := c.(type) {
		case dgo.Container:
			inner = c.Components
		case dgo.ActionsRow:
			inner = c.Components
		case dgo.TextDisplay:
			s.add(c.Content)
			s.bytes += TextOverhead
		case dgo.Button:
			s.add(c.Label)
		case label:
			s.add(c.Label, c.Description)
			if g, ok := c.Component.(group); ok {
				for _, o := range g.Options {
					s.add(o.Label, o.Description)
				}
			}
		case dgo.SelectMenu:
			s.add(c.Placeholder)
			for _, o := range c.Options {
				s.add(o.Label, o.Description)
			}
		}
		n := measure(inner)
		s.parts, s.text, s.bytes = s.parts+n.parts, s.text+n.text, s.bytes+n.bytes
	}
	return s
}
