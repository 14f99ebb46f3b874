package slack

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/test/logbuffer"
)

const opening = "apps.connections.open"

func socketWorld(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeSocket, nil)
		w.listen()
		f(t, w)
	})
}

func (w *fixture) connections(n int) {
	w.t.Helper()
	w.must(w.sim.Await(w.t.Context(), func() bool { return len(w.sim.Timeline().Events(chatsim.Connected)) == n }))
	synctest.Wait()
}

func TestSocketReconnects(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*slacksim.Server){
		"after a cut":     func(s *slacksim.Server) { s.DropSockets() },
		"after a warning": func(s *slacksim.Server) { s.Disconnect("warning") },
		"after a refresh": func(s *slacksim.Server) { s.Disconnect("refresh_requested") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socketWorld(t, func(t *testing.T, w *fixture) {
				w.post(inChannel, one())
				time.Sleep(time.Hour)
				before := time.Now()
				cut(w.sim)
				w.connections(2)
				if gap := time.Since(before); gap > 0 {
					t.Errorf("there was no connection for %v", gap)
				}
				if err := w.c.Ready(); err != nil {
					t.Error(err)
				}
				w.press(idDana, "SQLite")
				time.Sleep(time.Hour)
				if n := len(w.sim.Calls(opening)); n != 2 {
					t.Errorf("%d connections were opened", n)
				}
			})
		})
	}
}

func TestDisconnectReasonIsLogged(t *testing.T) {
	t.Parallel()
	for reason, warns := range map[string]bool{"warning": false, "refresh_requested": false, "too_many_websockets": true, "link_disabled": true} {
		socketWorld(t, func(t *testing.T, w *fixture) {
			w.sim.Disconnect(reason)
			w.connections(2)
			told := w.log.String()
			if !strings.Contains(told, "reason="+reason) || warns != strings.Contains(told, "level=WARN") {
				t.Errorf("log for %s:\n%s", reason, told)
			}
		})
	}
}

func TestSocketReconnectBackoff(t *testing.T) {
	t.Parallel()
	socketWorld(t, func(t *testing.T, w *fixture) {
		ends := time.Now().Add(10 * time.Minute)
		for time.Now().Before(ends) {
			w.sim.DropSockets()
			time.Sleep(100 * time.Millisecond)
		}
		// Thirty seconds between two at most, jitter halves it.
		if n := len(w.sim.Calls(opening)); n < 20 || n > 55 {
			t.Errorf("%d connections were opened in ten minutes", n)
		}
	})
}

func TestRefusedTokenIsRetriedSlowly(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"invalid_auth", "account_inactive", "not_authed", "token_revoked", "missing_scope", "not_allowed_token_type"} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeSocket, nil)
				w.listen()
				w.sim.Fault(opening, chatsim.Refuse(word).Times(30))
				w.sim.DropSockets()
				time.Sleep(3 * time.Minute)
				calls := w.sim.Calls(opening)
				if n := len(calls) - 1; n < 12 || n > 20 {
					t.Errorf("%d tries in three minutes", n)
				}
				var e *platform.Error
				if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Misconfigured || e.Code != word {
					t.Errorf("Ready = %v", err)
				}
				if !strings.Contains(w.log.String(), "slack refuses socket mode") {
					t.Error("not logged")
				}
				w.sim.ClearFaults()
				time.Sleep(15 * time.Second)
				if err := w.c.Ready(); err != nil {
					t.Errorf("15 seconds after the credentials are good again: %v", err)
				}
			})
		})
	}
}

func TestTransientErrorsAreRetried(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]chatsim.Fault{
		"server error": chatsim.Status(500), "internal error": chatsim.Refuse("internal_error"), "lost reply": chatsim.LoseReply(),
		"no answer": chatsim.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socketWorld(t, func(t *testing.T, w *fixture) {
				time.Sleep(time.Hour)
				w.sim.Fault(opening, fault.Times(3))
				w.sim.DropSockets()
				time.Sleep(2 * time.Minute)
				if err := w.c.Ready(); err != nil {
					t.Errorf("Ready = %v\n%s", err, w.log)
				}
				if n := len(w.sim.Calls(opening)); n != 5 {
					t.Errorf("%d tries, want 5", n)
				}
			})
		})
	}
}

