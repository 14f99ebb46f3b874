package bridge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestTurnsOnCall(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	weekly := bridge.Turns{Members: []string{"ana", "ben", "cy"}, From: time.Date(2026, 3, 23, 9, 0, 0, 0, berlin), Days: 7}
	for at, want := range map[string]string{
		"2026-03-23T08:59:59+01:00": "",
		"2026-03-23T09:00:00+01:00": "ana",
		"2026-03-30T08:59:59+02:00": "ana", // Daylight saving time began the night before.
		"2026-03-30T09:00:00+02:00": "ben",
		"2026-04-06T09:00:00+02:00": "cy",
		"2026-04-13T08:00:00+02:00": "cy",
		"2026-04-13T09:00:00+02:00": "ana",
		"2026-10-26T08:59:00+01:00": "ana", // And ended.
		"2026-10-26T09:00:00+01:00": "ben",
		"2036-03-24T09:00:00+01:00": "ana",
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := weekly.OnCall(moment.UTC()); err != nil || strings.Join(got, ",") != want {
			t.Errorf("at %s %q is on call, %v, want %q", at, got, err, want)
		}
	}
	if got, err := (bridge.Turns{Members: []string{"ana"}}).OnCall(time.Now()); got != nil || err != nil {
		t.Errorf("turns of no days: %q, %v", got, err)
	}
}

func TestTurnsWhenClocksAreSetBack(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	nightly := bridge.Turns{Members: []string{"ana", "ben"}, From: time.Date(2026, 10, 24, 2, 30, 0, 0, berlin), Days: 1}
	for _, tt := range []struct{ at, want string }{
		{"2026-10-25T02:29:59+02:00", "ana"},
		{"2026-10-25T02:30:00+02:00", "ben"},
		{"2026-10-25T02:00:00+01:00", "ben"}, // The same hour again.
		{"2026-10-25T02:45:00+01:00", "ben"},
		{"2026-10-26T02:29:59+01:00", "ben"},
		{"2026-10-26T02:30:00+01:00", "ana"},
	} {
		moment, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := nightly.OnCall(moment.UTC()); err != nil || strings.Join(got, ",") != tt.want {
			t.Errorf("at %s %q is on call, %v, want %q", tt.at, got, err, tt.want)
		}
	}
	first := bridge.Turns{Members: []string{"ana", "ben"}, From: time.Date(2026, 10, 25, 0, 45, 0, 0, time.UTC).In(berlin), Days: 1}
	if got, err := first.OnCall(first.From.Add(30 * time.Minute)); err != nil || strings.Join(got, ",") != "ana" {
		t.Errorf("in a first turn that begins before clocks are set back %q is on call, %v", got, err)
	}
}

// shifts changes at noon; the rota "night" is empty.
func shifts() bridge.Options {
	noon := time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)
	return bridge.Options{
		Responders: []string{"slack:U9"},
		People:     map[string][]string{"ana": {"slack:U1"}},
		Rotas: map[string]bridge.Rota{
			"payments": bridge.Turns{Members: []string{"slack:U2", "ana"}, From: noon.Add(-24 * time.Hour), Days: 1},
			"night":    bridge.Turns{Members: []string{"slack:U3"}, From: noon.AddDate(1, 0, 0), Days: 1},
		},
		Routes: map[string]bridge.Route{
			"free":  {To: []ask.Place{{Platform: "slack", Channel: "C1"}}},
			"floor": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Responders: []string{"oncall:payments"}}},
			"some":  {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Responders: []string{"slack:U1", "slack:U7"}}},
		},
	}
}

