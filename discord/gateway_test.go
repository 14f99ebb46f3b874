package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// beat is Discord's heartbeat interval.
const beat = 41250 * time.Millisecond

// overGateway runs a test in a world whose gateway has worked for an hour.
func overGateway(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.listen()
		pass(time.Hour)
		f(t, w)
	})
}

// opened counts the opened sessions.
func (w *fixture) opened() int {
	n := 0
	for _, e := range w.sim.Timeline().Events(chatsim.Connected) {
		if e.Where == "session" {
			n++
		}
	}
	return n
}

func TestGatewayReconnects(t *testing.T) {
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
			s.CloseGateways(4009)
		},
		"when a new session is refused": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Refuse("op 9"))
			s.CloseGateways(4009)
		},
		"when a new session is refused again and again": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Refuse("op 9").Times(3))
			s.CloseGateways(4009)
		},
		"silence after hello": func(s *discordsim.Server) {
			s.Fault(discordsim.Identifies, chatsim.Hang())
			s.CloseGateways(4009)
		},
		"when resuming is refused": func(s *discordsim.Server) {
			s.Fault(discordsim.Resumes, chatsim.Refuse("op 9"))
			s.DropGateways()
		},
		"when asked to reconnect in place of resuming": func(s *discordsim.Server) {
			s.Fault(discordsim.Resumes, chatsim.Refuse("op 7"))
			s.DropGateways()
		},
		"silence after resume": func(s *discordsim.Server) {
			s.Fault(discordsim.Resumes, chatsim.Hang())
			s.DropGateways()
		},
		"when it breaks while resuming": func(s *discordsim.Server) {
			s.Fault(discordsim.Resumes, chatsim.Drop().Times(3))
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
			overGateway(t, func(t *testing.T, w *fixture) {
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

func TestLostGatewayReconnectsImmediately(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *fixture) {
		before := time.Now()
		w.sim.DropGateways()
		w.must(w.sim.Await(t.Context(), func() bool { return w.opened() == 2 }))
		if gap := time.Since(before); gap > 0 {
			t.Errorf("there was no connection for %v", gap)
		}
	})
}

func TestInvalidSessionDelaysReconnect(t *testing.T) {
	t.Parallel()
	for name, resumable := range map[string]bool{"that may be resumed": true, "that is over": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				before := time.Now()
				w.sim.InvalidateSessions(resumable)
				w.must(w.sim.Await(t.Context(), func() bool { return w.opened() == 2 }))
				if gap := time.Since(before); gap < time.Second || gap > 5*time.Second {
					t.Errorf("the next session came %v later, want from one to five seconds", gap)
				}
			})
		})
	}
}

func TestRequestedHeartbeatIsSent(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *fixture) {
		w.sim.AskHeartbeats()
		pass(10 * time.Hour)
		if n := w.opened(); n != 1 {
			t.Errorf("%d sessions were opened in eleven hours\n%s", n, w.log)
		}
	})
}

func TestGatewayReconnectBackoff(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *fixture) {
		ends := time.Now().Add(24 * time.Hour)
		for time.Now().Before(ends) {
			w.sim.DropGateways()
			pass(time.Second)
		}
		// Discord resets the token after 1,000 a day.
		if n := w.opened(); n < 200 || n > 980 {
			t.Errorf("%d sessions were opened in a day", n)
		}
	})
}

func TestRefusedGatewayIsRetriedSlowly(t *testing.T) {
	t.Parallel()
	for code, word := range refusals {
		if code == 4004 {
			continue // See TestRejectedGatewayTokenIsRetried.
		}
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				w.sim.Fault(discordsim.Identifies, chatsim.Refuse(strconv.Itoa(code)).Times(6))
				w.sim.CloseGateways(code)
				pass(22 * time.Minute)
				var e *platform.Error
				if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Misconfigured || !strings.HasPrefix(e.Code, strconv.Itoa(code)) {
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

// probed does what the bridge does for a platform that refuses its credentials: it checks again and again, at most
// eight seconds apart.
func (w *fixture) probed() {
	ctx, stop := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ; ctx.Err() == nil; connector.Wait(ctx, nil, 8*time.Second) {
			if e, ok := errors.AsType[*platform.Error](w.c.Ready()); ok && e.Kind == platform.Misconfigured {
				_ = w.c.Check(ctx) // Ready has the result.
			}
		}
	}()
	w.t.Cleanup(func() {
		stop()
		<-ended
	})
}

// The load balancer takes an unready bridge out of service, so no requests arrive, and the bridge has to find out by
// itself.
func TestRestoredTokenIsNoticed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{ModeHTTP, ModeGateway} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, mode, nil)
				w.listen()
				w.probed()
				for _, away := range []time.Duration{time.Second, time.Minute, time.Hour} {
					pass(time.Hour)
					w.sim.Revoke()
					_, _ = w.c.Post(t.Context(), inChannel, w.card(one())) // Fails.
					before := len(w.sim.Calls())
					pass(away)
					var e *platform.Error
					if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Misconfigured {
						t.Errorf("Ready = %v with a revoked token", err)
					}
					if n, most := len(w.sim.Calls())-before, 3+int(away/(7*time.Second)); n > most {
						t.Errorf("%d calls in %v, want no more than %d", n, away, most)
					}
					w.sim.Reinstate()
					pass(15 * time.Second)
					if err := w.c.Ready(); err != nil {
						t.Errorf("after 15 seconds with a good token: %v\n%s", err, w.log)
					}
				}
			})
		})
	}
}

