package discordsim_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

func TestReset(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	role, err := sim.PutRole(discordsim.Role{Name: "deciders"})
	if err != nil {
		t.Fatal(err)
	}
	who, err := sim.PutPerson(discordsim.Person{Name: "lee", Roles: []string{role}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Seat(who).Say(deploys, "hello"); err != nil {
		t.Fatal(err)
	}
	sim.SetRoles(kim)
	sim.Fault(chatsim.Any, chatsim.Status(http.StatusTeapot).Always())
	sim.Advance(time.Hour)
	if a := ask(t, sim, "GET", "/users/@me", nil); a.status != http.StatusTeapot {
		t.Errorf("the fault did not happen: %d", a.status)
	}
	sim.Reset()
	if a := ask(t, sim, "GET", "/users/@me", nil); a.status != http.StatusOK {
		t.Errorf("a fault waits still: %d", a.status)
	}
	if seen := sim.Seat(dana).Sees(); seen != "" {
		t.Errorf("Dana sees %q", seen)
	}
	people := sim.People()
	at := slices.IndexFunc(people, func(p discordsim.Person) bool { return p.ID == kim })
	if len(people) != 3 || len(people[at].Roles) != 1 || len(sim.Roles()) != 1 {
		t.Errorf("there are %v and %v", people, sim.Roles())
	}
	if ahead := time.Until(sim.Now()); ahead > time.Minute {
		t.Errorf("the clock is %v ahead", ahead)
	}
}

func TestInvalidPut(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	for name, put := range map[string]func() error{
		"the bot as a person": func() error { _, err := sim.PutPerson(discordsim.Person{ID: botUser}); return err },
		"an unknown role":     func() error { _, err := sim.PutPerson(discordsim.Person{Roles: []string{"1"}}); return err },
		"a thread on nothing": func() error { _, err := sim.PutChannel(discordsim.Channel{Parent: "1"}); return err },
		"a direct message":    func() error { _, err := sim.PutChannel(discordsim.Channel{ID: sim.DM(dana)}); return err },
	} {
		if put() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// The token of an interaction expires after fifteen minutes of the guild's time.
func TestAdvance(t *testing.T) {
	t.Parallel()
	sim := discordsim.Start(t, nil)
	before := sim.Now()
	sim.Advance(16 * time.Minute)
	id, err := sim.Seat(dana).Say(deploys, "hello")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, sim.MessageJSON(id)["timestamp"].(string))
	if err != nil || at.Sub(before) < 16*time.Minute {
		t.Errorf("posted at %v, %v; before it was %v", at, err, before)
	}
}
