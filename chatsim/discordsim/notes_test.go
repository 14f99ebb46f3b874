package discordsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// What Discord accepts and a careful app would not send is noted, but breaks no rule.
func TestWarnings(t *testing.T) {
	t.Parallel()
	post := func(o obj) func(*testing.T, *discordsim.Server) {
		return func(t *testing.T, sim *discordsim.Server) { t.Helper(); put(t, sim, once(o, 1)) }
	}
	for note, do := range map[string]func(*testing.T, *discordsim.Server){
		"note.field": post(with(message(words("x")), "colour", "red")),
		"note.parse": post(with(message(words("x")), "allowed_mentions", obj{"parse": nil})),
		"note.text":  post(message(words(long(3990)), row(button("a1", long(80))))),
		"note.modal_row": func(t *testing.T, sim *discordsim.Server) {
			t.Helper()
			form := obj{"custom_id": "form", "title": "Other", "components": list{row(with(input("why"), "label", "Why?"))}}
			pressedFor(t, sim).respond(t, obj{"type": 9, "data": form})
		},
		"note.late": func(t *testing.T, sim *discordsim.Server) {
			t.Helper()
			i := pressedFor(t, sim)
			i.respond(t, obj{"type": 6})
			time.Sleep(15 * time.Minute)
			i.hook(t, "GET", "/messages/@original", nil)
		},
		"note.ack_twice": func(t *testing.T, sim *discordsim.Server) {
			t.Helper()
			sim.Fault(discordsim.Presses, chatsim.Twice())
			i := pressedFor(t, sim)
			i.respond(t, obj{"type": 6})
			i.respond(t, obj{"type": 6})
		},
		"note.compress": func(t *testing.T, sim *discordsim.Server) {
			t.Helper()
			ready(t, sim, "compress", true)
		},
	} {
		t.Run(note, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				do(t, sim)
				if !warned(sim, note) {
					t.Errorf("there is no note of it in\n%s", sim.Timeline())
				}
			})
		})
	}
}
