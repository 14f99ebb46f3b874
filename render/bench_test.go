package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// benched are an everyday card, and the longest there can be.
func benched() map[string]render.Subject {
	long := ask.Question{Text: strings.Repeat("a *b* c ", 125), Options: []ask.Option{
		{Label: "A", Description: strings.Repeat("word ", 200)}, {Label: "B", Preview: strings.Repeat("👍\n", 495)},
	}}
	longest := asking()
	for range ask.MaxQuestions {
		longest.Questions = append(longest.Questions, long)
	}
	lines := asking(ask.Question{Text: strings.Repeat("a\n", ask.MaxText/2-1) + "?"})
	schemes := asking(ask.Question{Text: strings.Repeat("https://", ask.MaxText/8)})
	return map[string]render.Subject{"lines": lines, "schemes": schemes, "everyday": asking(single, multi, single), "lone": asking(single), "longest": longest}
}

// BenchmarkLayout draws cards, as happens for every act of a person on a platform that
// updates in reply.
func BenchmarkLayout(b *testing.B) {
	for name, s := range benched() {
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			b.Run(name+"/"+l.Platform, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					render.Layout(s, l)
				}
			})
		}
	}
}

// BenchmarkSent makes of a card what a platform is sent.
func BenchmarkSent(b *testing.B) {
	for name, s := range benched() {
		for _, to := range []struct {
			limits render.Limits
			sent   func(render.Card) ([]byte, error)
		}{
			{blockkit.Limits(), func(c render.Card) ([]byte, error) {
				blocks, _ := blockkit.Message(c)
				return json.Marshal(blocks)
			}},
			{components.Limits(), func(c render.Card) ([]byte, error) { return json.Marshal(components.List(components.Message(c))) }},
		} {
			card := render.Layout(s, to.limits)
			b.Run(name+"/"+to.limits.Platform, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := to.sent(card); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
