package discord

import (
	"errors"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// Every failed resume restarted the two minutes in which a session is resumed, so presses failed for up to eleven
// minutes.
func TestUnresumableSessionIsReplacedWithinAMinute(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"since the connection breaks": chatsim.Drop(),
		"without a response":          chatsim.Hang(),
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

// Discord replays missed events, so a session survives a short network outage, but Discord keeps it only briefly.
func TestSessionSurvivesNetworkOutage(t *testing.T) {
	t.Parallel()
	for away, fresh := range map[time.Duration]bool{20 * time.Second: false, 3 * time.Minute: true} {
		t.Run(away.String(), func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault(discordsim.Connects, chatsim.Drop().Always())
				w.sim.DropGateways()
				pass(away)
				w.sim.ClearFaults()
				pass(3 * time.Minute)
				w.press(idDana, "SQLite")
				w.last()
				if calls := w.sim.Calls("get gateway bot"); (len(calls) > 1) != fresh {
					t.Errorf("%d sessions were begun", len(calls))
				}
			})
		})
	}
}

// Resumed, the session would begin with the same message again and again.
func TestUnreadableMessageStartsNewSession(t *testing.T) {
	t.Parallel()
	s := &shard{session: "s1", address: "wss://resume.discord.sim", lost: time.Now()}
	s.seq.Store(7)
	if err := (&socket{shard: s}).take([]byte(`{"op":`)); !errors.Is(err, errUnreadable) || s.resumable() || s.seq.Load() != 0 {
		t.Errorf("take = %v; resumable %t, the last event is %d", err, s.resumable(), s.seq.Load())
	}
}
