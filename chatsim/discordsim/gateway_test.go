package discordsim_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// line is one gateway connection without a library.
type line struct {
	*websocket.Conn

	t *testing.T
}

// dial opens a connection at the address from the API, or at another one.
func dial(t *testing.T, sim *discordsim.Server, to string) line {
	t.Helper()
	if to == "" {
		to, _ = ask(t, sim, "GET", "/gateway", nil).body["url"].(string)
	}
	conn, resp, err := sim.Dialer().DialContext(t.Context(), to+"/?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	l := line{conn, t}
	if hello := l.next(); hello["op"] != 10.0 || hello["d"].(obj)["heartbeat_interval"] != 41250.0 {
		t.Fatalf("the greeting is %v", hello)
	}
	return l
}

// next reads one event; a close frame reads as its code.
func (l line) next() obj {
	l.t.Helper()
	var out obj
	err := l.ReadJSON(&out)
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
		return obj{"closed": closed.Code}
	}
	if err != nil {
		return obj{"lost": true}
	}
	return out
}

func (l line) say(op int, d any) {
	l.t.Helper()
	if err := l.WriteJSON(obj{"op": op, "d": d}); err != nil {
		l.t.Fatal(err)
	}
}

func identity(more ...any) obj {
	return with(obj{"token": "discord-sim-token", "intents": 0, "properties": obj{"os": "linux"}}, more...)
}

// ready opens a session.
func ready(t *testing.T, sim *discordsim.Server, more ...any) (line, obj) {
	t.Helper()
	l := dial(t, sim, "")
	l.say(2, identity(more...))
	first := l.next()
	if first["t"] != "READY" {
		t.Fatalf("IDENTIFY was answered with %v", first)
	}
	d, _ := first["d"].(obj)
	return l, d
}

// answering answers every interaction on a connection with type 6 and counts them.
func answering(t *testing.T, sim *discordsim.Server, l line, count *counter) {
	t.Helper()
	go func() {
		for {
			var event obj
			if l.ReadJSON(&event) != nil {
				return
			}
			if event["t"] != "INTERACTION_CREATE" {
				continue
			}
			d, _ := event["d"].(obj)
			count.add()
			_, _ = request(t, sim, "", "POST", "/interactions/"+d["id"].(string)+"/"+d["token"].(string)+"/callback", obj{"type": 6})
		}
	}()
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func TestInvalidIdentify(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts  *discordsim.Options
		who   obj
		want  int
		rules []string
	}{
		"another token":              {nil, identity("token", "x"), 4004, nil},
		"no properties":              {nil, identity("properties", nil), 4002, []string{"gateway.payload"}},
		"no intents":                 {nil, identity("intents", nil), 4013, []string{"gateway.intents"}},
		"intents that do not exist":  {nil, identity("intents", 1<<30), 4013, []string{"gateway.intents"}},
		"intents that are not given": {nil, identity("intents", 1<<15), 4014, []string{"gateway.intents"}},
		"a shard that is none":       {nil, identity("shard", list{2, 2}), 4010, []string{"gateway.shard"}},
		"no shard where one is due":  {&discordsim.Options{ShardsRequired: true}, identity(), 4011, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, tc.opts)
				sim.Expect(tc.rules...)
				l := dial(t, sim, "")
				l.say(2, tc.who)
				if got := l.next(); got["closed"] != tc.want {
					t.Errorf("the answer is %v", got)
				}
			})
		})
	}
}

func TestInvalidGatewayMessages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		say  func(line)
		want int
		rule string
	}{
		"an unknown op":     {func(l line) { l.say(99, nil) }, 4001, "gateway.payload"},
		"no JSON":           {func(l line) { _ = l.WriteMessage(websocket.TextMessage, []byte("{")) }, 4002, "gateway.payload"},
		"4,097 bytes":       {func(l line) { l.say(1, long(4097)) }, 4002, "gateway.payload"},
		"a second IDENTIFY": {func(l line) { l.say(2, identity()) }, 4005, "gateway.payload"},
		"an empty IDENTIFY": {func(l line) { l.say(2, nil) }, 4002, "gateway.payload"},
		"121 events at once": {func(l line) {
			for range 121 {
				l.say(3, obj{})
			}
		}, 4008, "gateway.sends"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				sim.Expect(tc.rule)
				l, _ := ready(t, sim)
				tc.say(l)
				if got := l.next(); got["closed"] != tc.want {
					t.Errorf("the answer is %v", got)
				}
			})
		})
	}
}

func TestIdentifyRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Expect("gateway.identify")
		ready(t, sim)
		l := dial(t, sim, "")
		l.say(2, identity())
		if got := l.next(); got["op"] != 9.0 || got["d"] != false {
			t.Errorf("the second session was answered with %v", got)
		}
		time.Sleep(5 * time.Second)
		l.say(2, identity())
		if got := l.next(); got["t"] != "READY" {
			t.Errorf("five seconds later the answer is %v", got)
		}
		left := ask(t, sim, "GET", "/gateway/bot", nil).body["session_start_limit"].(obj)["remaining"]
		if left != 998.0 {
			t.Errorf("%v sessions are left today", left)
		}
	})
}

func TestTwoConnectionsOnOneShard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		var received counter
		for range 2 {
			l, _ := ready(t, sim)
			answering(t, sim, l, &received)
			time.Sleep(5 * time.Second)
		}
		put(t, sim, once(question("a1", "Yes"), 1))
		if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if received.count() != 2 || sim.Sessions() != 2 {
			t.Errorf("%d of %d sessions received it", received.count(), sim.Sessions())
		}
		if n := sim.Timeline().Events(chatsim.Refused); len(n) != 1 || !strings.Contains(n[0].Text, "40060") {
			t.Errorf("the second answer ended with %v", n)
		}
	})
}

func TestInteractionsAreSharded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, &discordsim.Options{MaxConcurrency: 2})
		received := map[int]*counter{0: {}, 1: {}}
		home := int(uint64(100000000000000001)>>22) % 2
		for shard, count := range received {
			l, d := ready(t, sim, "shard", list{shard, 2})
			if n := len(d["guilds"].(list)); (n == 1) != (shard == home) {
				t.Errorf("shard %d received %d guilds", shard, n)
			}
			answering(t, sim, l, count)
		}
		put(t, sim, once(question("a1", "Yes"), 1))
		if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		if received[home].count() != 1 || received[1-home].count() != 0 {
			t.Errorf("the shards received %d and %d presses", received[0].count(), received[1].count())
		}
		dm := ask(t, sim, "POST", "/users/@me/channels", obj{"recipient_id": dana}).id()
		ask(t, sim, "POST", "/channels/"+dm+"/messages", once(question("a2", "Sure"), 2))
		before := received[0].count()
		if err := sim.Seat(dana).Press(t.Context(), "Sure"); err != nil || received[0].count() != before+1 {
			t.Errorf("the press in the direct message ended with %v", err)
		}
	})
}

func TestResumeReplaysEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		_, d := ready(t, sim)
		put(t, sim, once(question("a1", "Yes"), 1))
		sim.DropGateways()
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- sim.Seat(dana).Press(t.Context(), "Yes") }()
		time.Sleep(time.Second)
		l := dial(t, sim, d["resume_gateway_url"].(string))
		l.say(6, obj{"token": "Bot discord-sim-token", "session_id": d["session_id"], "seq": 1})
		missed := l.next()
		if missed["t"] != "INTERACTION_CREATE" || missed["s"] != 2.0 {
			t.Fatalf("the first event is %v", missed)
		}
		if last := l.next(); last["t"] != "RESUMED" || last["s"] != 3.0 {
			t.Errorf("the last event is %v", last)
		}
		i := missed["d"].(obj)
		askAs(t, sim, "", "POST", "/interactions/"+i["id"].(string)+"/"+i["token"].(string)+"/callback", obj{"type": 6})
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestInvalidResume(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(*discordsim.Server, line)
		d      func(session any) obj
		want   any // a close code, or nil for op 9
	}{
		"an unknown one":         {nil, func(any) obj { return obj{"session_id": "x", "seq": 1} }, nil},
		"one closed with 1000":   {func(_ *discordsim.Server, l line) { hangUp(l, 1000) }, func(s any) obj { return obj{"session_id": s, "seq": 1} }, nil},
		"one lost too long ago":  {func(s *discordsim.Server, _ line) { s.DropGateways(); time.Sleep(4 * time.Minute) }, func(s any) obj { return obj{"session_id": s, "seq": 1} }, nil},
		"one that Discord ended": {func(s *discordsim.Server, _ line) { s.CloseGateways(4014) }, func(s any) obj { return obj{"session_id": s, "seq": 1} }, nil},
		"an event from tomorrow": {func(s *discordsim.Server, _ line) { s.DropGateways() }, func(s any) obj { return obj{"session_id": s, "seq": 9} }, 4007},
		"another token":          {func(s *discordsim.Server, _ line) { s.DropGateways() }, func(s any) obj { return obj{"session_id": s, "seq": 1, "token": "x"} }, 4004},
		"refused on cue": {func(s *discordsim.Server, _ line) {
			s.DropGateways()
			s.Fault(discordsim.Resumes, chatsim.Refuse("op 9"))
		}, func(s any) obj { return obj{"session_id": s, "seq": 1} }, nil},
		"closed on cue": {func(s *discordsim.Server, _ line) {
			s.DropGateways()
			s.Fault(discordsim.Resumes, chatsim.Refuse("4000"))
		}, func(s any) obj { return obj{"session_id": s, "seq": 1} }, 4000},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				old, d := ready(t, sim)
				if tc.before != nil {
					tc.before(sim, old)
				}
				synctest.Wait()
				l := dial(t, sim, d["resume_gateway_url"].(string))
				l.say(6, with(obj{"token": "discord-sim-token"}, pairs(tc.d(d["session_id"]))...))
				got := l.next()
				if tc.want == nil && (got["op"] != 9.0 || got["d"] != false) {
					t.Errorf("the answer is %v, want op 9", got)
				}
				if tc.want != nil && got["closed"] != tc.want {
					t.Errorf("the answer is %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func pairs(o obj) []any {
	var out []any
	for name, v := range o {
		out = append(out, name, v)
	}
	return out
}

func hangUp(l line, code int) {
	_ = l.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
	_ = l.Close()
}

func TestCloseCodeAllowsResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		old, d := ready(t, sim)
		hangUp(old, 4900)
		l := dial(t, sim, "") // Not at resume_gateway_url, which the double only notes.
		l.say(6, obj{"token": "discord-sim-token", "session_id": d["session_id"], "seq": 1})
		if got := l.next(); got["t"] != "RESUMED" {
			t.Errorf("the answer is %v", got)
		}
		if got := fmt.Sprint(sim.Timeline().Events(chatsim.Warned)); !strings.Contains(got, "note.resume_url") {
			t.Errorf("timeline: %s", got)
		}
	})
}

func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		sim.Fault(discordsim.Connects, chatsim.Status(http.StatusServiceUnavailable))
		if _, resp, err := sim.Dialer().DialContext(t.Context(), "ws://discord.sim/gateway/?v=10&encoding=json", nil); err == nil || resp.StatusCode != 503 {
			t.Errorf("the connection: %v, %v", resp, err)
		} else {
			_ = resp.Body.Close()
		}
		sim.Fault(discordsim.Identifies, chatsim.Refuse("op 7"))
		sim.Fault(discordsim.Identifies, chatsim.LoseReply())
		sim.Fault(discordsim.Identifies, chatsim.Hang())
		l := dial(t, sim, "")
		l.say(2, identity())
		if got := l.next(); got["op"] != 7.0 {
			t.Errorf("IDENTIFY was answered with %v", got)
		}
		l.say(2, identity())
		if got := l.next(); got["lost"] != true {
			t.Errorf("read on the cut connection: %v", got)
		}
		l = dial(t, sim, "")
		l.say(2, identity())
		_ = l.SetReadDeadline(time.Now().Add(time.Minute))
		if got := l.next(); got["lost"] != true {
			t.Errorf("read on the silent connection: %v", got)
		}
	})
}

func TestEndpointDisablesGatewayInteractions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		var received counter
		l, _ := ready(t, sim)
		answering(t, sim, l, &received)
		got := listenTo(t, sim)
		put(t, sim, once(question("a1", "Yes"), 1))
		if err := sim.Seat(dana).Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		if received.count() != 0 || len(got.data()) != 1 {
			t.Errorf("the gateway received %d, the endpoint %d presses", received.count(), len(got.data()))
		}
	})
}

func TestCloseFrameIsNotAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		l, _ := ready(t, sim)
		_ = l.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""))
		_ = l.SetReadDeadline(time.Now().Add(time.Minute))
		before := time.Now()
		if got := l.next(); got["lost"] != true || time.Since(before) != time.Minute {
			t.Errorf("after %v the double sent %v", time.Since(before), got)
		}
	})
}

func TestCloseEndsPendingPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		ready(t, sim)
		put(t, sim, once(question("a1", "Yes"), 1))
		ended := make(chan error, 1)
		go func() { ended <- sim.Seat(dana).Press(t.Context(), "Yes") }()
		synctest.Wait()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, chatsim.ErrUnacknowledged) {
			t.Errorf("the press ended with %v", err)
		}
		if err := sim.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}
