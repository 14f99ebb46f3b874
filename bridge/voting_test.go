package bridge_test

import (
	"errors"
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
	"github.com/askbridge/askbridge/store/memory"
)

func quorum(need ask.Need) ask.Voting { return ask.Voting{Mode: ask.Quorum, Need: need} }

// relabelled submits to a route with another label instead of SQLite.
func relabelled(route, label string) func(*ask.Request) {
	return func(r *ask.Request) { r.Route, r.Questions[0].Options[1].Label = route, label }
}

func TestVotesNeededByRouteAndToken(t *testing.T) {
	t.Parallel()
	to := []ask.Place{{Platform: "slack", Channel: "C1"}}
	opts := bridge.Options{
		Routes: map[string]bridge.Route{
			"two":  {To: to, Terms: ask.Terms{Voting: quorum(2)}},
			"veto": {To: to, Terms: ask.Terms{Voting: ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"SQLite": 1, "Elsewhere": 1}}}},
			"poll": {To: to, Terms: ask.Terms{Voting: ask.Voting{Mode: ask.Poll, Show: ask.ShowSealed}}},
			"most": {To: to, Terms: ask.Terms{Voting: quorum(ask.Majority), Responders: []string{"slack:U1", "slack:U2", "slack:U3"}}},
			"one":  {To: to, Terms: ask.Terms{Voting: ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"SQLite": 2}}}},
			"free": {To: to},
		},
		People: map[string][]string{"dana": {"slack:U1", "slack:U9"}},
	}
	people := func(who ...string) []string { return who }
	for name, tt := range map[string]struct {
		change  func(*ask.Request)
		want    *record.Voting
		wantErr string
	}{
		"unset":                                    {func(r *ask.Request) { r.Route = "free" }, nil, ""},
		"by the request":                           {func(r *ask.Request) { r.Route, r.Voting = "free", quorum(2) }, &record.Voting{Rule: quorum(2)}, ""},
		"the route does":                           {func(r *ask.Request) { r.Route = "two" }, &record.Voting{Rule: quorum(2)}, ""},
		"the token does":                           {func(r *ask.Request) { r.Route, r.Token.Voting = "free", quorum(2) }, &record.Voting{Rule: quorum(2)}, ""},
		"the request asks for more":                {func(r *ask.Request) { r.Route, r.Voting = "two", quorum(3) }, &record.Voting{Rule: quorum(3)}, ""},
		"the request asks for less":                {func(r *ask.Request) { r.Route, r.Voting = "two", quorum(1) }, &record.Voting{Rule: quorum(2)}, ""},
		"the token asks for more":                  {func(r *ask.Request) { r.Route, r.Token.Voting = "two", quorum(4) }, &record.Voting{Rule: quorum(4)}, ""},
		"a veto of the route":                      {func(r *ask.Request) { r.Route = "veto" }, &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"SQLite": 1}}}, ""},
		"a label that only looks like the route's": {relabelled("one", "ЅQLite"), &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"ЅQLite": 2}}}, ""},
		"a label with an invisible character":      {relabelled("one", "SQLite \u3164"), &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"SQLite \u3164": 2}}}, ""},
		"a veto of the route in other letters":     {relabelled("veto", "sqlite"), &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"sqlite": 1}}}, ""},
		"another label than the route's":           {relabelled("one", "SQLite 3"), &record.Voting{Rule: quorum(1)}, ""},
		"a request lowers no label": {func(r *ask.Request) {
			r.Route = "two"
			r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"SQLite": 1}}
		}, &record.Voting{Rule: quorum(2)}, ""},
		"a poll hides more": {func(r *ask.Request) {
			r.Route = "poll"
			r.Voting = ask.Voting{Mode: ask.Poll, Need: 2, Show: ask.ShowCount}
		}, &record.Voting{Rule: ask.Voting{Mode: ask.Poll, Need: 2, Show: ask.ShowSealed}}, ""},
		"a quorum where a poll is demanded": {func(r *ask.Request) { r.Route, r.Voting = "poll", quorum(2) }, nil, `policy.mode: must be "poll" here`},
		"a poll that never ends":            {func(r *ask.Request) { r.Route, r.ExpiresIn = "poll", ask.Never }, nil, "so it needs one"},
		"a poll of a host that waits for ever": {func(r *ask.Request) {
			r.Route, r.Rules = "poll", &ask.Rules{NoDeadline: true}
		}, &record.Voting{Rule: ask.Voting{Mode: ask.Poll, Show: ask.ShowSealed}}, ""},
		"most of three people": {func(r *ask.Request) { r.Route = "most" }, &record.Voting{
			Rule: quorum(2), Roster: people("dana", "slack:U2", "slack:U3"), Links: map[string]string{"slack:U1": "dana", "slack:U9": "dana"},
		}, ""},
		"all of two people, one of them with two accounts": {func(r *ask.Request) {
			r.Route, r.Voting, r.Responders = "free", quorum(ask.All), people("slack:U1", "slack:U9", "slack:U2")
		}, &record.Voting{Rule: quorum(2), Roster: people("dana", "slack:U2"), Links: map[string]string{"slack:U1": "dana", "slack:U9": "dana"}}, ""},
		"the requester is not listed": {func(r *ask.Request) {
			r.Route, r.Voting, r.Responders, r.Requesters = "free", quorum(ask.All), people("slack:U1", "slack:U2", "slack:U3", "not_requester"), people("slack:U9")
		}, &record.Voting{Rule: quorum(2), Roster: people("slack:U2", "slack:U3")}, ""},
		"all of anyone": {func(r *ask.Request) { r.Route, r.Voting = "free", quorum(ask.All) }, nil, `policy.need: "all" needs to know everybody`},
		"more than there are": {func(r *ask.Request) {
			r.Route, r.Voting, r.Responders = "free", quorum(3), people("slack:U1", "slack:U2")
		}, nil, "asks for 3 people, and no more than 2"},
		"two accounts are one person": {func(r *ask.Request) {
			r.Route, r.Voting, r.Responders = "free", quorum(2), people("slack:U1", "slack:U9")
		}, nil, "no more than 1"},
		"a platform that is not configured": {func(r *ask.Request) { r.Route, r.Voting, r.Responders = "free", quorum(2), people("discord:1") }, nil, "there is no platform"},
		"a label that is none": {func(r *ask.Request) {
			r.Route = "free"
			r.Voting = ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"MySQL": 1}}
		}, nil, "policy.needs.MySQL: no option has this label"},
		"a quorum without a number": {func(r *ask.Request) { r.Route = "free"; r.Voting = ask.Voting{Mode: ask.Quorum} }, nil, "policy.need: is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			inFixture(t, &opts, func(t *testing.T, w *fixture) {
				r, err := w.Submit(t.Context(), database(tt.change, func(r *ask.Request) { r.To = nil }))
				if tt.wantErr != "" {
					if !errors.Is(err, ask.ErrInvalid) || !strings.Contains(err.Error(), tt.wantErr) {
						t.Errorf("Submit = %v, want %q", err, tt.wantErr)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				got := r.Record.Voting
				if got != nil && got.Roster == nil {
					got.Links = nil // All known links.
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("how it is decided: %s", diff)
				}
			})
		})
	}
}

