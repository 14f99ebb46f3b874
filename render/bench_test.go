package render_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// BenchmarkLayout draws an everyday card and the longest there can be, as
// happens for every act of a person on a platform that updates in reply.
func BenchmarkLayout(b *testing.B) {
	long := ask.Question{Text: strings.Repeat("a *b* c ", 125), Options: []ask.Option{
		{Label: "A", Description: strings.Repeat("word ", 200)}, {Label: "B", Preview: strings.Repeat("👍\n", 495)},
	}}
	longest := asking()
	for range ask.MaxQuestions {
		longest.Questions = append(longest.Questions, long)
	}
	for name, s := range map[string]render.Subject{"everyday": asking(single, multi, single), "longest": longest} {
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			b.Run(name+"/"+l.Platform, func(b *testing.B) {
				for b.Loop() {
					render.Layout(s, l)
				}
			})
		}
	}
}
