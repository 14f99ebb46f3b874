package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// alike is a request with the questions of other requests of the session and a key of its own.
func alike(key string, change ...func(*ask.Request)) ask.Request {
	return database(append([]func(*ask.Request){func(r *ask.Request) {
		r.Key, r.ToolCallID, r.Session, r.Same = key, "call "+key, "s1", ask.SameSession
	}}, change...)...)
}

func TestConcurrentEqualRequestsShareCard(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		ids := make([]string, 8)
		var all sync.WaitGroup
		for n := range ids {
			all.Go(func() {
				s, err := w.Submit(t.Context(), alike(string(rune('a'+n))))
				if err != nil {
					t.Error(err)
				}
				ids[n] = s.Record.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Errorf("asked as %v", ids)
			}
		}
		w.calls("post C1")
	})
}

func TestEndedRequestIsAskedAgain(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		seen := map[string]bool{}
		for range 9 {
			first, err := w.Submit(t.Context(), alike("a"))
			if err != nil {
				t.Fatal(err)
			}
			second, err := w.Submit(t.Context(), alike("b"))
			if err != nil || second.Record.ID != first.Record.ID || !second.Existed {
				t.Errorf("the second is %s, %t, %v, want %s", second.Record.ID, second.Existed, err, first.Record.ID)
			}
			if seen[first.Record.ID] || !first.Record.Open() {
				t.Fatalf("asked %d times, and then found %s as it ended", len(seen), first.Record.ID)
			}
			seen[first.Record.ID] = true
			w.act(choose(first.Record, "U1", 1))
			synctest.Wait()
		}
	})
}

// talking is the platform of a replica that receives nothing.
type talking struct{ *bridgetest.Script }

func (talking) Listen(ctx context.Context, _ platform.Handler) error {
	<-ctx.Done()
	return nil
}

// Ended requests are deleted after a week, while a question without a deadline stays.
func TestOpenRequestFoundAfterEarlierExpired(t *testing.T) {
	t.Parallel()
	forever := func(r *ask.Request) { r.ExpiresIn = ask.Never }
	for name, change := range map[string]func(*ask.Request){
		"a question": forever,
		"a prompt that came while the decision could be undone": func(r *ask.Request) {
			forever(r)
			r.Permission, r.Hold = true, 10*time.Second
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := memory.New()
				opts := &bridge.Options{Numbers: keyvalue.Numbers{Store: st.KeyValue()}}
				w := &fixture{t: t, store: st, chat: bridgetest.NewScript("slack", render.Limits{})}
				stop := w.begin(opts)
				submit := func(at *fixture, key string) bridge.Submission {
					s, err := at.Submit(t.Context(), alike(key, change))
					if err != nil {
						t.Error(err)
					}
					return s
				}
				answered := submit(w, "a").Record
				w.act(choose(answered, "U1", 1))
				standing := submit(w, "b").Record
				time.Sleep(time.Minute)
				stop()
				time.Sleep(8 * 24 * time.Hour)
				other := &fixture{t: t, store: st, chat: w.chat}
				defer w.begin(opts, talking{w.chat})()
				defer other.begin(opts, talking{w.chat})()
				if _, err := w.Load(t.Context(), answered.ID); !errors.Is(err, bridge.ErrNotFound) || answered.ID == standing.ID {
					t.Fatalf("of %s and %s the first is not forgotten: %v", answered.ID, standing.ID, err)
				}
				var all sync.WaitGroup
				for n, at := range []*fixture{w, other, w, other} {
					all.Go(func() {
						if s := submit(at, fmt.Sprint(n)); s.Record.ID != standing.ID {
							t.Errorf("an equal one is asked as %s, while %s is open", s.Record.ID, standing.ID)
						}
					})
				}
				all.Wait()
				if _, err := w.Cancel(t.Context(), standing.ID, "enough"); err != nil {
					t.Fatal(err)
				}
				if s := submit(other, "last"); s.Existed || s.Record.ID == answered.ID {
					t.Errorf("once that has ended it is asked as %s, which was there: %t", s.Record.ID, s.Existed)
				}
			})
		})
	}
}

