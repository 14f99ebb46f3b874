package components_test

import (
	"encoding/json"
	"testing"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/render/components"
)

// asJSON encodes and decodes a value.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return read
}

func TestListEncodesAsDiscordgoDoes(t *testing.T) {
	t.Parallel()
	colour, none, yes := 0x5865F2, 0, true
	link := dgo.Button{Label: "Runbook", Style: dgo.LinkButton, URL: "https://example.com/?a=1&b=<2>"}
	for name, list := range map[string][]dgo.MessageComponent{
		"nothing":      {},
		"a card":       {dgo.Container{AccentColor: &colour, Components: []dgo.MessageComponent{dgo.TextDisplay{Content: "-# bot asks\nWhy \"now\"?"}, dgo.Separator{}}}},
		"buttons":      {dgo.ActionsRow{Components: []dgo.MessageComponent{dgo.Button{Label: "Ship", Style: dgo.PrimaryButton, CustomID: "2:p0:c:0:1"}, link}}},
		"an empty row": {dgo.ActionsRow{}},
		"escapes": {
			dgo.TextDisplay{Content: "quote \" backslash \\ tab \t bell \a line \n return \r separator \u2028 delete \x7f"},
			dgo.TextDisplay{Content: "<b>&amp; ümläut 👍 日本"},
			dgo.TextDisplay{Content: "invalid \xff UTF-8"},
			dgo.TextDisplay{},
		},
		"other members": {
			dgo.Container{ID: 3, AccentColor: &colour},
			dgo.Container{Spoiler: true},
			dgo.ActionsRow{ID: 4},
			dgo.Button{Label: "x", CustomID: "y"},
			dgo.Button{Label: "x", Style: dgo.DangerButton, Disabled: true, Emoji: &dgo.ComponentEmoji{Name: "👍"}},
			dgo.Button{Style: dgo.PremiumButton, SKUID: "1", ID: 5},
			dgo.Separator{Divider: &yes},
		},
		"a menu": {dgo.ActionsRow{Components: []dgo.MessageComponent{dgo.SelectMenu{
			MenuType: dgo.StringSelectMenu, CustomID: "m", Placeholder: "Choose", MinValues: &none, MaxValues: 2,
			Options: []dgo.SelectMenuOption{{Label: "A", Value: "0"}, {Label: "B", Value: "1", Description: "b", Default: true}},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, err := json.Marshal(components.List(list))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asJSON(t, list), asJSON(t, json.RawMessage(ours))); diff != "" {
				t.Errorf("(-discordgo +List):\n%s", diff)
			}
		})
	}
}

// unwritable is a component that fails to encode.
type unwritable struct{ dgo.TextDisplay }

func (unwritable) MarshalJSON() ([]byte, error) { return nil, refused("no") }

type refused string

func (e refused) Error() string { return string(e) }

func TestListReportsEncodingErrors(t *testing.T) {
	t.Parallel()
	row := dgo.ActionsRow{Components: []dgo.MessageComponent{unwritable{}}}
	colour := 1
	for _, list := range [][]dgo.MessageComponent{{unwritable{}}, {row}, {dgo.Container{AccentColor: &colour, Components: []dgo.MessageComponent{row}}}} {
		if data, err := json.Marshal(components.List(list)); err == nil {
			t.Errorf("encoded as %s, want an error", data)
		}
	}
}
