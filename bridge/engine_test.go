package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// fixture is a bridge over a memory store and a scripted platform, in one synctest bubble.
type fixture struct {
	*bridge.Bridge
	t     *testing.T
	store bridge.Store
	chat  *bridgetest.Script
}

// inFixture runs f in a bubble with a running bridge.
func inFixture(t *testing.T, opts *bridge.Options, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(opts)
		f(t, w)
		stop()
	})
}

// begin runs a bridge on the fixture's store and platform, which around may wrap; stop ends it.
func (w *fixture) begin(opts *bridge.Options, around ...platform.Platform) (stop func()) {
	w.t.Helper()
	if len(around) == 0 {
		around = []platform.Platform{w.chat}
	}
	b, err := bridge.New(w.store, around, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Bridge = b
	ctx, cancel := context.WithCancel(w.t.Context())
	over := make(chan error, 1)
	go func() { over <- b.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		if err := <-over; err != nil {
			w.t.Errorf("the bridge ended with %v", err)
		}
	}
}

func database(change ...func(*ask.Request)) ask.Request {
	r := ask.Request{
		ToolCallID: "toolu_01", Session: "s1", To: []ask.Place{{Platform: "slack", Channel: "C1"}},
		Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func (w *fixture) submit(r ask.Request) bridge.Record {
	w.t.Helper()
	s, err := w.Submit(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return s.Record
}

func (w *fixture) load(id string) bridge.Record {
	w.t.Helper()
	synctest.Wait()
	r, err := w.Load(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// choose returns a click on an option of the first question.
func choose(r bridge.Record, who string, option int) platform.Interaction {
	return platform.Interaction{
		Person:  ask.Person{ID: who, Name: who},
		Token:   render.Token{Request: r.ID, Verb: render.Choose, Question: 0, Option: option},
		Message: r.Copies[0].Ref,
	}
}

func (w *fixture) act(i platform.Interaction) *bridgetest.Reply {
	w.t.Helper()
	return w.chat.Act(w.t.Context(), i)
}

func (w *fixture) wantNote(reply *bridgetest.Reply, want string) {
	w.t.Helper()
	synctest.Wait()
	var all []string
	for _, n := range reply.EphemeralReplies() {
		all = append(all, n.Text)
	}
	if got := strings.Join(all, "\n"); !strings.Contains(got, want) {
		w.t.Errorf("private note %q, want %q", got, want)
	}
}

func (w *fixture) calls(want ...string) {
	w.t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, w.chat.Calls()); diff != "" {
		w.t.Errorf("calls to the platform: %s", diff)
	}
}

// asked has callers ask the same question and wait. It returns the open request and a channel with what each caller
// gets.
func (w *fixture) asked(callers int) (bridge.Record, <-chan ask.Outcome) {
	w.t.Helper()
	got := make(chan ask.Outcome, callers)
	for range callers {
		go func() {
			o, err := w.Ask(w.t.Context(), database())
			if err != nil {
				w.t.Error(err)
			}
			got <- o
		}()
	}
	synctest.Wait()
	open, err := w.List(w.t.Context(), bridge.Query{})
	if err != nil || len(open) != 1 {
		w.t.Fatalf("open requests %v, %v, want one", open, err)
	}
	return open[0], got
}

func TestAskAndAnswer(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		open, got := w.asked(1)
		if reply := w.act(choose(open, "U1", 1)); reply.Acks() != 1 || len(reply.EphemeralReplies()) != 0 {
			t.Errorf("acknowledged %d times, private notes %v", reply.Acks(), reply.EphemeralReplies())
		}
		o := <-got
		if o.State != ask.Answered || o.By.ID != "U1" || !slices.Equal(o.Answers[0].Selected, []string{"SQLite"}) {
			t.Errorf("got %+v", o)
		}
		w.calls("post C1", "update "+open.Copies[0].Ref.Message)
		if r := w.load(open.ID); !r.DeliveryDue.IsZero() {
			t.Errorf("the record is still delivery due at %v", r.DeliveryDue)
		}
	})
}

func TestSameKeyAttachesWithoutPost(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		first := w.submit(database())
		again, err := w.Submit(t.Context(), database())
		if err != nil || !again.Existed || again.Record.ID != first.ID {
			t.Fatalf("got %+v, %v, want the first request", again, err)
		}
		w.act(choose(first, "U1", 0))
		after, err := w.Submit(t.Context(), database())
		if err != nil || after.Record.Outcome.State != ask.Answered {
			t.Errorf("got %+v, %v, want the stored answer", after.Record.Outcome, err)
		}
		w.calls("post C1", "update "+first.Copies[0].Ref.Message)
	})
}

func TestSameToolCallOtherQuestionsConflicts(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		first := w.submit(database())
		s, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Questions[0].Text = "Which cache?" }))
		if !errors.Is(err, bridge.ErrConflict) || s.Record.ID != first.ID {
			t.Errorf("got %v, %v, want a conflict with the first request", s.Record.ID, err)
		}
		w.calls("post C1")
	})
}

