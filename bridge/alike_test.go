package bridge_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestLateClickNoteNamesChosenLongOption(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		path := "/srv/" + strings.Repeat("warehouse/", 35)
		r := w.submit(database(func(r *ask.Request) {
			r.Questions = []ask.Question{{Text: "Which may go?", Options: []ask.Option{{Label: path + "north"}, {Label: path + "south"}}}}
		}))
		w.act(choose(r, "U1", 1))
		w.wantNote(w.act(choose(r, "U2", 0)), "Already answered by U1: 2. /srv/warehouse/")
	})
}

func TestNoteTruncatesBetweenCharacters(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) {
			flags := strings.Repeat("x", 98) + strings.Repeat("🇩🇪", 9)
			r.Questions = []ask.Question{{Text: "Which?", Options: []ask.Option{{Label: flags}, {Label: "None"}}}}
		}))
		w.act(choose(r, "U1", 0))
		w.wantNote(w.act(choose(r, "U2", 0)), "xx….")
	})
}
