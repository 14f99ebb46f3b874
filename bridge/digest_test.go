package bridge_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// searched is a scripted platform that finds digests by their ID. Several bridges can listen to it.
type searched struct {
	*bridgetest.Script

	lost   error // of every search
	killed bool  // A post has its effect, and its reply arrives when the bridge has ended.
}

func (s *searched) Find(_ context.Context, to ask.Place, id string, _ time.Time) (found []platform.MessageRef, err error) {
	if s.lost != nil {
		return nil, s.lost
	}
	for _, ref := range s.Standing() {
		if (ref.Channel == to.Channel || ref.Channel == "D-"+to.User) && s.Card(ref).Request == id {
			found = append(found, ref)
		}
	}
	return found, nil
}

func (s *searched) PostDigest(ctx context.Context, to ask.Place, c render.Card) (platform.MessageRef, error) {
	ref, err := s.Post(ctx, to, c)
	if s.killed {
		<-ctx.Done()
		return platform.MessageRef{}, context.Cause(ctx)
	}
	return ref, err
}

func (s *searched) Listen(ctx context.Context, _ platform.Handler) error {
	<-ctx.Done()
	return nil
}

// digests is a bubble, which begins at midnight in UTC on Saturday, 1 January 2000.
type digests struct {
	*fixture

	values keyvalue.Store
	stop   func()
}

func inDigests(t *testing.T, all []ask.Digest, f func(t *testing.T, w *digests)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := &digests{fixture: &fixture{t: t, store: store, chat: bridgetest.NewScript("slack", render.Limits{})}, values: store.KeyValue()}
		w.stop = w.replica(all)
		f(t, w)
		w.stop()
	})
}

// replica begins a bridge over the same store.
func (w *digests) replica(all []ask.Digest, around ...platform.Platform) (stop func()) {
	w.t.Helper()
	return w.begin(&bridge.Options{Digests: all, DigestStore: keyvalue.Digests{Store: w.values}, ExpiresIn: ask.Never}, around...)
}

// at waits until a time of day, on a day after the first.
func (w *digests) at(day int, clock string) {
	w.t.Helper()
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		w.t.Fatal(err)
	}
	midnight := time.Date(2000, 1, 1+day, 0, 0, 0, 0, time.UTC)
	time.Sleep(time.Until(midnight.Add(t.Sub(t.Truncate(24 * time.Hour)))))
	synctest.Wait()
}

// asks submits a request for U1 in a channel.
func (w *digests) asks(name string, change ...func(*ask.Request)) bridge.Record {
	w.t.Helper()
	return w.submit(database(append([]func(*ask.Request){func(r *ask.Request) {
		r.ToolCallID, r.Responders, r.Agent, r.Questions[0].Text = name, []string{"slack:U1"}, "deploy-bot", name+"?"
	}}, change...)...))
}

// want compares the digests at a place with their texts, oldest first.
func (w *digests) want(channel string, texts ...string) {
	w.t.Helper()
	synctest.Wait()
	var got []string
	for _, ref := range w.chat.Standing() {
		if c := w.chat.Card(ref); ref.Channel == channel && strings.HasPrefix(c.Request, "digest-") {
			got = append(got, strings.TrimSuffix(textOf(c), "\nDigest of . Answered requests leave the list."))
		}
	}
	if diff := gocmp.Diff(texts, got); diff != "" {
		w.t.Errorf("digests in %s at %s:\n%s", channel, time.Now().UTC().Format("02 15:04:05"), diff)
	}
}

// posts counts the messages that were posted at a place.
func (w *digests) posts(channel string) (n int) {
	for _, call := range w.chat.Calls() {
		if call == "post "+channel {
			n++
		}
	}
	return n
}

func nine(to ...ask.Place) []ask.Digest {
	return []ask.Digest{{To: to, At: []string{"09:00"}, Zone: "UTC"}}
}

var (
	toU1 = ask.Place{Platform: "slack", User: "U1"}
	toC1 = ask.Place{Platform: "slack", Channel: "C1"}
)

func TestDigestIsReplacedEachDay(t *testing.T) {
	inDigests(t, nine(toU1, toC1), func(_ *testing.T, w *digests) {
		w.asks("Deploy")
		w.asks("Migrate", func(r *ask.Request) { r.Risk = ask.HighRisk })
		time.Sleep(time.Second)
		w.asks("Other", func(r *ask.Request) { r.Responders = []string{"slack:U2"} })
		w.at(0, "08:59:59")
		w.want("D-U1")
		w.at(0, "09:00:01")
		w.want("D-U1", "2 requests wait for you\nMigrate?\ndeploy-bot\nDeploy?\ndeploy-bot")
		w.want("C1", "3 requests wait in this channel\nMigrate?\ndeploy-bot\nDeploy?\ndeploy-bot\nOther?\ndeploy-bot")
		w.at(0, "23:00:00")
		w.asks("Late")
		w.at(1, "08:59:59")
		w.want("D-U1", "2 requests wait for you\nMigrate?\ndeploy-bot\nDeploy?\ndeploy-bot")
		w.at(1, "09:00:01")
		w.want("D-U1", "3 requests wait for you\nMigrate?\ndeploy-bot\nDeploy?\ndeploy-bot\nLate?\ndeploy-bot")
		if n := w.posts("D-U1"); n != 2 {
			w.t.Errorf("%d direct messages on two days", n)
		}
	})
}

