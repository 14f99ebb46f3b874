package slack

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
)

const (
	releasers = "slack-group:S0000001"
	listed    = "usergroups.users.list"
)

var (
	sam = ask.Person{Platform: Name, ID: idSam}
	kim = ask.Person{Platform: Name, ID: "U0000003"}
)

// groupWorld is a world whose group can change.
func groupWorld(t *testing.T, opts *slacksim.Options) (w *fixture, regroup func(members ...string)) {
	t.Helper()
	if opts == nil {
		opts = &slacksim.Options{}
	}
	group := slacksim.Group{ID: "S0000001", Handle: "releasers", Members: []string{idDana, idSam}}
	opts.Groups = []slacksim.Group{group}
	w = newFixture(t, ModeHTTP, opts)
	return w, func(members ...string) {
		t.Helper()
		group.Members = members
		if _, err := w.sim.PutGroup(group); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *fixture) belongs(p ask.Person, among ...string) []string {
	w.t.Helper()
	mine, err := w.c.GroupsOf(w.t.Context(), p, among)
	w.must(err)
	return mine
}

func TestGroupMembership(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, regroup := groupWorld(t, nil)
		if got := w.belongs(sam, releasers); !slices.Equal(got, []string{releasers}) {
			t.Errorf("Sam belongs to %v", got)
		}
		if got := w.belongs(kim, releasers); len(got) > 0 {
			t.Errorf("Kim belongs to %v", got)
		}
		elsewhere := sam
		elsewhere.Platform = "discord"
		if got := w.belongs(elsewhere, releasers); len(got) > 0 {
			t.Errorf("a person with the same id on another platform belongs to %v", got)
		}
		if n := len(w.sim.Calls(listed)); n != 1 {
			t.Errorf("the group was asked for %d times", n)
		}

		// Who was added waits half a minute, who was taken out has not quite one.
		regroup(idDana, kim.ID)
		pass(groupNoLife - time.Second)
		if got := w.belongs(kim, releasers); len(got) > 0 {
			t.Error("Kim was asked about too soon")
		}
		pass(time.Second)
		if got := w.belongs(kim, releasers); len(got) != 1 {
			t.Error("Kim was added half a minute ago and may not answer")
		}
		if got := w.belongs(sam, releasers); len(got) > 0 {
			t.Error("Sam may answer by a list that has been replaced")
		}
		regroup()
		pass(54 * time.Second)
		if got := w.belongs(kim, releasers); len(got) != 1 {
			t.Error("a list that is not a minute old was not used")
		}
		calls := len(w.sim.Calls(listed))
		pass(5 * time.Second)
		if got := w.belongs(kim, releasers); len(got) > 0 {
			t.Error("Kim left the group a minute ago and may still answer")
		}
		if n := len(w.sim.Calls(listed)); n != calls+1 {
			t.Errorf("the group was asked for %d times more, want once", n-calls)
		}
	})
}

func TestUnavailableGroupHasNoMembers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(w *fixture)
		opts  slacksim.Options
		code  string
	}{
		"a free plan":       {opts: slacksim.Options{FreePlan: true}, code: "plan_upgrade_required"},
		"no scope":          {spoil: func(w *fixture) { w.sim.Grant(canaryBot, "chat:write") }, code: "missing_scope"},
		"a broken Slack":    {spoil: func(w *fixture) { w.sim.Fault(listed, chatsim.Status(500)) }, code: "http_500"},
		"a hanging Slack":   {spoil: func(w *fixture) { w.sim.Fault(listed, chatsim.Hang()) }, code: "timeout"},
		"an impatient one":  {spoil: func(w *fixture) { w.sim.Fault(listed, chatsim.RateLimit(5*time.Second)) }, code: "ratelimited"},
		"an unknown group":  {spoil: func(*fixture) {}, code: "no_such_subteam"},
		"a malformed group": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, _ := groupWorld(t, &tc.opts)
				if tc.spoil != nil {
					tc.spoil(w)
				}
				who := map[string]string{"an unknown group": "slack-group:S0000404", "a malformed group": "slack-group:releasers"}[name]
				if who == "" {
					who = releasers
				}
				mine, err := w.c.GroupsOf(t.Context(), sam, []string{who})
				if len(mine) > 0 || err == nil {
					t.Fatalf("GroupsOf = %v, %v", mine, err)
				}
				var e *platform.Error
				if errors.As(err, &e) != (tc.code != "") || (e != nil && e.Code != tc.code) {
					t.Errorf("the error is %v, want %s", err, tc.code)
				}
				// A second click at once does not ask again; a later one does.
				calls := len(w.sim.Calls(listed))
				if _, err := w.c.GroupsOf(t.Context(), sam, []string{who}); err == nil {
					t.Error("the second look succeeded")
				}
				if n := len(w.sim.Calls(listed)); n != calls {
					t.Errorf("it was asked for again at once")
				}
				if tc.spoil == nil || who != releasers || tc.code == "missing_scope" {
					return
				}
				pass(groupFailLife)
				if got := w.belongs(sam, who); len(got) != 1 {
					t.Error("Sam may not answer although Slack is well again")
				}
			})
		})
	}
}