// The API accepts the token and the gateway does not.
func TestRejectedGatewayTokenIsRetried(t *testing.T) {
	t.Parallel()
	overGateway(t, func(t *testing.T, w *fixture) {
		w.probed()
		w.sim.Fault(discordsim.Identifies, chatsim.Refuse("4004").Times(2))
		w.sim.CloseGateways(4004)
		pass(time.Second)
		var e *platform.Error
		if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Misconfigured || e.Code != codeToken {
			t.Errorf("Ready = %v", err)
		}
		pass(14 * time.Second)
		if err := w.c.Ready(); err != nil {
			t.Errorf("after 15 seconds: %v", err)
		}
		w.sim.Fault(discordsim.Identifies, chatsim.Refuse("4004").Always())
		before := len(w.sim.Calls("get gateway bot"))
		w.sim.CloseGateways(4004)
		pass(24 * time.Hour)
		// Discord resets the token after 1,000 a day.
		if n := len(w.sim.Calls("get gateway bot")) - before; n < 200 || n > 980 {
			t.Errorf("tried %d times in a day", n)
		}
	})
}

// Presses without a connection were lost, and Discord showed them as failed.
func TestPressDuringReconnectIsReceived(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*discordsim.Server){
		"after a cut":             func(s *discordsim.Server) { s.DropGateways() },
		"when asked to reconnect": func(s *discordsim.Server) { s.Reconnect() },
		"when it may be resumed":  func(s *discordsim.Server) { s.CloseGateways(4000) },
		"after a second cut": func(s *discordsim.Server) {
			s.DropGateways()
			pass(time.Hour)
			s.Fault(discordsim.Connects, chatsim.Drop())
			s.DropGateways()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				w.sim.Fault(discordsim.Connects, chatsim.Drop())
				cut(w.sim)
				w.must(w.sim.Await(t.Context(), func() bool { return w.sim.Sessions() == 0 }))
				w.press(idDana, "SQLite")
				w.last()
				if n := len(w.acts); n != 1 {
					t.Errorf("one press arrived %d times", n)
				}
				if calls := w.sim.Calls("get gateway bot"); len(calls) != 1 {
					t.Errorf("%d sessions were begun", len(calls))
				}
			})
		})
	}
}

// After a connection that took long to open, the next session came in less than five seconds, which Discord refuses.
func TestSessionStartsAreFiveSecondsApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, func(cfg *Config) { cfg.ShardCount = 4 })
		w.sim.Fault(discordsim.Connects, chatsim.Delay(4*time.Second))
		w.run(w.c)
		pass(time.Minute)
		var last time.Time
		for _, e := range w.sim.Timeline().Events(chatsim.Connected) {
			if e.Where != "session" {
				continue
			}
			if apart := e.At.Sub(last); apart < identifySpace || !last.IsZero() && apart > identifySpace+time.Second {
				t.Errorf("two sessions began %v apart", apart)
			}
			last = e.At
		}
		if n := w.sim.Sessions(); n != 4 {
			t.Errorf("%d sessions", n)
		}
	})
}

// One message that crashes the decoder could end the program or its connection.
func TestMessagePanicIsContained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		conn, resp, err := w.sim.Dialer().DialContext(t.Context(), "ws://discord.sim/gateway/?v=10&encoding=json", nil)
		w.must(err)
		w.must(resp.Body.Close())
		ctx, stop := context.WithCancel(t.Context())
		var received []string
		s := &shard{count: 1, token: canaryToken, log: w.log.Logger(), open: func(json.RawMessage) {}}
		s.event = func(kind string, _ json.RawMessage) {
			received = append(received, kind)
			if len(received) == 1 {
				panic("a message like no other")
			}
		}
		ended := make(chan error, 1)
		go func() {
			_, err := s.carry(ctx, conn, func() {})
			ended <- err
		}()
		w.must(w.sim.Await(t.Context(), func() bool { return w.sim.Sessions() == 1 }))
		w.sim.Expect("ack.in_time")
		w.post(inChannel, one())
		for range 2 {
			_ = w.sim.Seat(idDana).Press(t.Context(), "SQLite") // No answer.
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the connection ended with %v", err)
		}
		if len(received) != 2 {
			t.Errorf("received %v", received)
		}
		if !strings.Contains(w.log.String(), "a message like no other") {
			t.Errorf("it is not in the log:\n%s", w.log)
		}
	})
}

func TestForeignInteractionsAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil)
		w.listen()
		w.c.heard("INTERACTION_CREATE", payloadFile(t, "foreign_button"))
		w.c.heard("INTERACTION_CREATE", payloadFile(t, "command"))
		w.c.heard("INTERACTION_CREATE", []byte("{"))
		synctest.Wait()
		if calls := w.sim.Calls("interaction callback"); len(calls) > 0 || len(w.acts) > 0 {
			t.Errorf("answered with %v", calls)
		}
	})
}

func TestNoSessionWithoutRemainingStarts(t *testing.T) {
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
		"no address":           {`{"shards":1}`, 400, "no gateway address"},
		"an address elsewhere": {`{"url":"https://discord.sim/gateway"}`, 400, "no gateway address"},
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
				var e *platform.Error
				if err := c.Ready(); !errors.As(err, &e) || e.Code != tc.code {
					t.Errorf("Ready = %v", err)
				}
			})
		})
	}
}