func TestDigestShrinksAsRequestsAreAnswered(t *testing.T) {
	inDigests(t, nine(toU1, toC1), func(_ *testing.T, w *digests) {
		first, second := w.asks("Deploy"), w.asks("Migrate")
		w.at(0, "09:00:01")
		w.act(choose(w.load(first.ID), "U1", 0))
		w.at(0, "09:01:01")
		w.want("D-U1", "1 request waits for you\nMigrate?\ndeploy-bot")
		w.want("C1", "1 request waits in this channel\nMigrate?\ndeploy-bot")
		w.asks("New") // Its card notifies them.
		w.act(choose(w.load(second.ID), "U1", 0))
		w.at(0, "09:02:01")
		w.want("D-U1", "Nothing waits for you any more")
		w.want("C1", "Nothing waits in this channel any more")
		if n := w.posts("D-U1"); n != 1 {
			w.t.Errorf("edits posted %d messages", n)
		}
	})
}

func TestNoDigestIfNothingWaits(t *testing.T) {
	inDigests(t, nine(toU1, toC1), func(_ *testing.T, w *digests) {
		w.asks("Other", func(r *ask.Request) {
			r.Responders, r.To = []string{"slack:U2"}, []ask.Place{{Platform: "slack", Channel: "C2"}}
		})
		done := w.asks("Done")
		w.act(choose(done, "U1", 0))
		w.at(2, "00:00:00")
		w.want("D-U1")
		w.want("C1")
	})
}

func TestNoDigestSoonAfterACard(t *testing.T) {
	for name, c := range map[string]struct {
		change         func(*ask.Request)
		person, places bool // whether there is a digest
	}{
		"that names the person": {func(*ask.Request) {}, false, false},
		"for someone else":      {func(r *ask.Request) { r.Responders = []string{"slack:U2"} }, true, false},
		"in another channel":    {func(r *ask.Request) { r.To[0].Channel = "C2" }, false, true},
		"in a direct message":   {func(r *ask.Request) { r.To = []ask.Place{toU1} }, false, true},
		"that notifies no one":  {func(r *ask.Request) { r.Notify = []string{"nobody"} }, true, false},
		"of another person":     {func(r *ask.Request) { r.Responders, r.Notify = []string{"slack:U2"}, []string{"slack:U1"} }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inDigests(t, nine(toU1, toC1), func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.at(0, "08:00:30")
				w.asks("Fresh", func(r *ask.Request) { r.To = slices.Clone(r.To) }, c.change)
				w.at(0, "09:00:01")
				for channel, want := range map[string]bool{"D-U1": c.person, "C1": c.places} {
					n := 0
					for _, ref := range w.chat.Standing() {
						if ref.Channel == channel && strings.HasPrefix(w.chat.Card(ref).Request, "digest-") {
							n++
						}
					}
					if n == 1 != want {
						w.t.Errorf("%d digests in %s", n, channel)
					}
				}
			})
		})
	}
}

func TestNoDigestSoonAfterAReminder(t *testing.T) {
	inDigests(t, nine(toU1), func(_ *testing.T, w *digests) {
		w.asks("Deploy", func(r *ask.Request) {
			r.Schedule.Steps = []ask.Step{{After: 8*time.Hour + 30*time.Minute, Do: ask.Remind}}
		})
		w.at(0, "10:00:00")
		w.want("D-U1")
		w.at(1, "09:00:01")
		w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
	})
}

func TestDigestFollowsTheClocksOfItsZone(t *testing.T) {
	inDigests(t, nil, func(t *testing.T, w *digests) {
		w.asks("Deploy")
		w.stop()
		w.at(83, "12:00:00") // Friday, 24 March 2000; the clocks of Berlin go forward on Sunday.
		berlin := []ask.Digest{{To: []ask.Place{toU1}, At: []string{"09:00"}, Days: "sat-mon", Zone: "Europe/Berlin"}}
		w.stop = w.replica(berlin, &searched{Script: w.chat})
		for _, due := range []struct {
			day   int
			clock string
		}{{84, "08:00"}, {85, "07:00"}, {86, "07:00"}} {
			w.at(due.day, due.clock+":00")
			before := w.posts("D-U1")
			w.at(due.day, due.clock+":01")
			if after := w.posts("D-U1"); after > before+1 || after != due.day-83 {
				t.Errorf("%d digests by day %d, %s", after, due.day, due.clock)
			}
		}
		w.at(87, "12:00:00")
		if n := w.posts("D-U1"); n != 3 {
			t.Errorf("%d digests by Tuesday", n)
		}
	})
}

