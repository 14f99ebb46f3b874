package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestWhomStepsAdd(t *testing.T) {
	t.Parallel()
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	adding := func(who ...string) ask.Schedule {
		return ask.Schedule{Steps: []ask.Step{{After: time.Hour, Do: ask.Add, Responders: who}}}
	}
	opts := bridge.Options{
		Responders: []string{"slack:U9"},
		Routes: map[string]bridge.Route{
			"free":  {To: to},
			"three": {To: to, Responders: []string{"slack:U1", "slack:U2", "slack:U3"}},
			"calls": {To: to, Responders: []string{"slack:U1"}, Schedule: adding("slack:U4")},
		},
	}
	for name, tt := range map[string]struct {
		change func(*ask.Request)
		want   string // who may answer after the step
		hears  string
	}{
		"somebody beside those whom it names": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "free", []string{"slack:U1"}, adding("slack:U2")
		}, "slack:U1,slack:U2", "slack:U2"},
		"somebody beside those by default": {func(r *ask.Request) { r.Route, r.Schedule = "free", adding("slack:U2") }, "slack:U9,slack:U2", "slack:U2"},
		"somebody whom the route lets answer": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "three", []string{"slack:U1"}, adding("slack:U2")
		}, "slack:U1,slack:U2", "slack:U2"},
		"nobody else than the route does": {func(r *ask.Request) {
			r.Route, r.Responders, r.Schedule = "three", []string{"slack:U1"}, adding("slack:U7")
		}, "slack:U1", "slack:U7"},
		"nobody else than the token does": {func(r *ask.Request) {
			r.Route, r.Floor, r.Responders, r.Schedule = "free", []string{"slack:U1", "slack:U2"}, []string{"slack:U1"}, adding("slack:U7")
		}, "slack:U1", "slack:U7"},
		"whom the route adds itself":          {func(r *ask.Request) { r.Route = "calls" }, "slack:U1,slack:U4", "slack:U4"},
		"whom the route adds, to whom it was": {func(r *ask.Request) { r.Route, r.Responders = "calls", []string{"slack:U1"} }, "slack:U1,slack:U4", "slack:U4"},
		"nobody, since it is over before":     {func(r *ask.Request) { r.Route, r.ExpiresIn = "calls", 30*time.Minute }, "", ""},
		"a request's own schedule counts":     {func(r *ask.Request) { r.Route, r.Schedule = "calls", adding("slack:U7") }, "slack:U1", "slack:U7"},
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
				if got := s.Record.Schedule.Steps[0].Who; !slices.Equal(got, []string{tt.hears}) {
					t.Errorf("%q hear of it, want %s", got, tt.hears)
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
