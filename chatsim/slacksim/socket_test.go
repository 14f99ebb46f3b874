package slacksim_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	slackapi "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// listen runs the real Socket Mode client until the test ends and passes each interaction to f.
func listen(t *testing.T, sim *slacksim.Server, f func(*socketmode.Client, *socketmode.Request)) {
	t.Helper()
	listenTo(t, sim, socketmode.EventTypeInteractive, f)
}

// listenTo is listen for another kind of envelope.
func listenTo(t *testing.T, sim *slacksim.Server, kind socketmode.EventType, f func(*socketmode.Client, *socketmode.Request)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := socketmode.New(client(sim), socketmode.OptionDialer(sim.Dialer()), socketmode.OptionLog(log.New(io.Discard, "", 0)))
	var work sync.WaitGroup
	work.Go(func() { _ = c.RunContext(ctx) })
	work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-c.Events:
				if e.Type == kind {
					f(c, e.Request)
				}
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		sim.DropSockets()
		work.Wait()
	})
	if err := sim.Await(ctx, func() bool { return sim.Sockets() > 0 }); err != nil {
		t.Fatal(err)
	}
}

func post(t *testing.T, sim *slacksim.Server, blocks ...slackapi.Block) (ts string) {
	t.Helper()
	_, ts, err := client(sim).PostMessageContext(t.Context(), "C0000001",
		slackapi.MsgOptionText("Which database?", false), slackapi.MsgOptionBlocks(blocks...))
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func TestPressOverSocketMode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		var seen []string
		listen(t, sim, func(c *socketmode.Client, r *socketmode.Request) {
			seen = append(seen, string(r.Payload))
			_ = c.Ack(*r)
		})
		post(t, sim, question("a1", "Postgres")...)
		if err := sim.Seat("U0000002").Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 1 || !strings.Contains(seen[0], `"action_id":"a1"`) {
			t.Errorf("the app saw %v", seen)
		}
	})
}

func TestConnectionStaysAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		listen(t, sim, func(c *socketmode.Client, r *socketmode.Request) { _ = c.Ack(*r) })
		time.Sleep(2 * time.Hour)
		if n := len(sim.Calls("apps.connections.open")); n != 1 {
			t.Errorf("the client connected %d times, and once would have done", n)
		}
	})
}

func TestClientReconnects(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*slacksim.Server){
		"refresh": func(s *slacksim.Server) { s.Disconnect("refresh_requested") },
		"cut":     func(s *slacksim.Server) { s.DropSockets() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := slacksim.Start(t, nil)
				listen(t, sim, func(c *socketmode.Client, r *socketmode.Request) { _ = c.Ack(*r) })
				post(t, sim, question("a1", "Postgres")...)
				cut(sim)
				if err := sim.Await(t.Context(), func() bool { return len(sim.Timeline().Events(chatsim.Connected)) == 2 }); err != nil {
					t.Fatal(err)
				}
				if err := sim.Seat("U0000002").Press(t.Context(), "Postgres"); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestLateAcknowledgementIsViolation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		sim.Expect("ack.in_time")
		listen(t, sim, func(*socketmode.Client, *socketmode.Request) {})
		post(t, sim, question("a1", "Postgres")...)
		before := time.Now()
		sam := sim.Seat("U0000002")
		if err := sam.Press(t.Context(), "Postgres"); !errors.Is(err, chatsim.ErrUnacknowledged) {
			t.Errorf("the press ended with %v", err)
		}
		if took := time.Since(before); took != 3*time.Second {
			t.Errorf("Slack waited %v, and three seconds were due", took)
		}
		if !strings.Contains(sam.Sees(), "⚠") {
			t.Errorf("there is no warning in\n%s", sam.Sees())
		}
		if strings.Contains(sim.Seat("U0000001").Sees(), "⚠") {
			t.Error("another person sees the warning")
		}
	})
}

