package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestPeopleAddedBySteps(t *testing.T) {
	t.Parallel()
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	adding := func(who ...string) ask.Schedule {
		return ask.Schedule{Steps: []ask.Step{{After: time.Hour, Do: ask.Add, Responders: who}}}
	}
	opts := bridge.Options{
		Responders: []string{"slack:U9"},
		Routes: map[string]bridge.Route{
			"free":  {To: to},
			"three": {To: to, Terms: ask.Terms{Responders: []string{"slack:U1", "slack:U2", "slack:U3"}}},
			"calls": {To: to, Terms: ask.Terms{Responders: []string{"slack:U1"}, Schedule: adding("slack:U4")}},
		},
	}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   string // who may answer after the step
		added  string
	}{
		"added to the named": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "free", []string{"slack:U1"}, adding("slack:U2")
		}, "slack:U1,slack:U2", "slack:U2"},
		"added to the default": {func(r *ask.Request) { r.Route, r.Schedule = "free", adding("slack:U2") }, "slack:U9,slack:U2", "slack:U2"},
		"allowed by the route": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "three", []string{"slack:U1"}, adding("slack:U2")
		}, "slack:U1,slack:U2", "slack:U2"},
		"only those of the route": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "three", []string{"slack:U1"}, adding("slack:U7")
		}, "slack:U1", "slack:U7"},
		"only those of the token": {func(r *ask.Request) {
			r.Route, r.Token.Responders, r.Responders, r.Schedule = "free", []string{"slack:U1", "slack:U2"}, []string{"slack:U1"}, adding("slack:U7")
		}, "slack:U1", "slack:U7"},
		"added by the route":                 {func(r *ask.Request) { r.Route = "calls" }, "slack:U1,slack:U4", "slack:U4"},
		"added by the route to named people": {func(r *ask.Request) { r.Route, r.Responders = "calls", []string{"slack:U1"} }, "slack:U1,slack:U4", "slack:U4"},
		"deadline before the route's step":   {func(r *ask.Request) { r.Route, r.ExpiresIn = "calls", 30*time.Minute }, "", ""},
		"added by the token": {func(r *ask.Request) {
			r.Route, r.Token.Responders, r.Token.Schedule = "free", []string{"slack:U1"}, adding("slack:U4")
		}, "slack:U1,slack:U4", "slack:U4"},
		"added by the token, allowed by the route": {func(r *ask.Request) {
			r.Route, r.Token.Responders, r.Token.Schedule = "three", []string{"slack:U1"}, adding("slack:U2")
		}, "slack:U1,slack:U2", "slack:U2"},
		"added by the token, refused by the route": {func(r *ask.Request) {
			r.Route, r.Token.Responders, r.Token.Schedule = "three", []string{"slack:U1"}, adding("slack:U7")
		}, "slack:U1", "slack:U7"},
		"added by the route, refused by the token": {func(r *ask.Request) {
			r.Route, r.Token.Responders = "calls", []string{"slack:U1"}
		}, "slack:U1", "slack:U4"},
		"a route's schedule counts before the token's": {func(r *ask.Request) { r.Route, r.Token.Schedule = "calls", adding("slack:U7") }, "slack:U1,slack:U4", "slack:U4"},
		"deadline before the token's step": {func(r *ask.Request) {
			r.Route, r.ExpiresIn, r.Token.Schedule = "free", 30*time.Minute, adding("slack:U4")
		}, "", ""},
		"a request's own schedule counts": {func(r *ask.Request) { r.Route, r.Schedule = "calls", adding("slack:U7") }, "slack:U1", "slack:U7"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(&opts)()
				req := database()
				req.To = nil
				tt.change(&req)
				s, err := w.Submit(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if tt.want == "" {
					if s.Record.Schedule != nil {
						t.Errorf("there are steps: %+v", s.Record.Schedule)
					}
					return
				}
				if got := s.Record.Schedule.Steps[0].Who; !slices.Equal(got, []string{tt.added}) {
					t.Errorf("%q added, want %s", got, tt.added)
				}
				time.Sleep(61 * time.Minute)
				synctest.Wait()
				if got := w.load(s.Record.ID); got.Policy.String() != tt.want || got.Schedule.Done != 1 {
					t.Errorf("after %d steps %s may answer, want %s", got.Schedule.Done, got.Policy, tt.want)
				}
			})
		})
	}
}

