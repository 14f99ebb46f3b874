package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// stepwise reminds Dana and then asks Sam, in a second channel as well.
var stepwise = ask.Request{
	Questions: database, Responders: []string{"slack:U0000001", "discord:300000000000000001"},
	Schedule: ask.Schedule{Steps: []ask.Step{
		{After: 30 * time.Minute, Do: ask.Remind},
		{
			After: 2 * time.Hour, Do: ask.Add, Responders: []string{"slack:U0000002", "discord:300000000000000002"},
			To: []ask.Place{{Platform: "slack", Channel: "C0000002"}},
		},
	}},
}

func TestStepsHappenOnBothPlatforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		r, err := w.Client.Submit(t.Context(), stepwise)
		if err != nil {
			t.Fatal(err)
		}
		wantNotified := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, rung(w)); diff != "" {
				t.Errorf("%s notified (-want +got):\n%s", when, diff)
			}
		}
		const dana, danaToo, sam, samToo = "discord:300000000000000001", "slack:U0000001", "discord:300000000000000002", "slack:U0000002"
		wantNotified("at first", dana, danaToo)
		time.Sleep(31 * time.Minute)
		wantNotified("after half an hour", dana, dana, danaToo, danaToo)
		time.Sleep(2 * time.Hour)
		// On Slack, Sam is notified below the first card and by the added one.
		wantNotified("after two hours", dana, dana, sam, danaToo, danaToo, samToo, samToo)
		got, err := w.Client.Get(t.Context(), r.ID)
		if err != nil || len(got.Delivery) != 3 || got.Delivery[2].State != client.Posted || len(got.Responders) != 4 {
			t.Errorf("%v: it is shown at %+v, for %q", err, got.Delivery, got.Responders)
		}
		if len(got.Steps) != 2 || !got.Steps[1].Done || !got.Steps[0].At.Equal(r.CreatedAt.Add(30*time.Minute).Truncate(time.Microsecond)) {
			t.Errorf("the steps are %+v", got.Steps)
		}
		if err := w.Slack.Seat("U0000002").In("C0000002").Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		if got, err = w.Client.Wait(t.Context(), r.ID); err != nil || got.By.ID != "U0000002" {
			t.Errorf("%v: decided by %+v", err, got.By)
		}
	})
}

// The reply to a reminder is lost, so whether it notified people is unknown.
func TestLostReplyDoesNotRemindAgain(t *testing.T) {
	t.Parallel()
	remindOnce(t, chatsim.LoseReply(), chatsim.LoseReply())
}

// A platform is down at the time of a reminder. It is sent late, and once.
func TestFailedReminderIsRetried(t *testing.T) {
	t.Parallel()
	remindOnce(t, chatsim.RateLimit(30*time.Second), chatsim.Status(503))
}

// remindOnce makes the first reminder fail on both platforms. The card and the reminder notify people once each.
func remindOnce(t *testing.T, onSlack, onDiscord chatsim.Fault) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		if _, err := w.Client.Submit(t.Context(), stepwise); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Minute)
		w.Slack.Fault("chat.postMessage", onSlack)
		w.Discord.Fault("create message", onDiscord)
		time.Sleep(time.Hour)
		synctest.Wait()
		want := []string{"discord:300000000000000001", "discord:300000000000000001", "slack:U0000001", "slack:U0000001"}
		if diff := cmp.Diff(want, rung(w)); diff != "" {
			t.Errorf("notified (-want +got):\n%s", diff)
		}
	})
}

func TestStepsAreLimitedByRouteAndDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		for want, change := range map[string]func(*ask.Request){
			"schedule.steps[1].after: must come before the deadline":    func(r *ask.Request) { r.ExpiresIn = time.Hour },
			"schedule.steps[0].after: must be at least 10s after":       func(r *ask.Request) { r.Schedule.Steps[0].After = time.Second },
			"schedule.steps[1].after: must be at least 10s after":       func(r *ask.Request) { r.Schedule.Steps[1].After = r.Schedule.Steps[0].After },
			"schedule.steps[0].do: is \"remind\", which adds no one":    func(r *ask.Request) { r.Schedule.Steps[0].To = r.Schedule.Steps[1].To },
			"schedule.steps[1]: adds no one":                            func(r *ask.Request) { r.Schedule.Steps[1].To, r.Schedule.Steps[1].Responders = nil, nil },
			"schedule.steps[1].responders: must name people and groups": func(r *ask.Request) { r.Schedule.Steps[1].Responders = []string{"anyone"} },
			"schedule.steps[1].to[0].platform: there is no platform":    func(r *ask.Request) { r.Schedule.Steps[1].To = []ask.Place{{Platform: "pager", Channel: "1"}} },
			"schedule.steps[0].notify[0]: \"Dana\" is neither":          func(r *ask.Request) { r.Schedule.Steps[0].Notify = []string{"Dana"} },
			"schedule.steps[1].responders[0]: slack: responder":         func(r *ask.Request) { r.Schedule.Steps[1].Responders = []string{"slack:Sam"} },
			"schedule.steps[0].do: \"wake\" is neither":                 func(r *ask.Request) { r.Schedule.Steps[0].Do = "wake" },
			"schedule.steps[1].responders: a poll cannot add people":    func(r *ask.Request) { r.Voting = ask.Voting{Mode: ask.Poll} },
		} {
			r := stepwise
			r.Schedule.Steps = append([]ask.Step{}, stepwise.Schedule.Steps...)
			change(&r)
			if _, err := w.Client.Submit(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

func TestRemindersSayHowRequestEnded(t *testing.T) {
	t.Parallel()
	answer := func(t *testing.T, w *askbridgetest.World, _ string) error {
		return w.Slack.Seat("U0000001").Press(t.Context(), "Postgres")
	}
	for name, tt := range map[string]struct {
		end   func(t *testing.T, w *askbridgetest.World, id string) error
		fault []chatsim.Fault // of the edits
		want  string
	}{
		"answered": {end: answer, want: "Answered: Postgres"},
		"answered while Slack limits edits": {
			end: answer, fault: []chatsim.Fault{chatsim.RateLimit(30 * time.Second), chatsim.RateLimit(30 * time.Second)}, want: "Answered: Postgres",
		},
		"withdrawn": {end: func(t *testing.T, w *askbridgetest.World, id string) error {
			_, err := w.Client.Cancel(t.Context(), id, "enough")
			return err
		}, want: "Withdrawn"},
		"dismissed": {end: func(t *testing.T, w *askbridgetest.World, id string) error {
			_, err := w.Bridge.Answer(t.Context(), id, bridge.Operator{Name: "dana", As: []string{"slack:U0000001"}}, "k", ask.Action{Kind: ask.Dismiss})
			return err
		}, want: "Dismissed"},
		"expired": {end: func(*testing.T, *askbridgetest.World, string) error {
			time.Sleep(24 * time.Hour)
			return nil
		}, want: "Expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, nil)
				r, err := w.Client.Submit(t.Context(), stepwise)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(31 * time.Minute)
				synctest.Wait()
				screens := func() string {
					return w.Slack.Seat("U0000001").Sees() + w.Discord.Seat("300000000000000001").Sees()
				}
				if n := strings.Count(screens(), "is waiting"); n != 2 {
					t.Fatalf("%d reminders, want one on each platform:\n%s", n, screens())
				}
				for _, f := range tt.fault {
					w.Slack.Fault("chat.update", f)
				}
				if err := tt.end(t, w, r.ID); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				if all := screens(); strings.Contains(all, "is waiting") || strings.Count(all, tt.want) < 2 {
					t.Errorf("after the end, want %q in place of the reminders:\n%s", tt.want, all)
				}
				if got, err := w.Bridge.Load(t.Context(), r.ID); err != nil || len(got.Reminders) > 0 {
					t.Errorf("%v; reminders left: %+v", err, got.Reminders)
				}
			})
		})
	}
}

func TestReminderIsPostedOnlyWhereItNotifies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		for _, notify := range [][]string{nil, {"slack:U0000001"}} {
			r := ask.Request{Questions: database, Schedule: ask.Schedule{Steps: []ask.Step{{After: time.Minute, Do: ask.Remind, Notify: notify}}}}
			if _, err := w.Client.Submit(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			onSlack, onDiscord := w.Slack.Seat("U0000001").Sees(), w.Discord.Seat("300000000000000001").Sees()
			if got, want := strings.Count(onSlack, "is waiting"), len(notify); got != want || strings.Contains(onDiscord, "is waiting") {
				t.Errorf("notify %q: %d reminders on Slack, want %d and none on Discord:\n%s%s", notify, got, want, onSlack, onDiscord)
			}
		}
	})
}
