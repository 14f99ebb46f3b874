package askbridgetest_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

const (
	deploysOnSlack   = "C0000001"
	deploysOnDiscord = "200000000000000001"
)

// rung lists who was notified by a message on either platform, in order.
func rung(w *askbridgetest.World) []string {
	all := []string{}
	for platform, timeline := range map[string]*chatsim.Timeline{"slack": w.Slack.Timeline(), "discord": w.Discord.Timeline()} {
		for _, e := range timeline.Events(chatsim.Rung) {
			all = append(all, platform+":"+e.Person)
		}
	}
	slices.Sort(all)
	return all
}

func TestOnlyNotifiedPeopleAreMentioned(t *testing.T) {
	t.Parallel()
	named := []string{"slack:U0000001", "discord:300000000000000001"}
	for name, tt := range map[string]struct {
		responders, notify []string
		want               []string
	}{
		"no names, unset":              {nil, nil, []string{}},
		"named responders":             {named, nil, []string{"discord:300000000000000001", "slack:U0000001"}},
		"named responders, empty list": {named, []string{}, []string{}},
		"other people":                 {named, []string{"slack:U0000002", "discord:300000000000000002"}, []string{"discord:300000000000000002", "slack:U0000002"}},
		"the members of a group and of a role": {
			nil,
			[]string{"slack-group:S0000001", "discord-role:400000000000000001"},
			[]string{"discord:300000000000000003", "slack:U0000001", "slack:U0000002"},
		},
		"a person and their group": {nil, []string{"slack:U0000001", "slack-group:S0000001"}, []string{"slack:U0000001", "slack:U0000002"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, nil)
				r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Responders: tt.responders, Notify: tt.notify, Context: "<@U0000003> <!here> @everyone"})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if diff := cmp.Diff(tt.want, rung(w)); diff != "" {
					t.Errorf("rung are (-want +got):\n%s", diff)
				}
				for _, d := range r.Delivery {
					if d.Unnotified != nil || tt.notify == nil && d.Notified != nil {
						t.Errorf("delivery lists %q as notified, %+v as failed", d.Notified, d.Unnotified)
					}
				}
			})
		})
	}
}

// A card that is updated, reposted or sent again notifies no one again.
func TestNotifiedOncePerRequest(t *testing.T) {
	t.Parallel()
	for name, notify := range map[string][]string{"responders": nil, "notify list": {"slack:U0000001", "discord:300000000000000001"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, nil)
				r, err := w.Client.Submit(t.Context(), ask.Request{
					Questions: database, Responders: []string{"slack:U0000001", "discord:300000000000000001"}, Notify: notify,
				})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				want := []string{"discord:300000000000000001", "slack:U0000001"}
				check := func(after string) {
					t.Helper()
					synctest.Wait()
					if diff := cmp.Diff(want, rung(w)); diff != "" {
						t.Fatalf("rung after %s are (-want +got):\n%s", after, diff)
					}
				}
				check("the post")
				w.Slack.DeleteMessage(deploysOnSlack, r.Delivery[0].Message)
				w.Discord.DeleteMessage(deploysOnDiscord, r.Delivery[1].Message)
				if _, err := w.Bridge.Resend(t.Context(), r.ID); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				check("they were put back")
				got, err := w.Client.Get(t.Context(), r.ID)
				if err != nil || got.Delivery[0].Message == r.Delivery[0].Message || got.Delivery[1].Message == r.Delivery[1].Message {
					t.Fatalf("the cards are %+v, %v", got.Delivery, err)
				}
				for n, d := range got.Delivery {
					if notify != nil && (len(d.Notified) != 1 || d.Unnotified != nil) {
						t.Errorf("delivery %d lists %q as notified, %+v as failed", n, d.Notified, d.Unnotified)
					}
				}
				if err := w.Slack.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
					t.Fatal(err)
				}
				check("the end")
			})
		})
	}
}

// A post whose reply was lost may have notified people. If it is found, it is adopted.
func TestLostReplyDoesNotNotifyAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		w.Slack.Fault("chat.postMessage", chatsim.LoseReply())
		w.Discord.Fault("create message", chatsim.LoseReply())
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Notify: []string{"slack:U0000001", "discord:300000000000000001"}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"discord:300000000000000001", "slack:U0000001"}, rung(w)); diff != "" {
			t.Errorf("rung are (-want +got):\n%s", diff)
		}
		if got, err := w.Client.Get(t.Context(), r.ID); err != nil || len(got.Delivery) != 2 || len(got.Delivery[0].Notified) != 1 {
			t.Errorf("delivery is %+v, %v", got.Delivery, err)
		}
	})
}

// If the lost post cannot be searched for, a second card is better than none, and it notifies no one.
func TestUnverifiablePostDoesNotNotifyAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		w.Slack.Fault("chat.postMessage", chatsim.LoseReply())
		w.Slack.Fault("conversations.history", chatsim.Refuse("missing_scope").Always())
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Notify: []string{"slack:U0000001"}, Responders: []string{"slack:U0000001"}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := w.Slack.Seat("U0000001").Rung(); n != 1 || len(w.Slack.Timeline().Events(chatsim.Posted)) != 2 {
			t.Errorf("rung %d times\n%s", n, w.Slack.Timeline())
		}
		got, err := w.Client.Get(t.Context(), r.ID)
		if err != nil || got.Delivery[0].Notified != nil || len(got.Delivery[0].Unnotified) != 1 {
			t.Errorf("delivery is %+v, %v", got.Delivery, err)
		}
	})
}

func TestFailedNotificationIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		to := []ask.Place{{Platform: "slack", Channel: deploysOnSlack}, {Platform: "discord", Channel: deploysOnDiscord}}
		r, err := w.Client.Submit(t.Context(), ask.Request{
			Questions: database, To: to,
			Notify: []string{"requester", "slack:U0000404", "slack-group:S0000404", "slack:U0000001", "discord-role:400000000000000404", "discord:300000000000000404"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, d := range r.Delivery {
			lines = append(lines, fmt.Sprintf("%s notified %q", d.Platform, d.Notified))
			for _, u := range d.Unnotified {
				lines = append(lines, "- "+u.Who+": "+u.Reason)
			}
		}
		want := []string{
			`slack notified ["slack:U0000001"]`,
			"- slack:U0000404: Slack knows no such person",
			"- slack-group:S0000404: there is no such user group, or it is disabled",
			"- requester: unknown: the caller's token names no requester",
			`discord notified []`,
			"- discord-role:400000000000000404: no such role, or one that the bot may not mention",
			"- discord:300000000000000404: Discord knows no such person",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("delivery (-want +got):\n%s", diff)
		}
		if r.State != ask.Open || r.Delivery[0].State != client.Posted || r.Delivery[1].State != client.Posted {
			t.Errorf("the request is %s, %+v", r.State, r.Delivery)
		}
		direct, err := w.Client.Submit(t.Context(), ask.Request{
			Questions: database, To: []ask.Place{{Platform: "slack", User: "U0000001"}}, Notify: []string{"slack:U0000001", "slack:U0000002", "discord:300000000000000001"},
		})
		if err != nil {
			t.Fatal(err)
		}
		d := direct.Delivery[0]
		if len(d.Unnotified) != 2 || !slices.Equal(d.Notified, []string{"slack:U0000001"}) {
			t.Errorf("a direct message notifies %q and fails for %+v", d.Notified, d.Unnotified)
		}
	})
}
