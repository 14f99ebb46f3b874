package discord

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/render"
)

// beat is how often Discord wants a heartbeat.
const beat = 41250 * time.Millisecond

// overGateway runs a test in a world whose gateway has been good for an hour.
func overGateway(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ModeGateway, nil)
		w.listen()
		pass(time.Hour)
		f(t, w)
	})
}

// opened counts the sessions that were opened.
func (w *world) opened() int {
	n := 0
	for _, e := range w.sim.Timeline().Events(chatsim.Connected) {
		if e.Where == "session" {
			n++
		}
	}
	return n
}

func TestTheGatewayComesBack(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*discordsim.Server){
		"after a cut":                      func(s *discordsim.Server) { s.DropGateways() },
		"when asked to reconnect":          func(s *discordsim.Server) { s.Reconnect() },
		"when the session is invalid":      func(s *discordsim.Server) { s.InvalidateSessions(false) },
		"when the session may be resumed":  func(s *discordsim.Server) { s.InvalidateSessions(true) },
		"when closed with 1001":            func(s *discordsim.Server) { s.CloseGateways(1001) },
		"when closed with 4000":            func(s *discordsim.Server) { s.CloseGateways(4000) },
		"when the session timed out":       func(s *discordsim.Server) { s.CloseGateways(4009) },
		"when heartbeats are not answered": func(s *discordsim.Server) { s.Zombie() },
		"when the connection is half open": func(s *discordsim.Server) { s.HalfOpen() },
		"when it breaks while it is opened": func(s *discordsim.Server) {
			s.Fault(discordsim.Connects, chatsim.Drop())
			s.DropGateways()
		},
		"when asked to reconnect at once": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Refuse("op 7"))
			s.DropGateways()
		},
		"when a new session is refused": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Refuse("op 9"))
			s.DropGateways()
		},
		"when a new session is refused again and again": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Refuse("op 9").Times(3))
			s.DropGateways()
		},
		"when nothing is said after hello": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Hang())
			s.DropGateways()
		},
		"when a websocket is not answered": func(s *discordsim.Server) {
			s.Fault(discordsim.Connects, chatsim.Hang())
			s.DropGateways()
		},
		"when the api is down": func(s *discordsim.Server) {
			s.Fault("get gateway bot", chatsim.Status(503).Times(3))
			s.DropGateways()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *world) {
				w.post(inChannel, one())
				before := w.opened()
				cut(w.sim)
				pass(2 * beat)
				if n := w.sim.Sessions(); n != 1 {
					t.Fatalf("%d sessions after two heartbeats\n%s\n%s", n, w.log, w.sim.Timeline())
				}
				if err := w.c.Ready(); err != nil {
					t.Error(err)
				}
				w.press(idDana, "SQLite")
				w.last()
				pass(time.Hour)
				if n := w.opened() - before; n < 1 || n > 2 {
					t.Errorf("%d sessions were opened", n)
				}
			})
		})
	}
}

func TestACutIsMendedAtOnce(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *world) {
		before := time.Now()
		w.sim.DropGateways()
		w.must(w.sim.Await(t.Context(), func() bool { return w.opened() == 2 }))
		if gap := time.Since(before); gap > 0 {
			t.Errorf("there was no connection for %v", gap)
		}
	})
}

func TestWhatDiscordAsksForIsGiven(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *world) {
		w.sim.AskHeartbeats()
		pass(10 * time.Hour)
		if n := w.opened(); n != 1 {
			t.Errorf("%d sessions were opened in eleven hours\n%s", n, w.log)
		}
	})
}

func TestAGatewayThatBreaksAgainAndAgainIsNotOpenedInAStorm(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *world) {
		ends := time.Now().Add(24 * time.Hour)
		for time.Now().Before(ends) {
			w.sim.DropGateways()
			pass(time.Second)
		}
		// Discord takes the token away after 1,000 a day.
		if n := w.opened(); n < 200 || n > 980 {
			t.Errorf("%d sessions were opened in a day", n)
		}
	})
}

func TestAGatewayThatRefusesUsIsTriedSlowly(t *testing.T) {
	t.Parallel()
	for code, word := range refusals {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *world) {
				w.sim.Fault(discordsim.Identifies, chatsim.Refuse(strconv.Itoa(code)).Times(6))
				w.sim.DropGateways()
				pass(22 * time.Minute)
				var e *bridge.PlatformError
				if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != bridge.Setup || !strings.HasPrefix(e.Code, strconv.Itoa(code)) {
					t.Errorf("Ready = %v", err)
				}
				if n := strings.Count(w.log.String(), strconv.Itoa(code)); n < 4 || n > 8 {
					t.Errorf("refused %d times in 22 minutes", n)
				}
				pass(15 * time.Minute)
				if err := w.c.Ready(); err != nil {
					t.Errorf("when it takes us again: %v", err)
				}
			})
		})
	}
}

