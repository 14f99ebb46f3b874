package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

var thread = ask.Place{Platform: "slack", Channel: "C7", Thread: "1700000000.000100"}

// originRoutes has routes that send questions back, in different ways.
func originRoutes() *bridge.Options {
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	route := func(terms ask.Terms) bridge.Route {
		return bridge.Route{To: to, Origin: true, Language: "es", Terms: terms}
	}
	return &bridge.Options{
		Routes: map[string]bridge.Route{
			"back": route(ask.Terms{}), "loud": route(ask.Terms{Notify: []string{"slack:U5"}}), "quiet": route(ask.Terms{Notify: []string{}}),
			"named": route(ask.Terms{Responders: []string{"slack:U5", "slack:U6"}}),
			"own":   route(ask.Terms{Responders: []string{ask.OriginPeople}}), "own and others": route(ask.Terms{Responders: []string{ask.OriginPeople, "slack:U5"}}),
			"voted": route(ask.Terms{Voting: ask.Voting{Mode: ask.Quorum, Need: 2}}),
			"here":  {To: []ask.Place{thread}, Origin: true}, "stays": {To: to},
		},
		DefaultRoute: "back",
	}
}

// fromThread is a question from an agent that works in a thread for U1.
func fromThread(change ...func(*ask.Request)) ask.Request {
	r := database(func(r *ask.Request) {
		r.To, r.Origin = nil, ask.Origin{Place: thread, People: []string{"slack:U1"}, Language: "de"}
	})
	for _, f := range change {
		f(&r)
	}
	return r
}

func onRoute(name string) func(*ask.Request) { return func(r *ask.Request) { r.Route = name } }

func TestOriginIsWhereTheRouteAsks(t *testing.T) {
	t.Parallel()
	policy := func(who ...string) ask.Policy { return ask.PolicyOf(who...) }
	anyone := policy(ask.Anyone)
	for _, tt := range []struct {
		name     string
		change   func(*ask.Request)
		back     bool // It is asked in the thread.
		notified []string
		policy   ask.Policy
		language string
		advice   string
	}{
		{"by the default route", func(*ask.Request) {}, true, []string{"slack:U1"}, anyone, "de", ""},
		{"without people", func(r *ask.Request) { r.Origin.People = nil }, true, nil, anyone, "de", ""},
		{"the request sets the language", func(r *ask.Request) { r.Language = "en" }, true, []string{"slack:U1"}, anyone, "en", ""},
		{"language without texts", func(r *ask.Request) { r.Origin.Language = "fr" }, true, []string{"slack:U1"}, anyone, "es", "origin.language: is not used"},
		{"the route notifies", onRoute("loud"), true, []string{"slack:U5", "slack:U1"}, anyone, "de", ""},
		{"the route notifies no one", onRoute("quiet"), true, []string{"slack:U1"}, anyone, "de", ""},
		{"the request notifies", func(r *ask.Request) { r.Notify = []string{"slack:U9"} }, true, []string{"slack:U9"}, anyone, "de", ""},
		{"responders of the route stay", onRoute("named"), true, []string{"slack:U5", "slack:U6", "slack:U1"}, policy("slack:U5", "slack:U6"), "de", ""},
		{"its people answer", onRoute("own"), true, []string{"slack:U1"}, policy("slack:U1"), "de", ""},
		{"its people and others answer", onRoute("own and others"), true, []string{"slack:U1", "slack:U5"}, policy("slack:U1", "slack:U5"), "de", ""},
		{"same place as the route", onRoute("here"), true, []string{"slack:U1"}, anyone, "de", ""},
		{"the route forbids it", onRoute("stays"), false, nil, anyone, "", `origin: is not used: the route "stays" does not send questions back`},
		{"the token forbids it", func(r *ask.Request) { r.OriginDenied = true }, false, nil, anyone, "es", "origin: is not used: this token may not ask there"},
		{"unknown platform", func(r *ask.Request) { r.Origin.Platform = "teams" }, false, nil, anyone, "es", `origin: is not used: there is no platform "teams" here`},
		{"its people answer, and others if it is denied", func(r *ask.Request) { r.Route, r.OriginDenied = "own and others", true }, false, nil, policy("slack:U5"), "es", "may not ask there"},
		{"vote on one platform", onRoute("voted"), true, []string{"slack:U1"}, anyone, "de", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				defer w.begin(originRoutes())()
				s, err := w.Submit(t.Context(), fromThread(tt.change))
				if err != nil {
					t.Fatal(err)
				}
				r := s.Record
				if back := r.Copies[0].Target == thread; back != tt.back || len(r.Copies) != 1 || r.Copies[0].State != record.Posted {
					t.Errorf("it is asked in %+v", r.Copies)
				}
				var who []string
				if r.Audience != nil {
					who = r.Audience.Who
				}
				if !slices.Equal(who, tt.notified) || r.Language != tt.language {
					t.Errorf("notified %v in %q", who, r.Language)
				}
				if diff := cmp.Diff(tt.policy, r.Policy, cmp.AllowUnexported(ask.Policy{})); diff != "" {
					t.Errorf("responders (-want +got):\n%s", diff)
				}
				var advice []string
				for _, a := range s.Advice {
					advice = append(advice, a.Error())
				}
				if got := strings.Join(advice, "\n"); !strings.Contains(got, tt.advice) || tt.advice == "" && got != "" {
					t.Errorf("advice %q, want %q", got, tt.advice)
				}
			})
		})
	}
}