func TestTwoReplicasPostOneDigest(t *testing.T) {
	inDigests(t, nine(toU1, toC1), func(_ *testing.T, w *digests) {
		first := w.Bridge
		defer w.replica(nine(toU1, toC1), &searched{Script: w.chat})()
		w.Bridge = first
		r := w.asks("Deploy")
		for day := range 2 {
			w.at(day, "09:00:30")
			w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
			w.want("C1", "1 request waits in this channel\nDeploy?\ndeploy-bot")
		}
		if n := w.posts("D-U1"); n != 2 {
			w.t.Errorf("%d messages on two days", n)
		}
		w.act(choose(w.load(r.ID), "U1", 0))
		w.at(1, "09:02:30")
		w.want("D-U1", "Nothing waits for you any more")
	})
}

func TestRestartRepeatsNoDigest(t *testing.T) {
	inDigests(t, nine(toU1), func(_ *testing.T, w *digests) {
		w.asks("Deploy")
		w.at(0, "09:00:01")
		w.stop()
		w.stop = w.replica(nine(toU1), &searched{Script: w.chat})
		w.at(0, "23:00:00")
		w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
		w.at(1, "09:00:01")
		w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
	})
}

func TestDigestAfterKill(t *testing.T) {
	for name, back := range map[string]string{"at once": "09:00:10", "after an hour": "10:00:10"} {
		t.Run(name, func(t *testing.T) {
			inDigests(t, nil, func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.stop()
				killed := w.replica(nine(toU1), &searched{Script: w.chat, killed: true})
				w.at(0, "09:00:01")
				killed()
				w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
				w.at(0, back)
				w.stop = w.replica(nine(toU1), &searched{Script: w.chat})
				w.at(0, "23:00:00")
				if n := w.posts("D-U1"); n != 1 {
					w.t.Errorf("%d digests after a kill", n)
				}
				w.at(1, "09:00:01")
				w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot") // The first one is gone.
			})
		})
	}
}

// An app without the permission to search once posted no digest any more.
func TestDigestAfterAKillWithoutSearch(t *testing.T) {
	for _, kind := range []platform.Kind{platform.Misconfigured, platform.Ambiguous, platform.Unreachable} {
		t.Run(string(kind), func(t *testing.T) {
			inDigests(t, nil, func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.stop()
				killed := w.replica(nine(toU1), &searched{Script: w.chat, killed: true})
				w.at(0, "09:00:01")
				killed()
				w.stop = w.replica(nine(toU1), &searched{Script: w.chat, lost: &platform.Error{Platform: "slack", Op: "find", Kind: kind, Code: "missing_scope"}})
				w.at(0, "23:00:00")
				if n := w.posts("D-U1"); n != 1 {
					w.t.Errorf("%d digests after a kill", n)
				}
				w.at(1, "09:00:01")
				if n := w.posts("D-U1"); n != 2 {
					w.t.Errorf("%d digests on two days", n)
				}
			})
		})
	}
}

func TestDigestAfterAnOutage(t *testing.T) {
	for start, want := range map[string]int{"09:29:30": 1, "09:30:30": 0} {
		t.Run(start, func(t *testing.T) {
			inDigests(t, nil, func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.stop()
				w.at(0, start)
				w.stop = w.replica(nine(toU1), &searched{Script: w.chat})
				w.at(0, "12:00:00")
				if n := w.posts("D-U1"); n != want {
					w.t.Errorf("%d digests after an outage until %s, want %d", n, start, want)
				}
			})
		})
	}
}

func TestDigestAfterAFailedPost(t *testing.T) {
	failed := func(kind platform.Kind, done bool) bridgetest.Cue {
		return bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: kind, Code: "x", RetryAfter: time.Second}, Done: done}
	}
	for name, c := range map[string]struct {
		cue          bridgetest.Cue
		posts, stand int
	}{
		"rate limited":         {failed(platform.RateLimited, false), 2, 1},
		"failed":               {failed(platform.Transient, false), 2, 1},
		"lost reply":           {failed(platform.Ambiguous, true), 1, 1},
		"lost post":            {failed(platform.Ambiguous, false), 2, 1},
		"closed conversation":  {failed(platform.Unreachable, false), 1, 0},
		"refused as too large": {failed(platform.Refused, false), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inDigests(t, nil, func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.stop()
				w.stop = w.replica(nine(toU1), &searched{Script: w.chat})
				w.at(0, "08:00:00")
				w.chat.On("post", c.cue)
				w.at(0, "12:00:00")
				stand := 0
				for _, ref := range w.chat.Standing() {
					if ref.Channel == "D-U1" {
						stand++
					}
				}
				if n := w.posts("D-U1"); n != c.posts || stand != c.stand {
					w.t.Errorf("%d posts and %d messages, want %d and %d", n, stand, c.posts, c.stand)
				}
			})
		})
	}
}

