package askbridgetest_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

// fault makes every call of both platforms fail, or none.
func fault(w *askbridgetest.World, faults ...chatsim.Fault) {
	w.Slack.ClearFaults()
	w.Discord.ClearFaults()
	for _, f := range faults {
		w.Slack.Fault(chatsim.Any, f.Always())
		w.Discord.Fault(chatsim.Any, f.Always())
	}
}

func TestCardsCloseAfterLongOutage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		away        chatsim.Fault
		lasts, late time.Duration
	}{
		"it answers 503 for three hours":        {chatsim.Status(503), 3 * time.Hour, 30 * time.Minute},
		"a thousand rate limits of two seconds": {chatsim.RateLimit(2 * time.Second), time.Hour, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, nil)
				r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, ExpiresIn: 30 * time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(29 * time.Minute)
				fault(w, tt.away)
				time.Sleep(time.Minute + tt.lasts)
				fault(w)
				time.Sleep(tt.late)
				synctest.Wait()
				got, err := w.Client.Get(t.Context(), r.ID)
				if err != nil || got.State != ask.Expired {
					t.Fatalf("it is %+v, %v", got, err)
				}
				for _, d := range got.Delivery {
					if d.State != client.Posted || d.Detail != "" {
						t.Errorf("the card is %+v", d)
					}
				}
			})
		})
	}
}

func TestReminderIsSentAfterOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		r, err := w.Client.Submit(t.Context(), stepwise)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(29 * time.Minute)
		fault(w, chatsim.Status(503))
		time.Sleep(30 * time.Minute)
		fault(w)
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		want := []string{"discord:300000000000000001", "discord:300000000000000001", "slack:U0000001", "slack:U0000001"}
		if diff := cmp.Diff(want, rung(w)); diff != "" {
			t.Errorf("notified (-want +got):\n%s", diff)
		}
		got, err := w.Client.Get(t.Context(), r.ID)
		if err != nil || got.Delivery[0].Detail != "" || got.Delivery[1].Detail != "" {
			t.Errorf("the cards are %+v, %v", got.Delivery, err)
		}
	})
}

func TestManySimultaneousRemindersAreSent(t *testing.T) {
	t.Parallel()
	const many = 60
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		for n := range many {
			req := ask.Request{
				Questions: database, ToolCallID: fmt.Sprint(n), Responders: []string{"discord:300000000000000001"},
				To:       []ask.Place{{Platform: "discord", Channel: deploysOnDiscord}},
				Schedule: ask.Schedule{Steps: []ask.Step{{After: 30 * time.Minute, Do: ask.Remind}}},
			}
			if _, err := w.Client.Submit(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		notified := map[string]int{}
		for _, who := range rung(w) {
			notified[who]++
		}
		if diff := cmp.Diff(map[string]int{"discord:300000000000000001": 2 * many}, notified); diff != "" {
			t.Errorf("notifications of %d cards and as many reminders (-want +got):\n%s", many, diff)
		}
	})
}
