package components

import (
	"slices"
	"strconv"
	"strings"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// The color of a card's edge: open, answered, or closed in another way. They are Discord's own blurple,
// green and grey.
const (
	colourOpen     = 0x5865F2
	colourAnswered = 0x57F287
	colourClosed   = 0x99AAB5
)

// Message returns the components of a card, for a message with [Flags].
func Message(c render.Card) []dgo.MessageComponent {
	var inner []dgo.MessageComponent
	var text []string
	var above render.Kind
	flush := func() {
		if len(text) > 0 {
			inner = append(inner, dgo.TextDisplay{Content: strings.Join(text, "\n")})
		}
		text, above = nil, ""
	}
	for _, s := range c.Sections {
		if t := display(s, above); t != "" {
			text, above = append(text, t), s.Kind
			continue
		}
		if controls := controls(s); len(controls) > 0 {
			flush()
			inner = append(inner, controls...)
		}
	}
	flush()
	colour := colourClosed
	switch c.State {
	case ask.Open:
		colour = colourOpen
	case ask.Answered:
		colour = colourAnswered
	}
	return []dgo.MessageComponent{dgo.Container{AccentColor: &colour, Components: inner}}
}

// display returns the text of a section. above is the kind of the previous section in the same text display;
// two texts are separated by an empty line.
func display(s render.Section, above render.Kind) string {
	if s.Kind != render.Frame && s.Kind != render.Body {
		return ""
	}
	text := markdown(s.Text)
	switch {
	case text == "":
	case s.Kind == render.Frame:
		text = "-# " + text
	case above == render.Body:
		text = "\n" + text
	}
	return text
}

func controls(s render.Section) []dgo.MessageComponent {
	switch s.Kind {
	case render.Row:
		return rows(s.Buttons)
	case render.Choice:
		return []dgo.MessageComponent{dgo.ActionsRow{Components: []dgo.MessageComponent{menu(s.List)}}}
	case render.Rule:
		return []dgo.MessageComponent{dgo.Separator{}}
	}
	return nil
}

func rows(buttons []render.Button) []dgo.MessageComponent {
	var out []dgo.MessageComponent
	for five := range slices.Chunk(buttons, MaxRow) {
		row := make([]dgo.MessageComponent, len(five))
		for i, b := range five {
			button := dgo.Button{CustomID: b.Token.String(), Label: render.Cut(b.Label, MaxButton, nil), Style: dgo.SecondaryButton}
			switch {
			case b.URL != "": // A link button sends no interaction and has no ID.
				button.CustomID, button.URL, button.Style = "", b.URL, dgo.LinkButton
			case b.Chosen:
				button.Style = dgo.SuccessButton
			case b.Danger:
				button.Style = dgo.DangerButton
			case b.Main:
				button.Style = dgo.PrimaryButton
			case b.Danger:
				button.Style = dgo.DangerButton
			}
			row[i] = button
		}
		out = append(out, dgo.ActionsRow{Components: row})
	}
	return out
}

// menu returns a list to choose from. The value of an option is its index.
func menu(l *render.List) dgo.SelectMenu {
	least := 1
	m := dgo.SelectMenu{MenuType: dgo.StringSelectMenu, CustomID: l.Token.String(), Placeholder: l.Label, MinValues: &least, MaxValues: 1}
	if l.Many {
		least, m.MaxValues = 0, len(l.Items)
	}
	for i, item := range l.Items {
		m.Options = append(m.Options, dgo.SelectMenuOption{
			Label: render.Cut(item.Label, MaxOption, nil), Description: render.Cut(item.Description, MaxOption, nil),
			Value: strconv.Itoa(i), Default: item.Chosen,
		})
	}
	return m
}