func TestVoteWakesAgentWhenDecided(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Voting = quorum(2) }))
		over := make(chan ask.Outcome, 1)
		go func() {
			ended, err := w.Wait(t.Context(), r.ID)
			if err != nil {
				t.Error(err)
				return
			}
			over <- ended.Outcome
		}()
		synctest.Wait()
		w.act(choose(r, "U1", 1))
		w.act(choose(r, "U2", 0))
		synctest.Wait()
		select {
		case o := <-over:
			t.Fatalf("the agent was woken with %+v", o)
		default:
		}
		card := text(w.chat.Card(w.chat.Standing()[0]))
		if !strings.Contains(card, "SQLite 1 of 2 · ") || !strings.Contains(card, "Postgres 1 of 2 · ") {
			t.Errorf("card:\n%s", card)
		}
		w.act(choose(r, "U3", 1))
		o := <-over
		if o.State != ask.Answered || o.Answers[0].Selected[0] != "SQLite" || len(o.Answers) != 1 || len(o.Votes) != 3 || o.Tally[0].Votes != 2 {
			t.Errorf("it ended as %+v", o)
		}
	})
}

func TestPollEndsAtDeadline(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Voting, r.ExpiresIn = ask.Voting{Mode: ask.Poll}, time.Hour }))
		w.act(choose(r, "U1", 1))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		o := w.load(r.ID).Outcome
		if o.State != ask.Answered || o.Answers[0].By.ID != "U1" || o.By.ID != "" || o.At.After(time.Now().Add(-59*time.Minute)) {
			t.Errorf("it ended as %+v", o)
		}
	})
}