func TestOriginInvalid(t *testing.T) {
	inFixture(t, originRoutes(), func(t *testing.T, w *fixture) {
		for name, tt := range map[string]struct {
			change func(*ask.Request)
			want   string
		}{
			"malformed":                           {func(r *ask.Request) { r.Origin.Channel = "" }, "origin: name a channel or a user"},
			"unknown to its platform":             {func(r *ask.Request) { r.Origin.Channel = "nowhere" }, "origin: "},
			"people of an unknown one":            {func(r *ask.Request) { r.Origin.People = []string{"pager:1"} }, `origin.people[0]: "pager:1": there is no platform`},
			"no people who may answer":            {func(r *ask.Request) { r.Route, r.Origin.People = "own", nil }, `on the route "own" the people of the origin answer`},
			"denied, so that no one could answer": {func(r *ask.Request) { r.Route, r.OriginDenied = "own", true }, `on the route "own" the people of the origin answer`},
			"a word of routes only":               {func(r *ask.Request) { r.Responders = []string{ask.OriginPeople} }, `responders[0]: "origin" is not`},
		} {
			if _, err := w.Submit(t.Context(), fromThread(tt.change)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
		}
		w.calls()
	})
}

// The bot is not in the channel where the agent works.
func TestOriginFallsBackToTheRoute(t *testing.T) {
	inFixture(t, originRoutes(), func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: refusal(platform.Unreachable, "not_in_channel")})
		r := w.submit(fromThread())
		want := []ask.Place{thread, {Platform: "slack", Channel: "C1"}}
		if len(r.Copies) != 2 || r.Copies[0].Target != want[0] || r.Copies[1].Target != want[1] {
			t.Fatalf("it is asked in %+v", r.Copies)
		}
		if r.Copies[0].State != record.Undeliverable || r.Copies[0].Problem != "slack: not_in_channel" || r.Copies[1].State != record.Posted {
			t.Errorf("cards: %+v", r.Copies)
		}
		if r.Language != "es" || r.Fallback != nil || !slices.Equal(r.Audience.Who, []string{"slack:U1"}) {
			t.Errorf("language %q, fallback %+v, notified %v", r.Language, r.Fallback, r.Audience)
		}
		again := w.submit(fromThread())
		if again.ID != r.ID {
			t.Error("the same call asks twice")
		}
		press := choose(r, "U1", 1)
		press.Message = r.Copies[1].Ref
		w.act(press)
		if after := w.load(r.ID); after.Outcome.State != ask.Answered {
			t.Errorf("it is %s", after.Outcome.State)
		}
	})
}

func TestOriginFailsWithTheRoute(t *testing.T) {
	inFixture(t, originRoutes(), func(t *testing.T, w *fixture) {
		unreachable := bridgetest.Cue{Err: refusal(platform.Unreachable, "not_in_channel")}
		w.chat.On("post", unreachable, unreachable)
		r := w.submit(fromThread())
		if r.Outcome.State != ask.Failed || !strings.Contains(r.Outcome.Reason, thread.String()) || !strings.Contains(r.Outcome.Reason, "slack:C1") {
			t.Errorf("it is %s: %s", r.Outcome.State, r.Outcome.Reason)
		}
	})
}

