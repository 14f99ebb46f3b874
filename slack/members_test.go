package slack

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
)

const (
	idGuest   = "U0000011"
	idSingle  = "U0000012"
	idCousin  = "U0000013" // of another workspace of the organisation
	idBoth    = "U0000014" // began in that one and belongs to ours as well
	idGone    = "U0000015"
	lookedUp  = "users.info"
	ourTeam   = "T0000001"
	otherTeam = "T0000002"
	org       = "E0000001"
)

// companyWorld is a workspace with guests, in an organisation with another one.
func companyWorld(t *testing.T, mode, guests string, wide bool) *fixture {
	t.Helper()
	w := newFixture(t, mode, &slacksim.Options{
		Enterprise: org, OrgInstall: wide,
		People: []slacksim.Person{
			{ID: idDana, Name: "dana", RealName: "Dana"},
			{ID: idGuest, Name: "gus", RealName: "Gus", Guest: slacksim.MultiChannelGuest},
			{ID: idSingle, Name: "sol", RealName: "Sol", Guest: slacksim.SingleChannelGuest},
			{ID: idCousin, Name: "cora", RealName: "Cora", Team: otherTeam, Teams: []string{otherTeam}},
			{ID: idBoth, Name: "bo", RealName: "Bo", Team: otherTeam, Teams: []string{otherTeam, ourTeam}},
			{ID: idGone, Name: "gil", RealName: "Gil", Disabled: true},
			{ID: idRobin, Name: "robin", RealName: "Robin", Team: "T0000009"},
		},
	})
	w.c.only.self.us.guests = guests != GuestsRefuse
	return w
}

func (w *fixture) membership(i platform.Interaction) ask.Membership {
	w.t.Helper()
	if i.Membership.Settled() {
		return i.Membership
	}
	m, err := w.c.MembershipOf(w.t.Context(), i)
	w.must(err)
	return m
}

func TestAnyoneMeansInstallationMembers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		guests string
		wide   bool
		want   map[string]ask.Membership
	}{
		"guests are welcome": {GuestsAllow, false, map[string]ask.Membership{
			idDana: ask.Member, idGuest: ask.Member, idSingle: ask.Member, idCousin: ask.Outsider, idBoth: ask.Member, idRobin: ask.Outsider,
		}},
		"guests are not": {GuestsRefuse, false, map[string]ask.Membership{
			idDana: ask.Member, idGuest: ask.Guest, idSingle: ask.Guest, idCousin: ask.Outsider, idBoth: ask.Member, idRobin: ask.Outsider,
		}},
		"the whole organisation was asked": {GuestsRefuse, true, map[string]ask.Membership{
			idDana: ask.Member, idGuest: ask.Guest, idCousin: ask.Member, idBoth: ask.Member, idRobin: ask.Outsider,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{ModeHTTP, ModeSocket} {
				synctest.Test(t, func(t *testing.T) {
					w := companyWorld(t, mode, tc.guests, tc.wide)
					w.listen()
					w.post(inChannel, one())
					for person, want := range tc.want {
						w.press(person, "SQLite")
						if got := w.membership(w.last()); got != want {
							t.Errorf("over %s %s is taken for %q, want %q", mode, person, got, want)
						}
					}
				})
			}
		})
	}
}

func TestGuestStatusIsAtMostOneMinuteOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := companyWorld(t, ModeHTTP, GuestsRefuse, false)
		w.listen()
		gus := platform.Interaction{Person: ask.Person{Platform: Name, ID: idGuest}}
		for range 3 {
			if got := w.membership(gus); got != ask.Guest {
				t.Fatalf("Gus is %q", got)
			}
		}
		calls := len(w.sim.Calls(lookedUp))
		pass(54 * time.Second)
		w.membership(gus)
		if n := len(w.sim.Calls(lookedUp)); n != calls {
			t.Errorf("he was asked about again %d times", n-calls)
		}
		pass(5 * time.Second)
		w.membership(gus)
		if n := len(w.sim.Calls(lookedUp)); n != calls+1 {
			t.Errorf("after a minute he was asked about %d times, want once", n-calls)
		}
	})
}

func TestFailedLookupIsNoMember(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w *fixture){
		"a broken Slack":  func(w *fixture) { w.sim.Fault(lookedUp, chatsim.Status(500).Times(9)) },
		"a hanging Slack": func(w *fixture) { w.sim.Fault(lookedUp, chatsim.Hang().Times(9)) },
		"no scope":        func(w *fixture) { w.sim.Grant(canaryBot, "chat:write") },
		"a revoked token": func(w *fixture) { w.sim.Revoke(canaryBot) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := companyWorld(t, ModeHTTP, GuestsRefuse, false)
				w.listen()
				i := platform.Interaction{Person: ask.Person{Platform: Name, ID: idGuest}}
				w.membership(i)
				pass(memberLife)
				spoil(w)
				m, err := w.c.MembershipOf(t.Context(), i)
				if e := (*platform.Error)(nil); m != ask.Unknown || !errors.As(err, &e) {
					t.Errorf("membership from a minute ago: %q, %v", m, err)
				}
			})
		})
	}
}

func TestMembershipIsLookedUpBeforeAuthTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := companyWorld(t, ModeHTTP, GuestsAllow, false)
		w.sim.Fault("auth.test", chatsim.Refuse("internal_error").Times(2))
		w.start()
		w.post(inChannel, one())
		w.press(idRobin, "SQLite")
		robin := w.last()
		if robin.Membership != ask.Unknown {
			t.Fatalf("membership of a visitor is %q before auth.test", robin.Membership)
		}
		if m, err := w.c.MembershipOf(t.Context(), robin); m != ask.Unknown || err == nil {
			t.Errorf("membership of a visitor while auth.test fails: %q, %v", m, err)
		}
		if got := w.membership(robin); got != ask.Outsider {
			t.Errorf("once it does, a visitor is taken for %q", got)
		}
	})
}

// TestOrganizationGroupLookup: auth.test names the organisation, in which no method for
// user groups looks.
func TestOrganizationGroupLookup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := companyWorld(t, ModeHTTP, GuestsAllow, true)
		w.listen()
		if got := w.belongs(dana, releasers); len(got) != 1 {
			t.Errorf("Dana belongs to %v", got)
		}
		s := one()
		s.Eligible = ask.Eligible{Who: []ask.Answerer{group("S0000001")}}
		w.post(inChannel, s)
		w.sees(idDana, "@releasers can answer")
	})
}
