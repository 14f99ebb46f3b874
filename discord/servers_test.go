package discord

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

const (
	ours   = "100000000000000001"
	theirs = "100000000000000002"
)

// serving lists the only servers.
func serving(ids ...string) func(*Config) { return func(cfg *Config) { cfg.Servers = ids } }

func TestOnlyListedServersAreServed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{ModeHTTP, ModeGateway} {
		for name, tc := range map[string]struct {
			listed []string
			served bool
		}{
			"none":         {nil, true},
			"this one":     {[]string{theirs, ours}, true},
			"another only": {[]string{theirs}, false},
		} {
			t.Run(mode+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newFixture(t, mode, nil, serving(tc.listed...))
					w.listen()
					_, err := w.c.Post(t.Context(), inChannel, w.card(one()))
					e, refused := errors.AsType[*platform.Error](err)
					if refused == tc.served || refused && (e.Kind != platform.Unreachable || e.Code != codeUnlisted) {
						t.Errorf("Post = %v", err)
					}
					if _, err := w.c.Post(t.Context(), ask.Place{Platform: Name, User: idDana}, w.card(one())); err != nil {
						t.Errorf("a direct message: %v", err)
					}
					w.must(w.sim.Seat(idDana).Press(t.Context(), "SQLite"))
					w.last()
				})
			})
		}
	}
}

func TestActsFromOtherServersAreIgnored(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		listed  []string
		to      ask.Place
		server  string // in the payload
		counted bool
	}{
		"the card's server":                       {nil, inChannel, ours, true},
		"the card's server, which is listed":      {[]string{ours}, inChannel, ours, true},
		"another server":                          {nil, inChannel, theirs, false},
		"another server, which is listed":         {[]string{ours, theirs}, inChannel, theirs, false},
		"no server":                               {nil, inChannel, "", false},
		"a direct message":                        {nil, ask.Place{Platform: Name, User: idDana}, "", true},
		"a direct message that names a server":    {nil, ask.Place{Platform: Name, User: idDana}, ours, false},
		"the card's server, which is not listed":  {[]string{theirs}, ask.Place{Platform: Name, User: idDana}, ours, false},
		"a direct message, with a server's roles": {[]string{ours}, ask.Place{Platform: Name, User: idDana}, ours, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeGateway, nil, serving(tc.listed...))
				w.listen()
				ref := w.post(tc.to, one())
				if link := w.c.Permalink(t.Context(), ask.Place{Platform: Name, Channel: ref.Channel}, ref); link == "" {
					t.Fatal("the channel's server is unknown")
				}
				var payload map[string]any
				if err := json.Unmarshal(payloadFile(t, "button"), &payload); err != nil {
					t.Fatal(err)
				}
				payload["channel_id"], payload["guild_id"] = ref.Channel, tc.server
				payload["message"].(map[string]any)["channel_id"] = ref.Channel
				raw, err := json.Marshal(payload)
				if err != nil {
					t.Fatal(err)
				}
				w.c.heard("INTERACTION_CREATE", raw)
				synctest.Wait()
				if counted := len(w.acts) == 1; counted != tc.counted {
					t.Errorf("counted: %t, want %t\n%s", counted, tc.counted, w.log)
				}
			})
		})
	}
}

func TestMessagesFromOtherServersAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeGateway, nil, serving(theirs), func(cfg *Config) { cfg.Messages = true })
		w.listen()
		for _, server := range []string{ours, theirs} {
			raw := `{"id":"700000000000000001","channel_id":"` + deploys + `","guild_id":"` + server + `","type":0,"content":"<@` + w.c.self.home().bot + `> yes",` +
				`"author":{"id":"` + idDana + `"},"mentions":[{"id":"` + w.c.self.home().bot + `"}]}`
			w.c.heard(eventCreated, json.RawMessage(raw))
			w.c.heard(eventPurged, json.RawMessage(`{"ids":["700000000000000001"],"channel_id":"`+deploys+`","guild_id":"`+server+`"}`))
			synctest.Wait()
			if want := map[string]int{ours: 0, theirs: 2}[server]; len(w.acts) != want {
				t.Errorf("%d acts in %s, want %d", len(w.acts), server, want)
			}
		}
	})
}

func TestServersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t, ModeGateway, nil, serving(ours), func(cfg *Config) { cfg.ShardCount = shards })
			w.sim.Join(theirs, "Globex")
			w.run(w.c)
			pass(2 * identifySpace)
			synctest.Wait()
			logs := func(line string, want int) {
				t.Helper()
				synctest.Wait()
				if n := strings.Count(w.log.String(), line); n != want {
					t.Errorf("%q is in the log %d times, want %d\n%s", line, n, want, w.log)
				}
			}
			logs(`msg="discord server is not listed, ignored" platform=discord server=`+theirs, 1)
			logs(`msg="bot joined a discord server"`, 0)
			w.sim.Outage(ours)
			logs(`msg="discord server is unavailable" platform=discord server=`+ours, 1)
			w.sim.Recover(ours)
			w.post(inChannel, one()) // An outage is not a removal.
			w.sim.Join("100000000000000003", "Initech")
			logs(`msg="bot joined a discord server" platform=discord server=100000000000000003 name=Initech listed=false`, 1)
			w.sim.Leave(ours)
			logs(`msg="bot was removed from a discord server" platform=discord server=`+ours+` listed=true`, 1)
			_, err := w.c.Post(t.Context(), inChannel, w.card(one()))
			if e, ok := errors.AsType[*platform.Error](err); !ok || e.Kind != platform.Unreachable {
				t.Errorf("Post = %v after the removal", err)
			}
			w.sim.Join(ours, "")
			logs(`msg="bot joined a discord server"`, 2)
			w.post(inChannel, one())
			w.c.heard(eventServer, json.RawMessage(`{"id":"none"}`))
			logs(`msg="unreadable discord server"`, 1)
		})
	}
}

// A bot that was removed while the bridge was down had never left for it.
func TestServerLeftWhileDisconnected(t *testing.T) {
	t.Parallel()
	s := newServers([]string{ours, theirs}, 1, slog.New(slog.DiscardHandler))
	s.begun(0, []string{ours, theirs})
	s.begun(0, []string{ours})
	if _, known := s.known[theirs]; known || len(s.known) != 1 || !slices.Equal(s.gone(), []string{theirs}) {
		t.Errorf("servers %v, want only %s", s.known, ours)
	}
}

// Guild events of a large bot cost traffic and memory.
func TestServerEventsOnlyWithList(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  Config
		want int
	}{
		"as before":            {Config{}, 0},
		"messages":             {Config{Messages: true}, 1<<9 | 1<<12},
		"servers":              {Config{Servers: []string{ours}}, 1},
		"servers and messages": {Config{Servers: []string{ours}, Messages: true}, 1 | 1<<9 | 1<<12},
	} {
		if got := tc.cfg.intents(); got != tc.want {
			t.Errorf("%s: intents %d, want %d", name, got, tc.want)
		}
	}
}