func TestRequestIDDependsOnTenantSessionAndKey(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		ids := map[string]string{}
		for name, change := range map[string]func(*ask.Request){
			"plain":         func(*ask.Request) {},
			"other tenant":  func(r *ask.Request) { r.Tenant = "b" },
			"other session": func(r *ask.Request) { r.Session = "s2" },
			"explicit key":  func(r *ask.Request) { r.Key = "toolu_01" },
			"no key":        func(r *ask.Request) { r.ToolCallID = "" },
			"no key again":  func(r *ask.Request) { r.ToolCallID = "" },
		} {
			id := w.submit(database(change)).ID
			for other, seen := range ids {
				if seen == id {
					t.Errorf("%q and %q are the same request", name, other)
				}
			}
			ids[name] = id
			if len(id) != 27 || id[0] < 'a' || id[0] > 'p' {
				t.Errorf("id %q is not a partition and 26 characters", id)
			}
		}
	})
}

func TestInvalidRequestStoresNothing(t *testing.T) {
	inFixture(t, &bridge.Options{Routes: map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}}}}, func(t *testing.T, w *fixture) {
		for want, change := range map[string]func(*ask.Request){
			"questions[0].question": func(r *ask.Request) { r.Questions[0].Text = "" },
			"to[0].platform":        func(r *ask.Request) { r.To[0].Platform = "irc" },
			"to[0]":                 func(r *ask.Request) { r.To[0].Channel = "nowhere" },
			"responders[0]":         func(r *ask.Request) { r.Responders = []string{"slack:nobody"} },
			"responders":            func(r *ask.Request) { r.Responders = []string{} },
			"route":                 func(r *ask.Request) { r.To, r.Route = nil, "unknown" },
			"to":                    func(r *ask.Request) { r.To = nil },
		} {
			_, err := w.Submit(t.Context(), database(change))
			var invalid *ask.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) != 1 || invalid.Problems[0].Path != want {
				t.Errorf("got %v, want one problem at %s", err, want)
			}
		}
		if open, err := w.List(t.Context(), bridge.Query{}); err != nil || len(open) != 0 {
			t.Errorf("stored %v, %v", open, err)
		}
		w.calls()
	})
}