func TestFailedRefreshKeepsGroupMembers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := groupWorld(t, nil)
		w.belongs(sam, releasers)
		pass(groupLife - time.Second)
		w.sim.Fault(listed, chatsim.Status(500))
		if _, err := w.c.GroupsOf(t.Context(), kim, []string{releasers}); err == nil {
			t.Error("Kim was refused by a stale list, want a retry")
		}
		if got := w.belongs(sam, releasers); len(got) != 1 {
			t.Error("Sam is not known any more")
		}
		// One group that fails does not hide another.
		mine, err := w.c.GroupsOf(t.Context(), sam, []string{"slack-group:S0000404", releasers})
		if diff := cmp.Diff([]string{releasers}, mine); diff != "" || err == nil {
			t.Errorf("GroupsOf = %v, %v", mine, err)
		}
	})
}

// group is a user group that can answer.
func group(id string) ask.Answerer {
	return ask.Answerer{Person: ask.Person{Platform: "slack-group", ID: id}}
}

func TestUserGroupIsNamedWithoutMention(t *testing.T) {
	t.Parallel()
	inBothModes(t, refuse, func(t *testing.T, w *fixture) {
		s := one()
		s.Eligible = ask.Eligible{Who: []ask.Answerer{group("S0000001"), {Person: ask.Person{Platform: "slack", ID: idDana}}, group("S0000404")}}
		ref := w.post(inChannel, s)
		w.sees(idSam, "@releasers, @Dana or Slack group S0000404 can answer")
		w.must(w.c.Update(t.Context(), ref, w.card(s)))
		w.must(w.c.Reply(t.Context(), inChannel, ref, w.card(s)))
		w.press(idSam, "SQLite")
		w.sees(idSam, "It is for: @Dana, @releasers or 2 more people on Discord")
		for _, e := range w.sim.Timeline().Events(chatsim.Pinged) {
			if e.Person != idDana {
				t.Errorf("%s was notified by %q", e.Person, e.Text)
			}
		}
		if n := len(w.sim.Calls("usergroups.list")); n != 1 {
			t.Errorf("Slack was asked %d times what groups are called", n)
		}
		if at := w.sim.Timeline().Events(chatsim.Pinged); len(at) == 0 {
			t.Error("Dana, a named responder, was not notified")
		}
	})
}

func TestUnnamedGroupIsShownByID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := groupWorld(t, nil)
		w.sim.Grant(canaryBot, "chat:write")
		w.listen()
		s := one()
		s.Eligible = ask.Eligible{Who: []ask.Answerer{group("S0000001")}}
		w.post(inChannel, s)
		w.post(inChannel, s)
		w.sees(idSam, "Slack group S0000001 can answer")
		if n := len(w.sim.Calls("usergroups.list")); n != 1 {
			t.Errorf("Slack was asked %d times what groups are called", n)
		}
	})
}

func TestConcurrentLookupsAreCoalesced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := groupWorld(t, nil)
		w.sim.Fault(listed, chatsim.Hang())
		first, giveUp := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := w.c.GroupsOf(first, sam, []string{releasers}); !errors.Is(err, context.Canceled) {
				t.Errorf("the one who gave up got %v", err)
			}
		})
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		all.Go(func() {
			if _, err := w.c.GroupsOf(impatient, sam, []string{releasers}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient one got %v", err)
			}
		})
		for range 20 {
			all.Go(func() {
				mine, err := w.c.GroupsOf(t.Context(), sam, []string{releasers})
				if err != nil || len(mine) != 1 {
					t.Errorf("GroupsOf = %v, %v", mine, err)
				}
			})
		}
		pass(2 * time.Second)
		giveUp()
		all.Wait()
		if n := len(w.sim.Calls(listed)); n != 2 {
			t.Errorf("the group was asked for %d times, want the one that hung and one more", n)
		}
	})
}

func TestGroupMembersArePrefetched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, _ := groupWorld(t, nil)
		w.listen()
		for range 3 {
			if err := w.c.CheckResponder(releasers); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if got := w.belongs(sam, releasers); len(got) != 1 {
			t.Error("Sam does not belong")
		}
		if n := len(w.sim.Calls(listed)); n != 1 {
			t.Errorf("the group was asked for %d times", n)
		}
		w.post(inChannel, one())
		w.press(idSam, "SQLite")
		if got := w.last().Person.Name; got != "Sam" {
			t.Errorf("a member of the group is called %q, want Sam", got)
		}
		pass(groupLife / 2)
		w.must(w.c.CheckResponder(releasers))
		synctest.Wait()
		if n := len(w.sim.Calls(listed)); n != 2 {
			t.Errorf("a new question did not refresh the group: %d calls", n)
		}
	})
}

func TestCacheSizeIsLimited(t *testing.T) {
	t.Parallel()
	k := newKnown(func(_ context.Context, id string) (string, error) { return id, nil }, maxKnown)
	for i := range 2 * maxKnown {
		id := string(rune('a'+i%26)) + time.Duration(i).String()
		if f := k.get(t.Context(), id, func(f fact[string]) bool { return f.value != "" }); f.value != id {
			t.Fatalf("get %s = %q", id, f.value)
		}
	}
	if n := k.facts.Len(); n > maxKnown {
		t.Errorf("%d facts are known", n)
	}
	e := newJobs()
	for i := range 2 * maxJobs {
		e.add(time.Duration(i).String(), func(context.Context) {})
	}
	if n := len(e.queue); n != maxJobs {
		t.Errorf("%d jobs wait", n)
	}
}
