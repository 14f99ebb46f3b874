package slacksim_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestReset(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	api := client(sim)
	post(t, sim, question("a", "Postgres")...)
	id, err := sim.PutPerson(slacksim.Person{Name: "lee"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.PutGroup(slacksim.Group{ID: "S0000001", Handle: "others", Members: []string{id}}); err != nil {
		t.Fatal(err)
	}
	sim.Archive("C0000002")
	sim.Fault(chatsim.Any, chatsim.Refuse("is_archived").Always())
	sim.Advance(time.Hour)
	if _, err := api.AuthTestContext(t.Context()); err == nil {
		t.Error("the fault did not happen")
	}
	sim.Reset()
	if _, err := api.AuthTestContext(t.Context()); err != nil {
		t.Errorf("a fault waits still: %v", err)
	}
	if seen := sim.Seat("U0000001").Sees(); seen != "" {
		t.Errorf("Dana sees %q", seen)
	}
	if n := len(sim.Timeline().Events()); n != 0 {
		t.Errorf("%d events are left", n)
	}
	if handle := sim.Groups()[0].Handle; handle != "releasers" || len(sim.People()) != 4 {
		t.Errorf("the group is %s, %d people are there", handle, len(sim.People()))
	}
	if slices.ContainsFunc(sim.Channels(), func(c slacksim.Channel) bool { return c.Archived }) {
		t.Error("a channel is archived still")
	}
	if ahead := time.Until(sim.Now()); ahead > time.Minute {
		t.Errorf("the clock is %v ahead", ahead)
	}
}

func TestPutPerson(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	id, err := sim.PutPerson(slacksim.Person{Name: "lee", RealName: "Lee"})
	if err != nil {
		t.Fatal(err)
	}
	channel, err := sim.PutChannel(slacksim.Channel{Name: "secret", Private: true, Members: []string{id, "U0000BOT"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := client(sim).PostMessageContext(t.Context(), channel, slackapi.MsgOptionText("hello", false)); err != nil {
		t.Fatal(err)
	}
	if err := sim.Seat(id).AwaitText(t.Context(), "hello"); err != nil {
		t.Error(err)
	}
	if seen := sim.Seat("U0000001").Sees(); seen != "" {
		t.Errorf("Dana, who is no member, sees %q", seen)
	}
	for name, put := range map[string]func() error{
		"the bot as a person": func() error { _, err := sim.PutPerson(slacksim.Person{ID: "U0000BOT"}); return err },
		"an unknown member": func() error {
			_, err := sim.PutChannel(slacksim.Channel{ID: "C7", Members: []string{"U7"}})
			return err
		},
		"a direct message":        func() error { _, err := sim.PutChannel(slacksim.Channel{ID: sim.DM("U0000001")}); return err },
		"a group without members": func() error { _, err := sim.PutGroup(slacksim.Group{Members: []string{"U7"}}); return err },
	} {
		if put() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// When the clock moves forward, things expire and scheduled messages are posted at once.
func TestAdvance(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	sim.Expect("response_url.age")
	var url string
	sim.DeliverToHandler("/", app(func(payload map[string]any) (int, string) {
		url, _ = payload["response_url"].(string)
		return http.StatusOK, ""
	}))
	post(t, sim, question("a", "Postgres")...)
	dana := sim.Seat("U0000001")
	if err := dana.Press(t.Context(), "Postgres"); err != nil {
		t.Fatal(err)
	}
	later := sim.Now().Add(20 * time.Minute).Unix()
	if _, _, err := client(sim).ScheduleMessageContext(t.Context(), "C0000001", strconv.FormatInt(later, 10), slackapi.MsgOptionText("It is time.", false)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(dana.Sees(), "It is time.") {
		t.Error("it was posted at once")
	}
	sim.Advance(31 * time.Minute)
	if !strings.Contains(dana.Sees(), "It is time.") {
		t.Errorf("Dana sees %q", dana.Sees())
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"text":"late"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := sim.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("the response_url answers %d after 31 minutes", resp.StatusCode)
	}
}