func TestDifferentRequestsAreSeparate(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		ids := map[string]string{}
		for name, r := range map[string]ask.Request{
			"the first":         alike("a"),
			"another session":   alike("b", func(r *ask.Request) { r.Session = "s2" }),
			"another context":   alike("b", func(r *ask.Request) { r.Context = "Before the release." }),
			"another agent":     alike("b", func(r *ask.Request) { r.Agent = "other" }),
			"another tenant":    alike("b", func(r *ask.Request) { r.Tenant = "other" }),
			"another option":    alike("b", func(r *ask.Request) { r.Questions[0].Options[0].Description = "Another" }),
			"another responder": alike("b", func(r *ask.Request) { r.Responders = []string{"slack:U1"} }),
			"the whole agent's": alike("b", func(r *ask.Request) { r.Same = ask.SameAgent }),
			"one who may not": alike("b", func(r *ask.Request) {
				r.Responders, r.Requesters = []string{"anyone", "not_requester"}, []string{"slack:U1"}
			}),
			"another who may not": alike("b", func(r *ask.Request) {
				r.Responders, r.Requesters = []string{"anyone", "not_requester"}, []string{"slack:U2"}
			}),
			"a token that asks two":  alike("b", func(r *ask.Request) { r.Token.Voting = quorum(2) }),
			"a token that names one": alike("b", func(r *ask.Request) { r.Token.Responders = []string{"slack:U1"} }),
			"a token that holds":     alike("b", func(r *ask.Request) { r.Token.Hold = time.Minute }),
			"a permission":           alike("b", func(r *ask.Request) { r.Permission = true }),
			"a call":                 alike("b", func(r *ask.Request) { r.Permission, r.Operation.Tool = true, "Bash" }),
			"the call in a folder": alike("b", func(r *ask.Request) {
				r.Permission, r.Operation.Tool, r.Operation.Folder = true, "Bash", "/home/dev/build"
			}),
			"in another folder": alike("b", func(r *ask.Request) { r.Permission, r.Operation.Tool, r.Operation.Folder = true, "Bash", "/srv/build" }),
			"in an environment": alike("b", func(r *ask.Request) {
				r.Permission, r.Operation.Tool, r.Operation.Environment = true, "Bash", "staging"
			}),
			"a tool that takes no feedback": alike("b", func(r *ask.Request) { r.Deaf = true }),
			"a result without words":        alike("b", func(r *ask.Request) { r.Wordless = true }),
			"a key and no more":             alike("b", func(r *ask.Request) { r.Same = "" }),
			"another key like it":           alike("c", func(r *ask.Request) { r.Same = "" }),
		} {
			s, err := w.Submit(t.Context(), r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if other, twice := ids[s.Record.ID]; twice {
				t.Errorf("%s is taken for %s", name, other)
			}
			ids[s.Record.ID] = name
		}
	})
}

func TestSessionsOfAgentShareRequest(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		var ids []string
		for _, session := range []string{"s1", "s2", ""} {
			s, err := w.Submit(t.Context(), alike("a", func(r *ask.Request) { r.Session, r.Same = session, ask.SameAgent }))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.Record.ID)
		}
		if ids[0] != ids[1] || ids[1] != ids[2] {
			t.Errorf("asked as %v", ids)
		}
	})
}

func TestEqualRequestsAllReceiveAnswer(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		first, err := w.Submit(t.Context(), alike("a"))
		if err != nil {
			t.Fatal(err)
		}
		outcomes := make(chan ask.Outcome, 2)
		for _, key := range []string{"b", "c"} {
			go func() {
				out, err := w.Ask(t.Context(), alike(key))
				if err != nil {
					t.Error(err)
				}
				outcomes <- out
			}()
		}
		synctest.Wait()
		w.act(choose(first.Record, "U1", 1))
		for range 2 {
			if out := <-outcomes; out.State != ask.Answered || out.Answers[0].Selected[0] != "SQLite" {
				t.Errorf("got %+v", out)
			}
		}
	})
}

func TestSameNeedsSession(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		for same, session := range map[ask.Same]string{ask.SameSession: "", "everybody": "s1"} {
			_, err := w.Submit(t.Context(), alike("a", func(r *ask.Request) { r.Same, r.Session = same, session }))
			if _, refused := errors.AsType[*ask.InvalidError](err); !refused {
				t.Errorf("%q in %q: %v", same, session, err)
			}
		}
	})
}

// The card shows how many equal prompts it decides. A later prompt asks again.
func TestSharedCardCountsPrompts(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		prompt := func(key string, permission bool) ask.Request {
			return alike(key, func(r *ask.Request) { r.Permission = permission })
		}
		submit := func(r ask.Request) bridge.Record {
			s, err := w.Submit(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			return s.Record
		}
		first := submit(prompt("a", true))
		submit(prompt("b", true))
		third := submit(prompt("c", true))
		if third.ID != first.ID || third.Joined != 2 {
			t.Errorf("the third joins %s as %d, want %s and 2", third.ID, third.Joined, first.ID)
		}
		w.act(choose(first, "U1", 1))
		synctest.Wait()
		if fourth := submit(prompt("d", true)); fourth.ID == first.ID || fourth.Joined != 0 {
			t.Errorf("a fourth, after the answer, joins %s as %d", fourth.ID, fourth.Joined)
		}
		if ended := w.load(first.ID); ended.Joined != 2 || ended.Open() {
			t.Errorf("what was answered is joined by %d", ended.Joined)
		}
	})
}