func TestLinkedAccountsHaveOneVote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
		there := bridgetest.NewScript("discord", render.Limits{})
		stop := w.begin(&bridge.Options{People: map[string][]string{"dana": {"slack:U1", "discord:1"}}}, w.chat, there)
		defer stop()
		r := w.submit(database(func(r *ask.Request) {
			r.To, r.Voting = append(r.To, ask.Place{Platform: "discord", Channel: "D1"}), quorum(2)
		}))
		press := func(chat *bridgetest.Script, who string) {
			i := choose(r, who, 1)
			i.Person.Platform, i.Message = chat.Name(), chat.Standing()[0]
			chat.Act(t.Context(), i)
			synctest.Wait()
		}
		press(w.chat, "U1")
		press(there, "1")
		if now := w.load(r.ID); !now.Open() {
			t.Fatalf("one person with two accounts decided: %+v", now.Outcome)
		}
		press(there, "2")
		if o := w.load(r.ID).Outcome; o.State != ask.Answered || len(o.Votes) != 2 || o.Votes[0].Human != "dana" {
			t.Errorf("it ended as %+v", o)
		}
	})
}

func TestPolicyIsPartOfFingerprint(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		plain := w.submit(database())
		again := w.submit(database(func(r *ask.Request) { r.Voting = ask.Voting{Need: 1, Dismiss: 1, Change: new(true)}.Normal() }))
		if again.ID != plain.ID || again.Fingerprint != plain.Fingerprint || again.Voting != nil {
			t.Errorf("defaults that are spelled out make another request: %+v", again)
		}
		if _, err := w.Submit(t.Context(), database(func(r *ask.Request) { r.Voting = quorum(2) })); !errors.Is(err, bridge.ErrConflict) {
			t.Errorf("the same request with a policy: %v, want a conflict", err)
		}
	})
}

func TestNewChecksPeople(t *testing.T) {
	t.Parallel()
	_, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, &bridge.Options{
		People: map[string][]string{"dana": {"slack:U1", "irc:dana"}, "sam": {"slack:U1"}, "ops:kim": {"anyone"}},
	})
	for _, want := range []string{"people.dana[1]", "people.sam[0]: is an account of dana already", "people.ops:kim", "must be one person's account"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestRevisionRejectsLookalikeOfRouteLabel(t *testing.T) {
	opts := bridge.Options{Routes: map[string]bridge.Route{
		"one": {To: []ask.Place{{Platform: "slack", Channel: "C1"}}, Terms: ask.Terms{Voting: ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"Deploy": 2}}}},
	}}
	inFixture(t, &opts, func(t *testing.T, w *fixture) {
		r := w.submit(database(func(r *ask.Request) { r.Route, r.To = "one", nil }))
		for _, label := range []string{"Deploy", "Dерloy", "deploy "} {
			revised := []ask.Question{{Text: "Now?", Options: []ask.Option{{Label: label}, {Label: "Wait"}}}}
			if _, err := w.Talk().Revise(t.Context(), r.ID, ask.Revision{Questions: revised}, ask.Voting{}); !errors.Is(err, ask.ErrPolicy) {
				t.Errorf("%q comes in, and one person decides it: %v", label, err)
			}
		}
	})
}