func TestRequestCannotWidenResponders(t *testing.T) {
	channel := []ask.Place{{Platform: "slack", Channel: "C1"}}
	opts := &bridge.Options{
		Responders: []string{"slack:U-default"},
		Routes: map[string]bridge.Route{
			"strict": {To: channel, Terms: ask.Terms{Responders: []string{"slack:U-dana", "slack:U-kim", ask.NotRequester}}, ExpiresIn: time.Minute},
			"group":  {To: channel, Terms: ask.Terms{Responders: []string{"slack:U-dana", "slack:U-kim"}}},
			"plain":  {To: channel},
		},
		DefaultRoute: "plain",
	}
	through := func(route string, responders ...string) func(*ask.Request) {
		return func(r *ask.Request) {
			r.To, r.Route, r.Responders, r.Requesters = nil, route, responders, []string{"slack:U-sam"}
		}
	}
	inFixture(t, opts, func(t *testing.T, w *fixture) {
		for name, tt := range map[string]struct {
			change      func(*ask.Request)
			policy      []string
			may, mayNot string
			refused     string
		}{
			"the default":                          {change: through("plain"), policy: []string{"slack:U-default"}, may: "U-default", mayNot: "U-dana"},
			"the request, where nothing demands":   {change: through("plain", "slack:U-sam"), policy: []string{"slack:U-sam"}, may: "U-sam", mayNot: "U-default"},
			"the route":                            {change: through("group"), policy: []string{"slack:U-dana", "slack:U-kim"}, may: "U-kim", mayNot: "U-sam"},
			"one of the route's":                   {change: through("group", "slack:U-kim", "slack:U-sam"), policy: []string{"slack:U-kim"}, may: "U-kim", mayNot: "U-sam"},
			"anyone, which is the route's":         {change: through("group", ask.Anyone), policy: []string{"slack:U-dana", "slack:U-kim"}, may: "U-dana", mayNot: "U-sam"},
			"the requester, excluded":              {change: through("strict", "slack:U-sam"), refused: "contains none of those who may answer here: slack:U-dana, slack:U-kim"},
			"the requester, not listed":            {change: through("group", "slack:U-sam"), refused: "a request can only narrow that"},
			"one of them, with the requester kept": {change: through("strict", "slack:U-dana"), policy: []string{"slack:U-dana", ask.NotRequester}, may: "U-dana", mayNot: "U-kim"},
			"one of the token's": {
				change: func(r *ask.Request) { through("group")(r); r.Token.Responders = []string{"slack:U-dana"} },
				policy: []string{"slack:U-dana"}, may: "U-dana", mayNot: "U-kim",
			},
			"none of the token's": {
				change: func(r *ask.Request) {
					through("plain", "slack:U-sam")(r)
					r.Token.Responders = []string{"slack:U-dana"}
				},
				refused: "slack:U-dana; a request can only narrow that",
			},
			"named by a trusted token": {
				change: func(r *ask.Request) { through("strict", "slack:U-sam")(r); r.Unbound = true },
				policy: []string{"slack:U-sam"}, may: "U-sam", mayNot: "U-dana",
			},
		} {
			s, err := w.Submit(t.Context(), database(tt.change, func(r *ask.Request) { r.ToolCallID = name }))
			if tt.refused != "" {
				if !errors.Is(err, ask.ErrResponders) || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%s: %v, want %q", name, err, tt.refused)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			r := s.Record
			if diff := cmp.Diff(tt.policy, r.Policy.Strings()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			refused := w.act(choose(r, tt.mayNot, 0))
			w.wantNote(refused, "not yours to answer")
			if who := named(refused); !slices.Equal(who, slices.DeleteFunc(r.Policy.Strings(), func(e string) bool { return e == ask.NotRequester })) {
				t.Errorf("%s: the refusal names %v", name, who)
			}
			w.act(choose(r, tt.may, 0))
			if by := w.load(r.ID).Outcome.By.ID; by != tt.may {
				t.Errorf("%s: answered by %q, want %q", name, by, tt.may)
			}
		}
	})
}

func TestDeadlineExpiresRequest(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.ExpiresIn = 90 * time.Second }))
		began := time.Now()
		last, err := w.Wait(t.Context(), r.ID)
		if err != nil || last.Outcome.State != ask.Expired || len(last.Outcome.Answers) != 0 {
			t.Fatalf("got %+v, %v", last, err)
		}
		r = *last
		if late := time.Since(began) - 90*time.Second; late < 0 || late > 250*time.Millisecond {
			t.Errorf("ended %v after the deadline", late)
		}
		synctest.Wait() // Until the card is updated: a press on an outdated card updates it as well.
		w.wantNote(w.act(choose(r, "U1", 0)), "expired")
		w.calls("post C1", "update "+r.Copies[0].Ref.Message)
	})
}

func TestRequestWithoutDeadlineWaits(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.ExpiresIn = ask.Never }))
		time.Sleep(3 * 24 * time.Hour)
		if r = w.load(r.ID); !r.Open() || !r.Deadline.IsZero() {
			t.Errorf("got %s with deadline %v", r.Outcome.State, r.Deadline)
		}
	})
}

func TestNoDeadlineForHostThatWaitsForever(t *testing.T) {
	patient := func(r *ask.Request) { r.Rules = &ask.Rules{NoDeadline: true} }
	routes := map[string]bridge.Route{"deploys": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, ExpiresIn: time.Hour}}
	inFixture(t, &bridge.Options{Routes: routes}, func(t *testing.T, w *fixture) {
		for _, c := range []struct {
			name string
			set  func(r *ask.Request)
			want time.Duration
		}{
			{"neither request nor route", func(*ask.Request) {}, 0},
			{"the request", func(r *ask.Request) { r.ExpiresIn = time.Minute }, time.Minute},
			{"its route", func(r *ask.Request) { r.To, r.Route = nil, "deploys" }, time.Hour},
		} {
			r := w.submit(database(patient, c.set, func(r *ask.Request) { r.ToolCallID = c.name }))
			if got := r.Deadline.Sub(r.Created); c.want != 0 && got != c.want || c.want == 0 && !r.Deadline.IsZero() {
				t.Errorf("%s sets %v: %v", c.name, c.want, got)
			}
		}
	})
}