func TestPromptDuringHoldAsksAgain(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		submit := func(key string) bridge.Record {
			s, err := w.Submit(t.Context(), alike(key, func(r *ask.Request) { r.Permission, r.Hold = true, 10*time.Second }))
			if err != nil {
				t.Fatal(err)
			}
			return s.Record
		}
		first := submit("a")
		submit("b")
		w.act(choose(first, "U1", 1))
		third, fourth := submit("c"), submit("d")
		if third.ID == first.ID || fourth.ID != third.ID || fourth.Joined != 1 {
			t.Errorf("after the decision about %s they join %s, and %s as %d", first.ID, third.ID, fourth.ID, fourth.Joined)
		}
		time.Sleep(11 * time.Second)
		if ended := w.load(first.ID); ended.Open() || ended.Joined != 1 {
			t.Errorf("what was decided is %s, joined by %d", ended.Outcome.State, ended.Joined)
		}
		if fifth := submit("e"); fifth.ID != third.ID || !fifth.Open() {
			t.Errorf("one that comes later joins %s, %s, want %s", fifth.ID, fifth.Outcome.State, third.ID)
		}
	})
}

func TestSharedCardDoesNotCountQuestions(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		for _, key := range []string{"a", "b"} {
			if s, err := w.Submit(t.Context(), alike(key)); err != nil || s.Record.Joined != 0 {
				t.Errorf("a question is counted: %d, %v", s.Record.Joined, err)
			}
		}
	})
}

// The configuration now requires more people for a route or posts it elsewhere, so an older card cannot answer an
// equal request.
func TestStricterRouteGetsOwnCard(t *testing.T) {
	t.Parallel()
	places := func(channel string) []ask.Place { return []ask.Place{{Platform: "slack", Channel: channel}} }
	for name, tt := range map[string]struct {
		next   bridge.Route
		joined bool
	}{
		"it is as it was":       {bridge.Route{To: places("C1")}, true},
		"two have to agree now": {bridge.Route{To: places("C1"), Terms: ask.Terms{Voting: quorum(2)}}, false},
		"one person decides":    {bridge.Route{To: places("C1"), Terms: ask.Terms{Responders: []string{"slack:U9"}}}, false},
		"it leads elsewhere":    {bridge.Route{To: places("C2")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				deploys := func(r *ask.Request) { r.To, r.Within = nil, time.Hour }
				options := func(r bridge.Route) *bridge.Options {
					return &bridge.Options{Routes: map[string]bridge.Route{"deploys": r}, DefaultRoute: "deploys"}
				}
				stop := w.begin(options(bridge.Route{To: places("C1")}))
				answered := w.submit(alike("a", deploys, func(r *ask.Request) { r.Context = "Now." }))
				w.act(choose(answered, "U1", 1))
				open := w.submit(alike("b", deploys))
				stop()
				defer w.begin(options(tt.next), talking{w.chat})()
				if s := w.submit(alike("c", deploys)); (s.ID == open.ID) != tt.joined {
					t.Errorf("an equal request shares the open card: %t, want %t", !tt.joined, tt.joined)
				}
				s, err := w.Submit(t.Context(), alike("d", deploys, func(r *ask.Request) { r.Context = "Now." }))
				if err != nil || s.Handed != tt.joined {
					t.Errorf("the answer is handed on: %t, %v, want %t", s.Handed, err, tt.joined)
				}
			})
		})
	}
}

// The answer about production must not reach a caller who asked about staging.
func TestRevisedRequestIsNotShared(t *testing.T) {
	t.Parallel()
	for name, noted := range map[string]bool{"with numbers noted": true, "with none": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &fixture{t: t, store: memory.New(), chat: bridgetest.NewScript("slack", render.Limits{})}
				opts := &bridge.Options{}
				if noted {
					opts.Numbers = keyvalue.Numbers{Store: w.store.(*memory.Store).KeyValue()}
				}
				defer w.begin(opts)()
				first := w.submit(alike("a"))
				first = w.revised(first)
				second := w.submit(alike("b"))
				if second.ID == first.ID || second.Revised > 0 {
					t.Fatalf("who asks what it asked before waits for revision %d of %s", second.Revised, first.ID)
				}
				if third := w.submit(alike("c")); third.ID != second.ID {
					t.Errorf("a third asks as %s while %s is open", third.ID, second.ID)
				}
				w.act(choose(second, "U1", 1))
				synctest.Wait()
				fourth := w.submit(alike("d"))
				if fourth.ID == first.ID || fourth.ID == second.ID || !fourth.Open() {
					t.Errorf("a fourth, after the answer, waits for %s, %s", fourth.ID, fourth.Outcome.State)
				}
				if still := w.load(first.ID); !still.Open() {
					t.Errorf("what was revised is %s", still.Outcome.State)
				}
			})
		})
	}
}

// The bridge retried without a pause to find a request to share for as long as the decision could be undone.
func TestPromptAfterWithdrawalDuringHoldIsAsked(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		prompt := func(key string) ask.Request {
			return alike(key, func(r *ask.Request) { r.Permission, r.Hold = true, 10*time.Second })
		}
		first := w.submit(prompt("a"))
		w.act(choose(first, "U1", 1))
		second := w.submit(prompt("b"))
		if _, err := w.Cancel(t.Context(), second.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		if third := w.submit(prompt("c")); !third.Open() || third.ID == first.ID || third.ID == second.ID {
			t.Errorf("the next one waits for %s, %s", third.ID, third.Outcome.State)
		}
	})
}