// Rate limits pass, so the card waits for the thread.
func TestOriginWaitsWhileLimited(t *testing.T) {
	inFixture(t, originRoutes(), func(t *testing.T, w *fixture) {
		w.chat.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.RateLimited, RetryAfter: 20 * time.Second, Code: "ratelimited"}})
		r := w.submit(fromThread())
		time.Sleep(time.Minute)
		if after := w.load(r.ID); len(after.Copies) != 1 || after.Copies[0].State != record.Posted {
			t.Errorf("cards: %+v", after.Copies)
		}
	})
}

func TestOriginIsPartOfFingerprint(t *testing.T) {
	inFixture(t, originRoutes(), func(t *testing.T, w *fixture) {
		w.submit(fromThread())
		if _, err := w.Submit(t.Context(), fromThread(func(r *ask.Request) { r.OriginDenied = true })); err != nil {
			t.Errorf("the same call after a change of its token: %v", err)
		}
		if _, err := w.Submit(t.Context(), fromThread(func(r *ask.Request) { r.Origin.People = []string{"slack:U2"} })); err == nil {
			t.Error("other people are no conflict")
		}
	})
}

// People of two platforms decide together, and one thread cannot ask them all.
func TestOriginIgnoredForVotesAcrossPlatforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		route := bridge.Route{To: []ask.Place{{Platform: "slack", Channel: "C1"}, {Platform: "discord", Channel: "D1"}}, Origin: true}
		defer w.begin(&bridge.Options{Routes: map[string]bridge.Route{"back": route}, DefaultRoute: "back"}, w.chat, bridgetest.NewScript("discord", render.Limits{}))()
		s, err := w.Submit(t.Context(), fromThread(func(r *ask.Request) { r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2} }))
		if err != nil || len(s.Record.Copies) != 2 || len(s.Advice) != 1 || !strings.Contains(s.Advice[0].Error(), "several people decide") {
			t.Errorf("%v; advice %v, cards %+v", err, s.Advice, s.Record.Copies)
		}
	})
}

func TestOriginIgnoredWhereTypedAnswersDoNotArrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := memory.New()
		w := &fixture{t: t, store: kept}
		chat := &listening{Script: bridgetest.NewScript("slack", render.Limits{})}
		route := bridge.Route{To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Origin: true, Terms: ask.Terms{Replies: ask.Replies{Mode: ask.RepliesLabels}}}
		opts := &bridge.Options{Routes: map[string]bridge.Route{"back": route}, DefaultRoute: "back", Threads: keyvalue.Threads{Store: kept.KeyValue()}}
		defer w.begin(opts, chat, bridgetest.NewScript("discord", render.Limits{}))()
		s, err := w.Submit(t.Context(), fromThread(func(r *ask.Request) { r.Origin.Place = ask.Place{Platform: "discord", Channel: "D1"} }))
		if err != nil || s.Record.Copies[0].Target.Platform != "slack" || len(s.Advice) != 1 || !strings.Contains(s.Advice[0].Error(), "typed messages cannot answer there") {
			t.Errorf("%v; advice %v, cards %+v", err, s.Advice, s.Record.Copies)
		}
	})
}

func TestOriginSettings(t *testing.T) {
	t.Parallel()
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	for _, tt := range []struct {
		name  string
		route bridge.Route
		want  string
	}{
		{"its people", bridge.Route{To: to, Origin: true, Terms: ask.Terms{Responders: []string{ask.OriginPeople}}}, ""},
		{"its people but not the requester", bridge.Route{To: to, Origin: true, Terms: ask.Terms{Responders: []string{ask.OriginPeople, ask.NotRequester}}}, ""},
		{"not sent back", bridge.Route{To: to, Terms: ask.Terms{Responders: []string{"slack:U1", ask.OriginPeople}}}, `routes.back.responders[1]: "origin" needs a route with origin: true`},
		{"other entries are checked", bridge.Route{To: to, Origin: true, Terms: ask.Terms{Responders: []string{ask.OriginPeople, "pager:1"}}}, `routes.back.responders[1]: "pager:1"`},
		{"no fallback", bridge.Route{Origin: true}, "routes.back.to: names no place"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, &bridge.Options{Routes: map[string]bridge.Route{"back": tt.route}})
			if got := ""; err != nil {
				if got = err.Error(); tt.want == "" || !strings.Contains(got, tt.want) {
					t.Errorf("%s, want %q", got, tt.want)
				}
			} else if tt.want != "" {
				t.Errorf("accepted, want %q", tt.want)
			}
		})
	}
}
