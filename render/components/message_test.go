package components_test

import (
	"testing"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// inside opens the one container of a card.
func inside(t *testing.T, c render.Card) (int, []dgo.MessageComponent) {
	t.Helper()
	message := components.Message(c)
	if len(message) != 1 {
		t.Fatalf("%d components", len(message))
	}
	box := message[0].(dgo.Container)
	return *box.AccentColor, box.Components
}

func TestNeighbouringTextsShareADisplay(t *testing.T) {
	t.Parallel()
	text := func(s string) []render.Span { return []render.Span{{Text: s}} }
	_, got := inside(t, render.Card{State: ask.Open, Sections: []render.Section{
		{Kind: render.Frame, ID: "a", Text: text("bot asks")},
		{Kind: render.Body, ID: "b", Text: text("Why")},
		{Kind: render.Body, ID: "c", Text: text(" ")},
		{Kind: render.Body, ID: "d", Text: text("What?")},
		{Kind: render.Rule, ID: "e"},
		{Kind: render.Body, ID: "f", Text: text("More")},
		{Kind: render.Frame, ID: "g", Text: text("end")},
	}})
	want := []dgo.MessageComponent{
		dgo.TextDisplay{Content: "-# bot asks\nWhy\n\nWhat?"}, dgo.Separator{}, dgo.TextDisplay{Content: "More\n-# end"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestColorShowsState(t *testing.T) {
	t.Parallel()
	colours := map[int][]ask.State{}
	for _, state := range []ask.State{ask.Open, ask.Answered, ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed} {
		colour, _ := inside(t, render.Card{State: state, Sections: []render.Section{{Kind: render.Body, Text: []render.Span{{Text: "x"}}}}})
		colours[colour] = append(colours[colour], state)
	}
	want := map[int][]ask.State{
		0x5865F2: {ask.Open}, 0x57F287: {ask.Answered}, 0x99AAB5: {ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed},
	}
	if diff := cmp.Diff(want, colours); diff != "" {
		t.Error(diff)
	}
}

func TestButtonsWrapToNextRow(t *testing.T) {
	t.Parallel()
	buttons := make([]render.Button, 7)
	for i := range buttons {
		buttons[i] = render.Button{Token: render.Token{Request: "p01x", Verb: render.TurnPage, Question: i, Option: -1}, Label: "x"}
	}
	_, got := inside(t, render.Card{Sections: []render.Section{{Kind: render.Row, Buttons: buttons}}})
	if len(got) != 2 || len(got[0].(dgo.ActionsRow).Components) != 5 || len(got[1].(dgo.ActionsRow).Components) != 2 {
		t.Errorf("rows %+v", got)
	}
}
