package components

import (
	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/render"
)

// The numbers of Discord's messages and modals. Lengths are UTF-16 units of the
// string as sent, the strictest reading of "characters".
const (
	// Flags marks a message made of components alone.
	// https://docs.discord.com/developers/components/reference
	Flags = 1 << 15
	// MaxParts is how many components a message takes, nested ones counted.
	// https://docs.discord.com/developers/components/reference
	MaxParts = 40
	// MaxText is how many characters all text displays of a message may have
	// together. We count labels and options as well, since the documentation
	// leaves open whether they do.
	// https://github.com/discord/discord-api-docs/pull/8562
	MaxText = 4000
	// MaxBytes is how many bytes all texts of a message may have together, with
	// TextOverhead for each text display. It is undocumented; Discord was seen
	// to fail above 10,170.
	// https://github.com/discord/discord-api-docs/issues/8554
	MaxBytes     = 10_000
	TextOverhead = 12
	// MaxRow is how many buttons an action row takes.
	// https://docs.discord.com/developers/components/reference#action-row
	MaxRow = 5
	// MaxButton is the length of a button's label, and ButtonShown what of it
	// phones show.
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
	// MaxGroup is how many options radio buttons and checkboxes take; radio buttons
	// take leastRadio at least.
	// https://docs.discord.com/developers/components/reference#radio-group
	// https://docs.discord.com/developers/components/reference#checkbox-group
	MaxGroup   = 10
	leastRadio = 2
	// MaxTyped is the length of what can be typed into a text input.
	// https://docs.discord.com/developers/components/reference#text-input
	MaxTyped = 4000
)

// menus is from how many questions on menus take the place of buttons, where no form
// takes the questions: so many rows of buttons would fill a phone's screen more than
// once.
const menus = 6

// buttons is how many options of a question are buttons: two full rows. More
// would fill a phone's screen.
const buttons = 2 * MaxRow

// Limits tells the layout what a Discord message may hold.
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

// fits counts what Discord would.
func fits(c render.Card) bool {
	n := measure(Message(c))
	return n.parts <= MaxParts && n.text <= MaxText && n.bytes <= MaxBytes
}

// size is what a message takes of Discord's allowances.
type size struct{ parts, text, bytes int }

func (s *size) add(texts ...string) {
	for _, t := range texts {
		s.text += render.Units(t)
		s.bytes += len(t)
	}
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