func TestLargeAcknowledgementIsDropped(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		size int
		rule string
	}{
		"one byte less is read":   {20479, ""},
		"twenty kilobytes is not": {20480, "socket.ack.size"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := slacksim.Start(t, nil)
				conn := dial(t, sim)
				post(t, sim, question("a1", "Postgres")...)
				if tc.rule != "" {
					sim.Expect(tc.rule, "ack.in_time")
				}
				go func() {
					var envelope struct {
						Type string
						ID   string `json:"envelope_id"`
					}
					for envelope.Type != "interactive" {
						if conn.ReadJSON(&envelope) != nil {
							return
						}
					}
					ack := `{"envelope_id":"` + envelope.ID + `","payload":""}`
					ack = strings.Replace(ack, `""`, `"`+strings.Repeat("x", tc.size-len(ack))+`"`, 1)
					_ = conn.WriteMessage(websocket.TextMessage, []byte(ack))
				}()
				err := sim.Seat("U0000001").Press(t.Context(), "Postgres")
				if (err != nil) != (tc.rule != "") {
					t.Errorf("the press ended with %v", err)
				}
			})
		})
	}
}

// dial opens a Socket Mode connection without a library.
func dial(t *testing.T, sim *slacksim.Server) *websocket.Conn {
	t.Helper()
	connected := func() int { return len(sim.Timeline().Events(chatsim.Connected)) }
	before := connected()
	_, url, err := client(sim).StartSocketModeContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn, resp, err := sim.Dialer().DialContext(t.Context(), url, http.Header{"Origin": {"https://api.slack.com"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	if err := sim.Await(t.Context(), func() bool { return connected() > before }); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		sim.Expect("socket.connections")
		for range 10 {
			dial(t, sim)
		}
		conn := dial(t, sim)
		var message struct{ Type, Reason string }
		for message.Type != "disconnect" {
			if err := conn.ReadJSON(&message); err != nil {
				t.Fatal(err)
			}
		}
		if message.Reason != "too_many_websockets" {
			t.Errorf("the reason is %q", message.Reason)
		}
	})
}

func TestSocketURLWorksOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		sim.Expect("socket.ticket")
		_, url, err := client(sim).StartSocketModeContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first, _, err := sim.Dialer().DialContext(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer first.Close()
		if second, _, err := sim.Dialer().DialContext(t.Context(), url, nil); err == nil {
			_ = second.Close()
			t.Error("the second dial was welcome")
		}
	})
}

func TestSocketModeDisablesHTTP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{SocketMode: true})
		sim.DeliverToHandler("/", app(func(map[string]any) (int, string) {
			t.Error("an interaction arrived over HTTP")
			return http.StatusOK, ""
		}))
		listen(t, sim, func(c *socketmode.Client, r *socketmode.Request) { _ = c.Ack(*r) })
		post(t, sim, question("a1", "Postgres")...)
		if err := sim.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
			t.Error(err)
		}
	})
}

func TestEnvelopesUseOneConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		var mu sync.Mutex
		seen := map[int]int{}
		for i := range 3 {
			listen(t, sim, func(c *socketmode.Client, r *socketmode.Request) {
				mu.Lock()
				seen[i]++
				mu.Unlock()
				_ = c.Ack(*r)
			})
		}
		if err := sim.Await(t.Context(), func() bool { return sim.Sockets() == 3 }); err != nil {
			t.Fatal(err)
		}
		post(t, sim, question("a1", "Postgres")...)
		for range 6 {
			if err := sim.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) != 3 || seen[0]+seen[1]+seen[2] != 6 {
			t.Errorf("the connections got %v", seen)
		}
	})
}

func TestCloseEndsPendingPress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		listen(t, sim, func(*socketmode.Client, *socketmode.Request) {})
		post(t, sim, question("a1", "Postgres")...)
		done := make(chan error)
		go func() { done <- sim.Seat("U0000001").Press(t.Context(), "Postgres") }()
		synctest.Wait()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, chatsim.ErrUnacknowledged) {
			t.Errorf("the press ended with %v", err)
		}
	})
}