func TestCancelWithdrawsRequest(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		r, err := w.Cancel(t.Context(), r.ID, "no longer needed")
		if err != nil || r.Outcome.State != ask.Cancelled || r.Outcome.Reason != "no longer needed" {
			t.Fatalf("got %+v, %v", r.Outcome, err)
		}
		w.wantNote(w.act(choose(r, "U1", 0)), "The agent withdrew this question")
		again, err := w.Cancel(t.Context(), r.ID, "again")
		if err != nil || again.Outcome.Reason != "no longer needed" {
			t.Errorf("cancelling twice gives %+v, %v", again.Outcome, err)
		}
		w.calls("post C1", "update "+r.Copies[0].Ref.Message)
	})
}

func TestNewRequestSupersedesOldOne(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		old := w.submit(database())
		next := database(func(r *ask.Request) { r.ToolCallID, r.Supersedes = "toolu_02", old.ID })
		replacement := w.submit(next)
		if r := w.load(old.ID); r.Outcome.State != ask.Superseded || r.Outcome.Via != "request:"+replacement.ID {
			t.Errorf("got %s via %q, want the id of %s", r.Outcome.State, r.Outcome.Via, replacement.ID)
		}
		if s, err := w.Submit(t.Context(), next); err != nil || !s.Existed {
			t.Errorf("handed in again: %v, %v", s.Existed, err)
		}
		w.wantNote(w.act(choose(old, "U1", 0)), "newer question")
	})
}

func TestSupersedesRejectsOtherTenant(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		old := w.submit(database())
		for name, change := range map[string]func(*ask.Request){
			"another tenant's":  func(r *ask.Request) { r.Tenant, r.Supersedes = "b", old.ID },
			"another session's": func(r *ask.Request) { r.Session, r.Supersedes = "s2", old.ID },
			"unknown":           func(r *ask.Request) { r.Supersedes = "p-unknown" },
		} {
			_, err := w.Submit(t.Context(), database(change, func(r *ask.Request) { r.ToolCallID = name }))
			var invalid *ask.InvalidError
			if !errors.Is(err, bridge.ErrNotFound) || !errors.As(err, &invalid) || invalid.Problems[0].Path != "supersedes" {
				t.Errorf("replacing %s request: %v", name, err)
			}
		}
		if open, err := w.List(t.Context(), bridge.Query{All: true}); err != nil || len(open) != 1 || open[0].ID != old.ID {
			t.Errorf("open are %v, %v", open, err)
		}
		w.calls("post C1")
	})
}

func TestTwoConcurrentClicksOneWins(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		replies := make([]*bridgetest.Reply, 20)
		var all sync.WaitGroup
		for n := range replies {
			all.Go(func() { replies[n] = w.act(choose(r, fmt.Sprintf("U%d", n), n%2)) })
		}
		all.Wait()
		synctest.Wait()
		winner := w.load(r.ID).Outcome.By.ID
		refused := 0
		for n, reply := range replies {
			if reply.Acks() != 1 {
				t.Errorf("click %d was acknowledged %d times", n, reply.Acks())
			}
			if len(reply.EphemeralReplies()) > 0 {
				w.wantNote(reply, "Already answered by "+winner)
				refused++
			}
		}
		if refused != len(replies)-1 {
			t.Errorf("%d of %d losers got a note", refused, len(replies)-1)
		}
	})
}

func TestAllWaitersWakeAndAreRemoved(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database())
		gone, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := w.Wait(gone, r.ID); !errors.Is(err, context.Canceled) {
				t.Errorf("a caller that went away got %v", err)
			}
		})
		for range 50 {
			all.Go(func() {
				if got, err := w.Wait(t.Context(), r.ID); err != nil || got.Outcome.State != ask.Answered {
					t.Errorf("got %s, %v", got.Outcome.State, err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		w.act(choose(r, "U1", 0))
		all.Wait()
		if _, err := w.Wait(t.Context(), "p-unknown"); !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("waiting for an unknown request gives %v", err)
		}
	})
}

func TestWaitEndsWhenBridgeStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		stop := w.begin(nil)
		r := w.submit(database())
		over := make(chan error)
		go func() {
			_, err := w.Wait(context.Background(), r.ID)
			over <- err
		}()
		synctest.Wait()
		go stop()
		if err := <-over; !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
		synctest.Wait()
		if _, err := w.Submit(t.Context(), database()); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("a stopped bridge accepts requests: %v", err)
		}
	})
}