func TestARevokedTokenOpensNoSession(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *world) {
		w.sim.Fault("get gateway bot", chatsim.Status(401).Times(10))
		w.sim.DropGateways()
		before := len(w.sim.Calls())
		pass(2 * time.Minute)
		if n := len(w.sim.Calls()) - before; n < 4 || n > 9 {
			t.Errorf("%d calls in two minutes", n)
		}
		var e *bridge.PlatformError
		if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != bridge.Setup {
			t.Errorf("Ready = %v", err)
		}
		pass(3 * time.Minute)
		if err := w.c.Ready(); err != nil {
			t.Errorf("with a good token: %v", err)
		}
	})
}

func TestShardsAreKeptApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ModeGateway, nil, func(cfg *Config) { cfg.ShardCount = 3 })
		w.run(w.c)
		synctest.Wait()
		if err := w.c.Ready(); err == nil || !strings.Contains(err.Error(), "shards") {
			t.Errorf("Ready = %v with one of three shards", err)
		}
		pass(2 * identifySpace)
		synctest.Wait()
		if err := w.c.Ready(); err != nil || w.sim.Sessions() != 3 {
			t.Fatalf("Ready = %v with %d sessions", err, w.sim.Sessions())
		}
		w.post(inChannel, one())
		w.press(idDana, "SQLite")
		w.last()
		if len(w.acts) != 1 {
			t.Errorf("one press arrived %d times", len(w.acts))
		}
	})
}

func TestTwoBridgesOnOneShardAnswerOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ModeGateway, nil)
		w.listen()
		pass(identifySpace)
		w.run(w.another(ModeGateway))
		pass(time.Minute)
		w.post(inChannel, one())
		for _, script := range []bridge.Handler{ackIt, w.redraw(one()), whisper("Not you."), whisper(strings.Repeat("Not you at all. ", 500))} {
			w.then(script)
			before := len(w.acts)
			w.press(idDana, "SQLite")
			w.last()
			if n := len(w.acts) - before; n != 2 {
				t.Fatalf("one press arrived %d times", n)
			}
		}
		if n := strings.Count(w.sim.Seat(idDana).Sees(), "Not you."); n != 1 {
			t.Errorf("the note stands %d times", n)
		}
		if strings.Contains(w.log.String(), "interaction failed") {
			t.Errorf("the second answer counts as a failure:\n%s", w.log)
		}
	})
}

func TestWhatBelongsToAnotherProgramOfTheBotIsLeftToIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, ModeGateway, nil)
		w.listen()
		w.c.heard(payloadFile(t, "foreign_button"))
		w.c.heard(payloadFile(t, "command"))
		w.c.heard([]byte("{"))
		synctest.Wait()
		if calls := w.sim.Calls("interaction callback"); len(calls) > 0 || len(w.acts) > 0 {
			t.Errorf("answered with %v", calls)
		}
	})
}

func TestNoSessionIsOpenedWhileNoneAreLeft(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		entrance string
		most     int64
		code     string
	}{
		"none left today": {
			`{"url":"ws://discord.sim/gateway","shards":1,"session_start_limit":{"total":1000,"remaining":0,"reset_after":3000000,"max_concurrency":1}}`,
			2, "no sessions left today",
		},
		"no address":           {`{"shards":1}`, 200, "no gateway address"},
		"an address elsewhere": {`{"url":"https://discord.sim/gateway"}`, 200, "no gateway address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				c, err := New(Config{
					BotToken: canaryToken, HTTPClient: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
						if !strings.HasSuffix(r.URL.Path, "/gateway/bot") {
							return replying(http.StatusOK, `{"id":"`+ourID+`"}`)(r)
						}
						calls.Add(1)
						return replying(http.StatusOK, tc.entrance)(r)
					})},
					NetDialContext: func(context.Context, string, string) (net.Conn, error) {
						t.Error("a connection was opened")
						return nil, net.ErrClosed
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				listening(t, c, ackIt)
				pass(55 * time.Minute)
				if n := calls.Load(); n < 2 || n > tc.most {
					t.Errorf("asked %d times in 55 minutes", n)
				}
				var e *bridge.PlatformError
				if err := c.Ready(); !errors.As(err, &e) || e.Code != tc.code {
					t.Errorf("Ready = %v", err)
				}
			})
		})
	}
}

// Everything else here runs in memory; this is the network that programs use.
func TestOverRealConnections(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, &discordsim.Options{BotToken: canaryToken})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{BotToken: canaryToken, APIURL: sim.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Listen(ctx, func(ctx context.Context, _ bridge.Interaction, r bridge.Responder) error {
			return r.Redraw(ctx, render.Layout(decided(one()), c.Limits()))
		})
	}()
	if err := sim.Await(t.Context(), func() bool { return sim.Sessions() == 1 }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Post(t.Context(), inChannel, render.Layout(one(), c.Limits())); err != nil {
		t.Fatal(err)
	}
	if err := sim.Seat(idDana).Press(t.Context(), "SQLite"); err != nil {
		t.Error(err)
	}
	if err := sim.Seat(idSam).AwaitText(t.Context(), "Dana"); err != nil {
		t.Error(err)
	}
	stop()
	if err := errors.Join(<-ended, c.Close()); err != nil {
		t.Error(err)
	}
}
