package doctor_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/test/doctortest"
)

func TestListenAddress(t *testing.T) {
	t.Parallel()
	mute, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	go func() {
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	other := (&doctortest.Front{Handler: http.NotFoundHandler()}).Serve(t)
	running := func(ready int, body string) string {
		mux := http.NewServeMux()
		mux.HandleFunc("/livez", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(ready)
			_, _ = w.Write([]byte(body))
		})
		return (&doctortest.Front{Handler: mux}).Serve(t)
	}
	for name, tc := range map[string]struct {
		listen string
		held   bool // The store is open.
		state  doctor.State
		text   string
	}{
		"free":                   {"127.0.0.1:0", false, doctor.OK, "is free"},
		"askbridge runs":         {running(200, `{"status":"ok"}`), true, doctor.OK, "runs on"},
		"askbridge is not ready": {running(503, `{"status":"unready","parts":[{"part":"slack"}]}`), true, doctor.Broken, `"part":"slack"`},
		"another program":        {other, true, doctor.Broken, "another program uses"},
		"a mute program":         {mute.Addr().String(), false, doctor.Broken, "another program uses"},
		"another machine":        {"192.0.2.1:8080", false, doctor.Broken, "is not an address of this machine"},
		"nonsense":               {"127.0.0.1:99999", false, doctor.Broken, "cannot listen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := doctortest.Calm(t)
			cfg.Listen = strings.TrimPrefix(tc.listen, "http://")
			if tc.held {
				hold(t, cfg)
			}
			doctortest.Finds(t, doctortest.Examine(t, cfg), "listen", tc.state, tc.text)
		})
	}
}

func TestDeadInstallationsAreReported(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":"ok","parts":[{"part":"slack","detail":"1 of 40 installations have a dead token"}]}`))
	})
	cfg := doctortest.Calm(t)
	cfg.Listen = strings.TrimPrefix((&doctortest.Front{Handler: mux}).Serve(t), "http://")
	hold(t, cfg)
	doctortest.Finds(t, doctortest.Examine(t, cfg), "slack/installations", doctor.Warn, "1 of 40")
}

// hold opens the store of a configuration, like a running bridge.
func hold(t *testing.T, cfg *config.Config) {
	t.Helper()
	s, err := file.Open(cfg.Store.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
}

// Doctor once found nothing when a simulator used the address and serve could not start.
func TestSimulatorOnListenAddress(t *testing.T) {
	t.Parallel()
	simulator := (&doctortest.Front{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}).Serve(t)
	for name, made := range map[string]bool{"a new store": false, "a store that is not open": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := doctortest.Calm(t)
			cfg.Listen = strings.TrimPrefix(simulator, "http://")
			if made {
				s, err := file.Open(cfg.Store.Path, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.Close()
			}
			doctortest.Finds(t, doctortest.Examine(t, cfg), "listen", doctor.Broken, "another askbridge (the simulator?) has "+cfg.Listen)
		})
	}
}

func TestWildcardAddressIsProbedOnLoopback(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = ln
	s.Start()
	defer s.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	for _, listen := range []string{":" + port, "0.0.0.0:" + port} {
		cfg := doctortest.Calm(t)
		cfg.Listen = listen
		doctortest.Finds(t, doctortest.Examine(t, cfg), "listen", doctor.Broken, "another program uses "+listen)
	}
}

func TestNoAgentsFinding(t *testing.T) {
	t.Parallel()
	cfg := doctortest.Calm(t)
	cfg.Agents = nil
	doctortest.Finds(t, doctortest.Examine(t, cfg), "agents", doctor.Note, "everyone on this machine")
	cfg.RequireTokens = true
	doctortest.Finds(t, doctortest.Examine(t, cfg), "agents", doctor.OK, "all calls need a token")
}

func TestConfigErrorsAreFindings(t *testing.T) {
	t.Parallel()
	check := func() error { return errors.New("a.yaml:1:1: listen: is odd\na.yaml:2:1: log: too") }
	r := doctor.Examine(t.Context(), doctortest.Calm(t), &doctor.Options{Check: check})
	if n := r.Count(doctor.Broken); n != 2 {
		t.Errorf("%d findings, want one for each mistake: %+v", n, r.Findings)
	}
	doctortest.Finds(t, r, "settings", doctor.Broken, "a.yaml:2:1: log: too")
	r = doctor.Examine(t.Context(), doctortest.Calm(t), &doctor.Options{Check: func() error { return nil }})
	doctortest.Finds(t, r, "settings", doctor.OK, "")
}

func TestRouteWithoutReminder(t *testing.T) {
	t.Parallel()
	cfg := doctortest.Calm(t)
	cfg.Routes = map[string]config.Route{"deploys": {Terms: config.Terms{Schedule: config.Schedule{
		Steps: []config.Step{{After: config.Span(time.Hour), Do: "remind"}}, Hours: config.Hours{Zone: "UTC", Days: "mon-fri", From: "09:00", To: "17:00"},
	}}}}
	r := doctor.Examine(t.Context(), cfg, &doctor.Options{Check: func() error { return nil }})
	doctortest.Finds(t, r, "settings", doctor.Warn, "routes.deploys.schedule.hours: requests made from Friday 16:00 to Sunday 09:00 (UTC)")
}

// Doctor once found nothing when serve could not listen on these addresses.
func TestCallbackAndMetricsAddresses(t *testing.T) {
	t.Parallel()
	taken := strings.TrimPrefix((&doctortest.Front{Handler: http.NotFoundHandler()}).Serve(t), "http://")
	askbridge := strings.TrimPrefix((&doctortest.Front{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}).Serve(t), "http://")
	for name, tc := range map[string]struct {
		listen, own string
		state       doctor.State
		text        string
	}{
		"free":                       {"127.0.0.1:0", "127.0.0.1:0", doctor.OK, "is free"},
		"another program uses it":    {"127.0.0.1:0", taken, doctor.Broken, "another program uses"},
		"askbridge runs and has it":  {askbridge, taken, doctor.OK, "by the running askbridge"},
		"an address somewhere else":  {"127.0.0.1:0", "192.0.2.1:8081", doctor.Broken, "is not an address of this machine"},
		"no address at all, or half": {"127.0.0.1:0", "127.0.0.1:99999", doctor.Broken, "cannot listen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := doctortest.Calm(t)
			cfg.Listen, cfg.Callbacks.Listen = tc.listen, tc.own
			hold(t, cfg)
			doctortest.Finds(t, doctortest.Examine(t, cfg), "callbacks", tc.state, tc.text)
			cfg.Callbacks.Listen, cfg.Metrics.Listen = "", tc.own
			doctortest.Finds(t, doctortest.Examine(t, cfg), "metrics", tc.state, tc.text)
		})
	}
}