func TestRotaIsResolvedWhenItApplies(t *testing.T) {
	t.Parallel()
	step := func(do ask.StepKind, who ...string) ask.Schedule {
		s := ask.Step{After: 13 * time.Hour, Do: do}
		if do == ask.Add {
			s.Responders = who
		}
		return ask.Schedule{Steps: []ask.Step{s}}
	}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		first  string // who may answer at once
		then   string // after the step at one o'clock
		added  string // by the step
	}{
		"responders are those of the moment when it is made": {func(r *ask.Request) { r.Responders = []string{"oncall:payments"} }, "slack:U2", "slack:U2", ""},
		"a route's too":             {func(r *ask.Request) { r.Route = "floor" }, "slack:U2", "slack:U2", ""},
		"with others":               {func(r *ask.Request) { r.Responders = []string{"slack:U9", "oncall:payments", "oncall:night"} }, "slack:U9,slack:U2", "slack:U9,slack:U2", ""},
		"a step's are those of its": {func(r *ask.Request) { r.Schedule = step(ask.Add, "oncall:payments") }, "slack:U9", "slack:U9,slack:U1", "slack:U1"},
		"a step stays within the route": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "some", []string{"slack:U7"}, step(ask.Add, "oncall:payments")
		}, "slack:U7", "slack:U1,slack:U7 and slack:U7,slack:U1", "slack:U1"},
		"the step finds an empty rota": {func(r *ask.Request) { r.Schedule = step(ask.Add, "oncall:night") }, "slack:U9", "slack:U9,oncall:night", "oncall:night"},
		"a reminder uses the current shift": {func(r *ask.Request) {
			r.Notify, r.Schedule = []string{"oncall:payments"}, step(ask.Remind)
		}, "slack:U9", "slack:U9", "slack:U1"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				opts := shifts()
				defer w.begin(&opts)()
				req := database()
				req.To, req.Route = nil, "free"
				tt.change(&req)
				s, err := w.Submit(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Record.Policy.String(); got != tt.first {
					t.Errorf("at first %s may answer, want %s", got, tt.first)
				}
				if a := s.Record.Audience; a != nil && !slices.Equal(a.Who, []string{"slack:U2"}) {
					t.Errorf("%q notified at first", a.Who)
				}
				time.Sleep(13*time.Hour + time.Minute)
				synctest.Wait()
				got := w.load(s.Record.ID)
				if got.Policy.String() != tt.then {
					t.Errorf("then %s may answer, want %s", got.Policy, tt.then)
				}
				if sch := got.Schedule; sch != nil && strings.Join(sch.Steps[0].Who, ",") != tt.added {
					t.Errorf("the step adds %q, want %s", sch.Steps[0].Who, tt.added)
				}
			})
		})
	}
}

func TestUnknownRotaRejected(t *testing.T) {
	opts := shifts()
	inFixture(t, &opts, func(t *testing.T, w *fixture) {
		for want, change := range map[string]func(*ask.Request){
			`responders[0]: "oncall:lunch": there is no rota of that name; known: night, payments`: func(r *ask.Request) { r.Responders = []string{"oncall:lunch"} },
			"responders: no one is on call now: oncall:night":                                      func(r *ask.Request) { r.Responders = []string{"oncall:night"} },
			`notify[0]: "oncall:lunch": there is no rota`:                                          func(r *ask.Request) { r.Notify = []string{"oncall:lunch"} },
			"responders: no one is on call now: oncall:night ":                                     func(r *ask.Request) { r.Token.Responders = []string{"oncall:night"} },
		} {
			if _, err := w.Submit(t.Context(), database(change)); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
	opts = shifts()
	opts.Rotas = map[string]bridge.Rota{"odd": bridge.Turns{Members: []string{"nobody", "teams:U1", "oncall:odd", "slack-group:S1"}}, "empty": bridge.Turns{}}
	_, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, &opts)
	for _, want := range []string{"rotas.empty: has no members", `rotas.odd.members[0]: "nobody" is neither`, `rotas.odd.members[1]: "teams:U1": there is no platform`, `rotas.odd.members[2]: "oncall:odd" is neither`, `rotas.odd.members[3]: "slack-group:S1" is neither`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// unread is a rota whose calendar cannot be read.
type unread struct{}

func (unread) OnCall(time.Time) ([]string, error) {
	return nil, errors.New(`calendar lunch not read: event "Dana on call": zone "Atlantis" is not known`)
}

func (unread) Everybody() []string { return []string{"slack:U5"} }

func TestUnreadableRotaErrorHasReason(t *testing.T) {
	opts := shifts()
	opts.Rotas["lunch"] = unread{}
	inFixture(t, &opts, func(t *testing.T, w *fixture) {
		for want, who := range map[string][]string{
			`responders: calendar lunch not read: event "Dana on call": zone "Atlantis" is not known`: {"oncall:lunch"},
			`is not known; no one is on call now: oncall:night`:                                       {"oncall:night", "oncall:lunch"},
		} {
			_, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Responders = who }))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "on call now: oncall:lunch") {
				t.Errorf("%v, want %s", err, want)
			}
		}
		s, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Responders = []string{"slack:U9", "oncall:lunch"} }))
		if err != nil || s.Record.Policy.String() != "slack:U9" {
			t.Errorf("with another person: %v", err)
		}
	})
}
