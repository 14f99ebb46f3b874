package discord

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/platform"
)

func TestMismatchedSettingsAreReported(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mode   string
		change func(w *fixture, cfg *Config)
		code   string // "" for none
		want   string
	}{
		"another application": {
			ModeGateway, func(_ *fixture, cfg *Config) { cfg.ApplicationID = "600000000000000002" },
			codeOtherApplication, "belongs to application " + ourID,
		},
		"another key": {
			ModeHTTP, func(_ *fixture, cfg *Config) { cfg.PublicKey = someKey }, codeOtherKey, "public key is",
		},
		"an endpoint in gateway mode": {
			ModeGateway, func(w *fixture, _ *Config) { w.sim.DeliverTo("https://elsewhere.example/x", nil) },
			codeEndpointSet, "https://elsewhere.example/x",
		},
		"a reachable endpoint in gateway mode": {
			ModeGateway, func(w *fixture, cfg *Config) {
				w.sim.DeliverTo("https://elsewhere.example/x", nil)
				cfg.PublicKey = w.sim.PublicKey()
			}, "", "to the endpoint url and not over the gateway",
		},
		"no endpoint": {
			ModeHTTP, func(w *fixture, _ *Config) { w.sim.DeliverTo("", nil) }, "", "sends no interactions yet",
		},
		"nothing but the token": {ModeGateway, func(_ *fixture, cfg *Config) { cfg.ApplicationID = "" }, "", "connected to discord"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil)
				c := w.another(tc.mode, func(cfg *Config) { tc.change(w, cfg) })
				err := c.Check(t.Context())
				var e *platform.Error
				if tc.code == "" && err != nil || tc.code != "" && (!errors.As(err, &e) || e.Kind != platform.Misconfigured || e.Code != tc.code) {
					t.Errorf("Check = %v, want %q", err, tc.code)
				}
				if !strings.Contains(w.log.String(), tc.want) {
					t.Errorf("the log lacks %q:\n%s", tc.want, w.log)
				}
				if tc.code == "" && c.self.home() != (home{application: ourID, bot: "500000000000000001"}) {
					t.Errorf("we are %+v", c.self.home())
				}
			})
		})
	}
}

func TestReadyNeedsIdentity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		if err := w.c.Ready(); err == nil || !strings.Contains(err.Error(), "not listening") {
			t.Errorf("Ready = %v before Listen", err)
		}
		w.sim.Fault("get current application", chatsim.Status(503).Times(2))
		w.run(w.c)
		synctest.Wait()
		var e *platform.Error
		if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Transient {
			t.Errorf("Ready = %v while Discord is away", err)
		}
		pass(10 * time.Second)
		if err := w.c.Ready(); err != nil {
			t.Errorf("Ready = %v when it is back", err)
		}
		w.sim.Revoke()
		if err := w.c.Check(t.Context()); !errors.As(err, &e) || e.Kind != platform.Misconfigured {
			t.Errorf("Check = %v with a revoked token", err)
		}
		if err := w.c.Ready(); !errors.As(err, &e) || e.Kind != platform.Misconfigured {
			t.Errorf("Ready = %v with a revoked token", err)
		}
	})
}

func TestCheckIgnoresEarlierRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		w.listen()
		var e *platform.Error
		w.sim.Fault("get current application", chatsim.Status(401).Times(1))
		if err := w.c.Check(t.Context()); !errors.As(err, &e) || e.Kind != platform.Misconfigured {
			t.Errorf("Check = %v with a refused token", err)
		}
		if err := w.c.Check(t.Context()); err != nil {
			t.Errorf("Check = %v with a token that is good again", err)
		}
		if err := w.c.Ready(); err != nil {
			t.Errorf("Ready = %v with a token that is good again", err)
		}
	})
}

func TestListenTwiceFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, nil)
		w.listen()
		if err := w.c.Listen(t.Context(), ackIt); err == nil {
			t.Error("a second Listen was accepted")
		}
	})
}