// zoned is a platform that knows the zones of people.
type zoned struct {
	*searched

	zone string
}

func (z *zoned) ZoneOf(_ context.Context, to ask.Place) (ask.Person, string, error) {
	return ask.Person{Platform: "slack", ID: to.User}, z.zone, nil
}

func TestDigestInTheZoneOfThePerson(t *testing.T) {
	for theirs, c := range map[string]struct{ zone, due string }{
		"America/New_York": {"", "14:00:01"},
		"Asia/Tokyo":       {"", "00:00:01"},
		"Asia/Kolkata":     {"UTC", "09:00:01"},
	} {
		t.Run(theirs+c.zone, func(t *testing.T) {
			inDigests(t, nil, func(_ *testing.T, w *digests) {
				w.asks("Deploy")
				w.stop()
				w.at(1, "12:00:00")
				chat := &zoned{&searched{Script: w.chat}, theirs}
				w.stop = w.replica([]ask.Digest{{To: []ask.Place{toU1}, At: []string{"09:00"}, Zone: c.zone}}, chat)
				day := 2
				if c.due > "12" {
					day = 1
				}
				due, _ := time.Parse("15:04:05", c.due)
				w.at(day, due.Add(-2*time.Second).Format("15:04:05"))
				w.at(day, c.due)
				if n := w.posts("D-U1"); n != 1 {
					w.t.Errorf("%d digests by %s", n, c.due)
				}
			})
		})
	}
}

func TestDigestOfAnUnknownZoneIsNotSent(t *testing.T) {
	inDigests(t, nil, func(_ *testing.T, w *digests) {
		w.asks("Deploy")
		w.stop()
		w.stop = w.replica([]ask.Digest{{To: []ask.Place{toU1}, At: []string{"09:00"}}}, &zoned{&searched{Script: w.chat}, ""})
		w.at(1, "00:00:00")
		w.want("D-U1")
	})
}

func TestDigestsChangeWhileTheBridgeRuns(t *testing.T) {
	inDigests(t, nine(toU1), func(t *testing.T, w *digests) {
		w.asks("Deploy")
		w.at(0, "09:00:01")
		afternoon := nine(toU1)
		afternoon[0].At = []string{"16:00"}
		bridge.SetDigests(w.Bridge, afternoon)
		w.at(0, "16:00:01")
		w.want("D-U1", "1 request waits for you\nDeploy?\ndeploy-bot")
		if n := w.posts("D-U1"); n != 2 {
			t.Errorf("%d digests at two times", n)
		}
		bridge.SetDigests(w.Bridge, nil)
		w.at(3, "00:00:00")
		if n := w.posts("D-U1"); n != 2 {
			t.Errorf("%d digests after they were turned off", n)
		}
		err := bridge.CheckDigests(w.Bridge, []ask.Digest{{To: []ask.Place{{Platform: "irc", User: "U1"}}, At: []string{"9"}}})
		if err == nil || !strings.Contains(err.Error(), "irc") {
			t.Errorf("invalid digests: %v", err)
		}
	})
}

func TestDigestSettings(t *testing.T) {
	t.Parallel()
	at := []string{"09:00"}
	for name, c := range map[string]struct {
		all  []ask.Digest
		want string
	}{
		"a channel without a zone":     {[]ask.Digest{{To: []ask.Place{toC1}, At: at}}, "digest[0].zone"},
		"no times":                     {[]ask.Digest{{To: []ask.Place{toU1}, Zone: "UTC"}}, "digest[0].at"},
		"one person twice":             {slices.Concat(nine(toU1), nine(toC1, toU1)), "digest[1].to[1]"},
		"a place that does not exist":  {nine(ask.Place{Platform: "slack", Channel: "nowhere"}), "digest[0].to[0]"},
		"a platform that is not there": {nine(ask.Place{Platform: "irc", Channel: "C1"}), "digest[0].to[0].platform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bridge.New(memory.New(), []platform.Platform{bridgetest.NewScript("slack", render.Limits{})},
				&bridge.Options{Digests: c.all, DigestStore: keyvalue.Digests{Store: memory.New().KeyValue()}})
			if err == nil || !strings.Contains(fmt.Sprint(err), c.want+":") && !strings.Contains(fmt.Sprint(err), c.want+" ") {
				t.Errorf("error %v, want one at %s", err, c.want)
			}
		})
	}
}
