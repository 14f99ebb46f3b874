package redis

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// answered ends a request.
func answered(r *record.Record, now time.Time) error {
	r.Outcome.State, r.EndedAt, r.Due, r.DeliveryDue = ask.Answered, now, time.Time{}, now
	return nil
}

// pair returns two stores that watch one server and have found each other. The function used counts the
// round trips of the second one.
func pair(t *testing.T, here, there Layout) (one, two *Store, far *listener, used func() int64) {
	t.Helper()
	server := redistest.Start(t)
	one, _ = countedRedis(t, server, here)
	two, used = countedRedis(t, server, there)
	near := startWatch(t, one)
	far = startWatch(t, two)
	t.Cleanup(near.stop)
	t.Cleanup(far.stop)
	fixture.WaitFor(t, "both to find each other", func() bool { return !one.notifier.alone.Load() && far.gaps.Load() > 0 })
	return one, two, far, used
}

func TestNotificationIncludesEndedRecord(t *testing.T) {
	t.Parallel()
	here, there, far, used := pair(t, Layout{}, Layout{})
	fixture.Must(t)(here.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	fixture.Must(t)(here.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "the notifications of an open request", func() bool { return far.notifications.Load() >= 2 })
	if r, known := there.Ended("a1"); known {
		t.Errorf("the notification of an open request included %+v", r)
	}
	ended := fixture.Must(t)(here.Change(t.Context(), "a1", answered))
	fixture.WaitFor(t, "the notification of its end", func() bool { return far.notifications.Load() >= 3 })
	used()
	got, known := there.Ended("a1")
	if n := used(); n != 0 || !known {
		t.Errorf("known: %v after %d round trips, want it without one", known, n)
	}
	fixture.Equal(t, "the record in the notification", got, ended)

	long := fixture.Plain("a2")
	long.Context = strings.Repeat("long ", 1000)
	fixture.Must(t)(here.Create(t.Context(), long, fixture.DueInAnHour))
	fixture.Must(t)(here.Change(t.Context(), "a2", answered))
	fixture.WaitFor(t, "the notification of another end", func() bool { return far.notifications.Load() >= 5 })
	if _, known := there.Ended("a2"); known {
		t.Error("a notification included a long record")
	}
}

// TestForgedAnswerIsIgnored simulates an attacker who can publish but not write, and bridges with other
// secrets.
func TestForgedAnswerIsIgnored(t *testing.T) {
	t.Parallel()
	here, there, far, _ := pair(t, Layout{}, Layout{})
	fixture.Must(t)(here.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	open := fixture.Must(t)(here.Load(t.Context(), "a1"))
	forged, err := (&codec.Entry{Rec: open, Write: "k3"}).Apply(answered, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	forged.Write = "k4"
	value, _, err := here.format.pack(forged)
	if err != nil {
		t.Fatal(err)
	}
	token, rest, _ := strings.Cut(value, " ")
	moments := here.notifier.times(&forged.Rec)
	stranger := &notifier{keys: here.keys}
	guess := []byte("another secret")
	stranger.key.Store(&guess)
	for name, message := range map[string]string{
		"as an older version publishes it": "a1 " + value,
		"without a code":                   "a1 " + token + " " + moments + " " + rest,
		"with an empty code":               "a1 " + token + " " + moments + "  " + rest,
		"with the code of another secret":  "a1 " + token + " " + moments + " " + stranger.mac("a1", value) + " " + rest,
		"with the code of another record":  "a1 " + token + " " + moments + " " + here.notifier.mac("b1", value) + " " + rest,
		"with the code of another value":   "a1 " + token + " " + moments + " " + here.notifier.mac("a1", strings.Replace(value, "answered", "expired", 1)) + " " + rest,
	} {
		t.Run(name, func(t *testing.T) {
			before := far.notifications.Load()
			here.conn.client.Publish(t.Context(), "ab:wake", message)
			fixture.WaitFor(t, "the forged notification", func() bool { return far.notifications.Load() > before })
			if r, known := there.Ended("a1"); known {
				t.Errorf("accepted a forged answer: %s %s", r.ID, r.Outcome.State)
			}
		})
	}
	if r := fixture.Must(t)(there.Load(t.Context(), "a1")); r.Outcome.State != ask.Open {
		t.Errorf("the request is %s, want open", r.Outcome.State)
	}
}

// TestNotificationsOfOtherDatabasesAreIgnored runs bridges with the same prefix and secret on two databases of
// one server.
func TestNotificationsOfOtherDatabasesAreIgnored(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	layout := Layout{Secret: []byte("the same for both of them")}
	here := openRedis(t, Options{Addrs: []string{server.Addr}, Layout: layout})
	there := openRedis(t, Options{Addrs: []string{server.Addr}, DB: 1, Layout: layout})
	another := openRedis(t, Options{Addrs: []string{server.Addr}, DB: 1, Layout: layout})
	near, far, third := startWatch(t, here), startWatch(t, there), startWatch(t, another)
	defer near.stop()
	defer far.stop()
	defer third.stop()
	fixture.WaitFor(t, "the two on one database to find each other", func() bool { return !there.notifier.alone.Load() && !another.notifier.alone.Load() })
	fixture.Must(t)(there.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	fixture.Must(t)(there.Change(t.Context(), "a1", answered))
	fixture.WaitFor(t, "the notifications on their own database", func() bool { return far.notifications.Load() == 2 && third.notifications.Load() == 2 })
	if _, known := another.Ended("a1"); !known {
		t.Error("the notification on its own database did not include the record")
	}
	if _, known := here.Ended("a1"); known {
		t.Error("accepted the record of another database")
	}
	fixture.Must(t)(here.Create(t.Context(), fixture.Plain("a2"), fixture.DueInAnHour))
	fixture.WaitFor(t, "our own notification", func() bool { return near.notifications.Load() > 0 })
	if n := near.notifications.Load(); n != 1 {
		t.Errorf("received %d notifications, want only our own", n)
	}
	if near, far := here.notifier.mac("a1", "v"), there.notifier.mac("a1", "v"); near == far {
		t.Error("the code is the same on both databases")
	}
}

// TestOlderVersionsExchangeNotifications sends the messages of an older version.
func TestOlderVersionsExchangeNotifications(t *testing.T) {
	t.Parallel()
	for _, db := range []int{0, 2} {
		t.Run(fmt.Sprintf("database %d", db), func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			r := openRedis(t, Options{Addrs: []string{server.Addr}, DB: db})
			l := startWatch(t, r)
			defer l.stop()
			if !r.notifier.alone.Load() {
				t.Error("not alone at first")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			older := r.conn.client.Subscribe(ctx, "ab:wake")
			if _, err := older.Receive(ctx); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = older.Close() }() // It was only read from.
			r.conn.client.Publish(ctx, "ab:wake", "+older")
			fixture.WaitFor(t, "the older version to be noticed", func() bool { return !r.notifier.alone.Load() })
			before := l.notifications.Load()
			r.conn.client.Publish(ctx, "ab:wake", `a1 7.k3 1 99 {"v":7}`)
			fixture.WaitFor(t, "the notification of the older version", func() bool { return l.notifications.Load() > before })
			fixture.Must(t)(r.Create(ctx, fixture.Plain("a2"), fixture.DueInAnHour))
			for {
				m, err := older.ReceiveMessage(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(m.Payload, "a2 1.") {
					break
				}
			}
		})
	}
}

func TestDecodeMessagesOfEveryVersion(t *testing.T) {
	t.Parallel()
	key := []byte("secret")
	n := &notifier{keys: newKeys("ab", 3, 1)}
	n.key.Store(&key)
	at := time.UnixMicro(1700000000000000).UTC()
	type decoded struct {
		N     record.Notification
		Value string
		Ours  bool
	}
	value := `7.k3 1 99 {"cx":"a b"}`
	for message, want := range map[string]decoded{
		"":                        {Ours: true},
		"a1":                      {N: record.Notification{ID: "a1"}, Ours: true},
		"a1 7":                    {N: record.Notification{ID: "a1"}, Ours: true},
		"a1 7.k3":                 {N: record.Notification{ID: "a1"}, Ours: true},
		"a1 " + value:             {N: record.Notification{ID: "a1"}, Ours: true},
		"a1 some unknown message": {N: record.Notification{ID: "a1"}, Ours: true},
		"a1 7.k3 0:0:3":           {N: record.Notification{ID: "a1", Version: 7}, Ours: true},
		"a1 7.k3 1700000000000000:1700000000000000:3": {N: record.Notification{ID: "a1", Version: 7, Due: at, DeliveryDue: at}, Ours: true},
		"a1 7.k3 0:0:4": {N: record.Notification{ID: "a1"}},
		"a1 7.k3 0:0:3 " + n.mac("a1", value) + ` 1 99 {"cx":"a b"}`: {
			N: record.Notification{ID: "a1", Version: 7}, Value: value, Ours: true,
		},
		"a2 7.k3 0:0:3 " + n.mac("a1", value) + ` 1 99 {"cx":"a b"}`: {N: record.Notification{ID: "a2", Version: 7}, Ours: true},
	} {
		var got decoded
		got.N, got.Value, got.Ours = n.parse(message)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q decodes as (-want +got):\n%s", message, diff)
		}
	}
}

func TestOnlyLatestNotificationsAreCached(t *testing.T) {
	t.Parallel()
	var v endedValues
	for n := range maxEnded + 1 {
		v.put(fmt.Sprint("a", n), "1 0 0 {}")
	}
	v.put("a0", "")
	if v.get("a0") != "" || v.get("a1") == "" || len(v.values) != maxEnded {
		t.Errorf("%d values are cached, the first %q, the second %q", len(v.values), v.get("a0"), v.get("a1"))
	}
}