func TestSocketHonorsRetryAfter(t *testing.T) {
	t.Parallel()
	socketWorld(t, func(t *testing.T, w *fixture) {
		time.Sleep(time.Hour)
		w.sim.Fault(opening, chatsim.RateLimit(45*time.Second))
		w.sim.DropSockets()
		time.Sleep(44 * time.Second)
		if n := len(w.sim.Calls(opening)); n != 2 {
			t.Errorf("%d calls before the time is over, want 2", n)
		}
		time.Sleep(2 * time.Second)
		if err := w.c.Ready(); err != nil {
			t.Error(err)
		}
	})
}

func TestSilentConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := newSilentHost(t)
		c, err := New(Config{
			BotToken: canaryBot, AppToken: canaryApp, APIURL: "http://slack.test/api/",
			HTTPClient: host.Client(), NetDialContext: host.Dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		listening(t, c, ackIt)
		time.Sleep(2 * time.Minute)
		if host.opened.Load() < 2 {
			t.Error("the silent connection was kept")
		}
	})
}

// A block that slack-go does not understand must not cost a click.
func TestUnknownBlockDoesNotLoseClick(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := newSilentHost(t)
		host.envelope = map[string]any{
			"envelope_id": "e1", "type": "interactive", "accepts_response_payload": false,
			"payload": json.RawMessage(payloadFile(t, "checkboxes_beside_unknown_blocks")),
		}
		c, err := New(Config{
			BotToken: canaryBot, AppToken: canaryApp, APIURL: "http://slack.test/api/",
			HTTPClient: host.Client(), NetDialContext: host.Dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		acts := make(chan platform.Interaction, 1)
		listening(t, c, func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
			acts <- i
			return r.Ack(ctx)
		})
		if got := <-acts; got.Token != token(render.Pick, 1, -1) {
			t.Errorf("the act is %+v", got)
		}
		if ack := <-host.acks; ack != `{"envelope_id":"e1"}` {
			t.Errorf("the acknowledgement is %s", ack)
		}
	})
}

// breaker is a log that breaks at one of its lines, as a decoder might.
type breaker struct {
	slog.Handler
	at string
}

func (b breaker) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == b.at {
		panic("out of the decoder's depth")
	}
	return b.Handler.Handle(ctx, r)
}

func (b breaker) WithAttrs(attrs []slog.Attr) slog.Handler {
	return breaker{b.Handler.WithAttrs(attrs), b.at}
}

func TestDecoderPanicKeepsConnection(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"an act": "slack interaction ignored", "a greeting": "slack socket is open"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := &logbuffer.Buffer{}
				sim := slacksim.Start(t, &slacksim.Options{BotToken: canaryBot, AppToken: canaryApp})
				c, err := New(Config{
					BotToken: canaryBot, AppToken: canaryApp, APIURL: sim.APIURL(), Mode: ModeSocket,
					HTTPClient: sim.Client(), NetDialContext: sim.Dial, Logger: slog.New(breaker{log.Logger().Handler(), at}),
				})
				if err != nil {
					t.Fatal(err)
				}
				w := &fixture{t: t, sim: sim, c: c, log: log, script: ackIt}
				w.listen()
				foreign := slackapi.NewButtonBlockElement("not-ours", "", slackapi.NewTextBlockObject(slackapi.PlainTextType, "Elsewhere", false, false))
				api := slackapi.New(canaryBot, slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()))
				if _, _, err := api.PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("x", false),
					slackapi.MsgOptionBlocks(slackapi.NewActionBlock("b", foreign))); err != nil {
					t.Fatal(err)
				}
				if name == "an act" {
					sim.Expect("ack.in_time") // She sees a warning and may try again.
				}
				_ = sim.Seat(idDana).Press(t.Context(), "Elsewhere")
				if !strings.Contains(log.String(), "out of the decoder's depth") {
					t.Errorf("nothing broke:\n%s", log)
				}
				w.post(inChannel, one())
				w.press(idDana, "SQLite")
				if got := w.last(); got.Token.Request != rid {
					t.Errorf("the act is %+v", got)
				}
				if n := len(sim.Calls(opening)); n != 1 {
					t.Errorf("%d connections were opened, want the first to stay", n)
				}
			})
		})
	}
}