func TestUnboundTokenPassesWithinRoute(t *testing.T) {
	opts := bridge.Options{Routes: map[string]bridge.Route{
		"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Responders: []string{"slack:U1", "slack:U2"}, Schedule: ask.Schedule{PassOn: true}}},
	}}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   string
	}{
		"the route's people, where the token is bound":     {func(r *ask.Request) { r.Responders = []string{"slack:U1"} }, "anyone and slack:U1,slack:U2"},
		"those of both, where the token has people":        {func(r *ask.Request) { r.Token.Responders = []string{"slack:U2", "slack:U3"} }, "anyone and slack:U2"},
		"the route's people, where the request names none": {func(r *ask.Request) { r.Unbound = true }, "anyone and slack:U1,slack:U2"},
		"the token's too, where the request names none":    {func(r *ask.Request) { r.Unbound, r.Token.Responders = true, []string{"slack:U2"} }, "anyone and slack:U2"},
		"anybody, where the request may name them":         {func(r *ask.Request) { r.Unbound, r.Responders = true, []string{"slack:U9"} }, "anyone"},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, &opts, func(t *testing.T, w *fixture) {
				r := w.submit(database(func(r *ask.Request) { r.To, r.Route = nil, "deploys" }, tt.change))
				if got := r.Schedule.PassTo.String(); got != tt.want {
					t.Errorf("it can be passed on to %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestStepsWaitForWorkingHours(t *testing.T) {
	office := ask.Hours{Zone: "Europe/Berlin", Days: "mon-fri", From: "09:00", To: "18:00"}
	twice := ask.Schedule{Steps: []ask.Step{{After: time.Hour, Do: ask.Remind}, {After: 2 * time.Hour, Do: ask.Remind}}, Hours: office}
	opts := bridge.Options{Routes: map[string]bridge.Route{"office": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Schedule: twice}}}}
	inFixture(t, &opts, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.To, r.Route, r.ExpiresIn = nil, "office", 100*time.Hour }))
		monday := time.Date(2000, 1, 3, 8, 0, 0, 0, time.UTC) // The request is from a Saturday.
		if !r.Due.Equal(monday) {
			t.Errorf("it is due at %s, want %s", r.Due, monday)
		}
		time.Sleep(time.Until(monday) + time.Second)
		synctest.Wait()
		if got := w.load(r.ID); got.Schedule.Done != 2 {
			t.Errorf("when people come %d steps have happened, want 2", got.Schedule.Done)
		}
		short := w.submit(database(func(r *ask.Request) {
			r.To, r.Route, r.ExpiresIn, r.Key = nil, "office", time.Minute, "short"
		}))
		if short.Schedule != nil {
			t.Errorf("a request that is shorter than its route's steps has %+v", short.Schedule)
		}
	})
}

