package discord

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// Every resume that came to nothing began the two minutes anew in which a session is
// resumed, so that presses failed for up to eleven.
func TestPressesFailForLessThanAMinuteWhereTheSessionCannotBeResumed(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"since the connection breaks": chatsim.Drop(),
		"since nothing is said to it": chatsim.Hang(),
		"since it is closed":          chatsim.Refuse("4000"),
		"since it is to come later":   chatsim.Refuse("op 7"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault(discordsim.Resumes, fault.Always())
				w.sim.DropGateways()
				pass(time.Minute)
				if err := w.c.Ready(); err != nil {
					t.Fatalf("a minute later: %v\n%s", err, w.log)
				}
				w.press(idDana, "SQLite")
				w.last()
				if calls := w.sim.Calls("get gateway bot"); len(calls) != 2 {
					t.Errorf("%d sessions were begun, want the first and one more", len(calls))
				}
			})
		})
	}
}

// Discord replays what was missed, so a session is not given up for a network that is away.
func TestASessionOutlastsANetworkThatIsAway(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *fixture) {
		w.post(inChannel, one())
		w.sim.Fault(discordsim.Connects, chatsim.Drop().Always())
		w.sim.DropGateways()
		pass(20 * time.Second)
		w.sim.ClearFaults()
		pass(time.Minute)
		w.press(idDana, "SQLite")
		w.last()
		if calls := w.sim.Calls("get gateway bot"); len(calls) != 1 {
			t.Errorf("%d sessions were begun", len(calls))
		}
	})
}