func TestDisconnectingSocketStillReceives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := newSilentHost(t)
		host.goodbye = map[string]any{
			"envelope_id": "e9", "type": "interactive", "accepts_response_payload": false, "payload": json.RawMessage(payloadFile(t, "button")),
		}
		c, err := New(Config{
			BotToken: canaryBot, AppToken: canaryApp, APIURL: "http://slack.test/api/",
			HTTPClient: host.Client(), NetDialContext: host.Dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		listening(t, c, ackIt)
		if ack := <-host.acks; ack != `{"envelope_id":"e9"}` {
			t.Errorf("the acknowledgement is %s", ack)
		}
		if n := host.opened.Load(); n < 2 {
			t.Errorf("%d connections were opened, want the next one at once", n)
		}
	})
}

func FuzzSocketMessage(f *testing.F) {
	for _, name := range []string{"button", "form", "organisation_install"} {
		f.Add([]byte(`{"type":"interactive","envelope_id":"e1","payload":` + string(payloadFile(f, name)) + `}`))
	}
	f.Add([]byte(`{"type":"hello","num_connections":1,"connection_info":{"app_id":"A0000001"}}`))
	f.Add([]byte(`{"type":["x"],"envelope_id":7,"payload":"no object"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var message frame
		if connector.ReadLoosely(raw, &message) != nil || message.Type != frameInteractive {
			return
		}
		p, err := decode(message.Payload)
		if err != nil {
			return
		}
		if i, err := p.interaction(ourHome, arrival{at: time.Unix(1712345678, 0)}, new(clock)); err == nil && (i.ID == "" || i.Person.ID == "") {
			t.Errorf("incomplete: %+v", i)
		}
	})
}

func TestOtherSocketMessagesAreAcknowledged(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"events_api", "slash_commands", "something_new"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				host := newSilentHost(t)
				host.envelope = map[string]any{"envelope_id": "e7", "type": kind, "payload": []int{1}}
				c, err := New(Config{
					BotToken: canaryBot, AppToken: canaryApp, APIURL: "http://slack.test/api/",
					HTTPClient: host.Client(), NetDialContext: host.Dial,
				})
				if err != nil {
					t.Fatal(err)
				}
				listening(t, c, ackIt)
				if ack := <-host.acks; ack != `{"envelope_id":"e7"}` {
					t.Errorf("the acknowledgement is %s", ack)
				}
			})
		})
	}
}

// silentHost opens sockets, sends one envelope and then goes silent, without even a ping.
type silentHost struct {
	*chatsim.Host

	opened   atomic.Int64
	envelope any
	goodbye  any // sent over the first connection two seconds after the disconnect message
	acks     chan string
}

func newSilentHost(t *testing.T) *silentHost {
	t.Helper()
	h := &silentHost{acks: make(chan string, 10)}
	h.Host = chatsim.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/auth.test":
			_, _ = w.Write([]byte(whoami))
		case "/api/" + opening:
			h.opened.Add(1)
			_, _ = w.Write([]byte(`{"ok":true,"url":"ws://slack.test/link"}`))
		case "/link":
			up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
			conn, err := up.Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			_ = conn.WriteJSON(map[string]any{"type": "hello", "connection_info": map[string]any{"app_id": "A0000001"}})
			if h.envelope != nil {
				_ = conn.WriteJSON(h.envelope)
			}
			if h.goodbye != nil && h.opened.Load() == 1 {
				_ = conn.WriteJSON(map[string]any{"type": "disconnect", "reason": "warning"})
				time.Sleep(2 * time.Second)
				_ = conn.WriteJSON(h.goodbye)
			}
			for {
				_, raw, err := conn.ReadMessage()
				if err != nil {
					return
				}
				h.acks <- string(raw)
			}
		}
	}))
	t.Cleanup(func() { _ = h.Close() })
	return h
}