func TestAdviceWhenWorkingHoursSkipSteps(t *testing.T) {
	office := ask.Hours{Zone: "Europe/Berlin", Days: "mon-fri", From: "09:00", To: "18:00"}
	plan := func(hours ask.Hours, after ...time.Duration) ask.Schedule {
		s := ask.Schedule{Hours: hours, ClaimFor: time.Hour}
		for _, span := range after {
			s.Steps = append(s.Steps, ask.Step{After: span, Do: ask.Remind})
		}
		return s
	}
	const none = "no reminder or escalation happens: the working hours move the first step to 2000-01-03T09:00:00+01:00, and the deadline is 2000-01-01T10:00:00Z"
	opts := bridge.Options{Routes: map[string]bridge.Route{
		"office": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, ExpiresIn: 10 * time.Hour, Terms: ask.Terms{Schedule: plan(office, time.Hour, 12*time.Hour)}},
		"any":    {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, ExpiresIn: 10 * time.Hour},
	}}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   string
	}{
		"by the hours of its own":      {func(r *ask.Request) { r.Route, r.Schedule = "any", plan(office, time.Hour, 2*time.Hour) }, none},
		"by the hours of its route":    {func(r *ask.Request) { r.Route = "office" }, none},
		"by the hours of its token":    {func(r *ask.Request) { r.Route, r.Token.Schedule = "any", plan(office, time.Hour) }, none},
		"not if the deadline is later": {func(r *ask.Request) { r.Route, r.ExpiresIn = "office", 100*time.Hour }, ""},
		"not without a deadline":       {func(r *ask.Request) { r.Route, r.ExpiresIn = "office", ask.Never }, ""},
		"not around the clock":         {func(r *ask.Request) { r.Route, r.Schedule = "any", plan(ask.Hours{}, time.Hour) }, ""},
		"not if one step is left": {func(r *ask.Request) {
			r.Route, r.Schedule = "any", plan(ask.Hours{Zone: "UTC", From: "22:00", To: "02:00"}, time.Hour, 8*time.Hour)
		}, ""},
		"not where the route is too short": {func(r *ask.Request) { r.Route, r.ExpiresIn = "office", time.Minute }, ""},
		"no step requested":                {func(r *ask.Request) { r.Route = "any" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, &opts, func(t *testing.T, w *fixture) {
				req := database(func(r *ask.Request) { r.To = nil }, tt.change)
				for _, when := range []string{"when it is made", "when it is repeated"} {
					s, err := w.Submit(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					var got string
					for _, a := range s.Advice {
						got += a.Path + ": " + a.Detail
					}
					want := tt.want
					if want != "" {
						want = "schedule.hours: " + want
					}
					if got != want {
						t.Errorf("%s its advice is %q, want %q", when, got, want)
					}
				}
			})
		})
	}
}

// forgetful is a platform that reminds people but cannot report afterwards whether it did.
type forgetful struct {
	*bridgetest.Script

	reminded []time.Time
}

func (f *forgetful) Remind(context.Context, ask.Place, platform.MessageRef, render.Card, int) (platform.MessageRef, error) {
	f.reminded = append(f.reminded, time.Now())
	return platform.MessageRef{}, nil
}

func (*forgetful) Reminded(context.Context, ask.Place, platform.MessageRef, int, time.Time) (platform.MessageRef, error) {
	return platform.MessageRef{}, errors.New("result unknown")
}

func TestReminderWaitsForDelayedCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		chat := &forgetful{Script: w.chat}
		stop := w.begin(nil, chat)
		defer stop()
		began := time.Now()
		r := w.submit(database(func(r *ask.Request) {
			r.Responders, r.Voting = []string{"slack:U1", "slack:U2"}, quorum(2)
			r.Schedule.Steps = []ask.Step{{After: time.Minute, Do: ask.Remind}}
		}))
		time.Sleep(50 * time.Second)
		busy := &platform.Error{Platform: "slack", Op: "chat.update", Kind: platform.RateLimited, RetryAfter: 30 * time.Second, Code: "ratelimited"}
		w.chat.On("update", bridgetest.Cue{Err: busy})
		if reply := chat.Act(t.Context(), choose(r, "U1", 0)); reply.Err != nil {
			t.Fatal(reply.Err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(chat.reminded) != 1 || chat.reminded[0].Sub(began) != 80*time.Second {
			t.Errorf("they are reminded at %v, and the platform takes calls again at %v", chat.reminded, began.Add(80*time.Second))
		}
	})
}
