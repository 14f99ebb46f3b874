package discordsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim)
		for range 10 {
			l.say(1, 1)
			if got := l.next(); got["op"] != 11.0 {
				t.Fatalf("the heartbeat was answered with %v", got)
			}
			time.Sleep(41 * time.Second)
		}
		sim.AskHeartbeats()
		if got := l.next(); got["op"] != 1.0 {
			t.Errorf("the request for a heartbeat is %v", got)
		}
		l.say(1, 1)
		if got := l.next(); got["op"] != 11.0 {
			t.Errorf("the heartbeat that was asked for was answered with %v", got)
		}
		time.Sleep(10 * time.Second)
		sim.Zombie()
		l.say(1, 1)
		sim.Reconnect()
		if got := l.next(); got["op"] != 7.0 {
			t.Errorf("a zombie acknowledged: %v", got)
		}
		sim.Expect("gateway.heartbeat")
		if got := l.next(); got["closed"] != 4009 {
			t.Errorf("without heartbeats the connection ended with %v", got)
		}
	})
}

func TestMissingHeartbeatClosesConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim)
		sim.AskHeartbeats()
		if got := l.next(); got["op"] != 1.0 {
			t.Errorf("the request for a heartbeat is %v", got)
		}
		sim.Expect("gateway.heartbeat")
		if got := l.next(); got["closed"] != 4009 {
			t.Errorf("without the heartbeat the connection ended with %v", got)
		}
	})
}

func TestHalfOpenConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim)
		sim.HalfOpen()
		put(t, sim, once(question("a1", "Yes"), 1))
		sim.Expect("ack.in_time")
		if err := sim.Seat(dana).Press(t.Context(), "Yes"); err == nil {
			t.Error("the press was answered")
		}
		l.say(1, 1)
		_ = l.SetReadDeadline(time.Now().Add(10 * time.Minute))
		if got := l.next(); got["lost"] != true {
			t.Errorf("there was %v", got)
		}
	})
}
