package askbridgetest_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

const (
	workOnSlack     = "C0000007"
	closedOnSlack   = "C0000008"
	workOnDiscord   = "200000000000000007"
	closedOnDiscord = "200000000000000008"
	threadOnDiscord = "200000000000000009"
)

// conversations starts a workspace or a server with the channels work and closed, which the bot cannot post to, and a
// route that sends questions back. It returns a thread in work, and closed.
func conversations(t *testing.T, platform string, agents ...access.Agent) (w *askbridgetest.World, thread, closed ask.Place) {
	t.Helper()
	everyone := []string{"U0000001", "U0000002", "U0000003"}
	deploys := map[string]string{askbridgetest.Slack: deploysOnSlack, askbridgetest.Discord: deploysOnDiscord}[platform]
	w = askbridgetest.Start(t, &askbridgetest.Options{
		Platforms: []string{platform},
		Slack: &slacksim.Options{Channels: []slacksim.Channel{
			{ID: deploysOnSlack, Name: "deploys", Members: append(everyone, "U0000BOT")},
			{ID: workOnSlack, Name: "work", Members: append(everyone, "U0000BOT")},
			{ID: closedOnSlack, Name: "closed", Members: everyone},
		}},
		Discord: &discordsim.Options{Channels: []discordsim.Channel{
			{ID: deploysOnDiscord, Name: "deploys"},
			{ID: workOnDiscord, Name: "work"},
			{ID: threadOnDiscord, Name: "release 4.2", Parent: workOnDiscord},
			{ID: closedOnDiscord, Name: "closed", Denied: discordsim.SendMessages},
		}},
		Bridge: &bridge.Options{
			Routes: map[string]bridge.Route{
				"back": {To: []ask.Place{{Platform: platform, Channel: deploys}}, Origin: true},
				"own":  {To: []ask.Place{{Platform: platform, Channel: deploys}}, Origin: true, Terms: ask.Terms{Responders: []string{ask.OriginPeople}}},
			},
			DefaultRoute: "back",
		},
		Agents: agents,
	})
	if platform == askbridgetest.Discord {
		return w, ask.Place{Platform: platform, Channel: workOnDiscord, Thread: threadOnDiscord}, ask.Place{Platform: platform, Channel: closedOnDiscord}
	}
	ts, err := w.Slack.Seat("U0000001").Say(workOnSlack, "", "Please release 4.2")
	if err != nil {
		t.Fatal(err)
	}
	return w, ask.Place{Platform: platform, Channel: workOnSlack, Thread: ts}, ask.Place{Platform: platform, Channel: closedOnSlack}
}

// rungIn lists who was notified by a message.
func rungIn(timeline *chatsim.Timeline) (who []string) {
	for _, e := range timeline.Events(chatsim.Rung) {
		who = append(who, e.Person)
	}
	return who
}

// onBoth runs a test on each platform.
func onBoth(t *testing.T, f func(t *testing.T, platform string)) {
	t.Helper()
	t.Parallel()
	for _, platform := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { f(t, platform) })
		})
	}
}

func TestOriginGetsTheCard(t *testing.T) {
	onBoth(t, func(t *testing.T, platform string) {
		w, thread, _ := conversations(t, platform)
		dana := platform + ":" + ids[platform]["dana"]
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Origin: ask.Origin{Place: thread, People: []string{dana}, Language: "de"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Delivery) != 1 || r.Delivery[0].Place() != thread || r.Delivery[0].State != client.Posted || len(r.Advice) > 0 {
			t.Errorf("cards %+v, advice %v", r.Delivery, r.Advice)
		}
		var notified []string
		if platform == askbridgetest.Slack {
			notified = rungIn(w.Slack.Timeline())
		} else {
			notified = rungIn(w.Discord.Timeline())
		}
		if !slices.Equal(notified, []string{ids[platform]["dana"]}) {
			t.Errorf("notified %v", notified)
		}
		sam := w.Cast().People["sam"]
		if sees := sam.Sees(); !strings.Contains(sees, "Ein Agent fragt") {
			t.Errorf("the card is not in German:\n%s", sees)
		}
		// Being addressed is not being the only one who may answer.
		if err := sam.Press(t.Context(), "SQLite"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.State != ask.Answered {
			t.Errorf("it is %s, %v", got.State, err)
		}
	})
}

func TestOriginPeopleAnswerIfTheRouteAllows(t *testing.T) {
	onBoth(t, func(t *testing.T, platform string) {
		w, thread, _ := conversations(t, platform)
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Route: "own", Origin: ask.Origin{Place: thread, People: []string{platform + ":" + ids[platform]["dana"]}}})
		if err != nil {
			t.Fatal(err)
		}
		state := func(who string) ask.State {
			if err := w.Cast().People[who].Press(t.Context(), "SQLite"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			got, err := w.Client.Get(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			return got.State
		}
		if got := state("sam"); got != ask.Open {
			t.Errorf("after a press of Sam it is %s", got)
		}
		if got := state("dana"); got != ask.Answered {
			t.Errorf("after a press of Dana it is %s", got)
		}
	})
}

func TestOriginWithoutTheBotFallsBack(t *testing.T) {
	onBoth(t, func(t *testing.T, platform string) {
		w, _, closed := conversations(t, platform)
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Origin: ask.Origin{Place: closed, People: []string{platform + ":" + ids[platform]["dana"]}, Language: "de"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Delivery) != 2 || r.Delivery[0].State != client.Undeliverable || r.Delivery[1].State != client.Posted {
			t.Fatalf("cards %+v", r.Delivery)
		}
		dana := w.Cast().People["dana"]
		if sees := dana.Sees(); strings.Contains(sees, "Ein Agent fragt") || strings.Count(sees, "Which database?") != 1 {
			t.Errorf("Dana sees\n%s", sees)
		}
		if err := dana.Press(t.Context(), "SQLite"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.State != ask.Answered {
			t.Errorf("it is %s, %v", got.State, err)
		}
	})
}

// An agent names any thread, and its token covers one channel.
func TestOriginStaysWithinTheToken(t *testing.T) {
	onBoth(t, func(t *testing.T, platform string) {
		work := map[string]string{askbridgetest.Slack: workOnSlack, askbridgetest.Discord: workOnDiscord}[platform]
		deploys := map[string]string{askbridgetest.Slack: deploysOnSlack, askbridgetest.Discord: deploysOnDiscord}[platform]
		w, thread, _ := conversations(t, platform,
			access.Agent{Name: "roaming", Token: "roaming-token", Targets: []string{platform + ":" + work}, Routes: []string{"back"}},
			access.Agent{Name: "bound", Token: "bound-token", Targets: []string{platform + ":" + deploys}, Routes: []string{"back"}},
			access.Agent{Name: "routed", Token: "routed-token", Routes: []string{"back"}},
		)
		for token, want := range map[string]ask.Place{"roaming-token": thread, "bound-token": {Platform: platform, Channel: deploys}, "routed-token": {Platform: platform, Channel: deploys}} {
			agent, err := client.New(w.URL, &client.Options{HTTP: w.HTTP, Token: token})
			if err != nil {
				t.Fatal(err)
			}
			r, err := agent.Submit(t.Context(), ask.Request{Questions: database, Origin: ask.Origin{Place: thread}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Delivery) != 1 || r.Delivery[0].Place() != want {
				t.Errorf("%s asks in %+v", token, r.Delivery)
			}
			if denied := len(r.Advice) == 1 && strings.Contains(r.Advice[0].Detail, "this token may not ask there"); denied != (want != thread) {
				t.Errorf("%s gets the advice %v", token, r.Advice)
			}
		}
	})
}
