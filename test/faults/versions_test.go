//go:build faults

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/redistest"
)

// before is the version that stored records before each store had a folder and a format of its own. Its commit is in
// the history of this repository.
var before = &Variant{Name: "before", Commit: "8eff84435877fb1da7a62f774c314fd7f61425af"}

// versions deploys another version while questions are open and people and agents continue, from the older one to
// the newer one and back.
func versions(t *testing.T, c *claims, platform string) {
	t.Helper()
	for name, way := range map[string][2]*Variant{
		"deployment": {nil, newer}, "way back": {newer, nil},
		"deployment over the version before": {before, nil}, "way back to the version before": {nil, before},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t)
			w := NewWorld(t, onlyOn(platform, redis))
			w.Build = way[0]
			from := []*Replica{w.Start(), w.Start()}
			dana := w.Dana(platform)
			press := func(key, label string) {
				c.person(func() {
					if err := dana.Presses(label, key+"?"); err != nil {
						t.Errorf("%s: %v", key, err)
					}
				})
			}
			early := w.SubmitsPosted(Question(platform, "early")) // Asked at one version, answered at the other.
			asked := w.Asks(Question(platform, "early"))

			w.Build = way[1]
			to := w.Start()
			// And the other way round: the answering version has not seen the record before.
			late, err := to.Agent.Submit(t.Context(), Question(platform, "late"))
			if err != nil {
				t.Fatal(err)
			}
			w.SubmitsPosted(Question(platform, "late"))
			from[0].TakesClicks()
			press("late", "Postgres")
			w.deliver(w.Balancer.URL)
			c.agent(func() { answered(t, w.Asks(Question(platform, "late")).Ends(), "Postgres") })

			// People and agents continue while the rest is replaced.
			for n := range 6 {
				key := fmt.Sprintf("k%d", n)
				w.SubmitsPosted(Question(platform, key))
				a := w.Asks(Question(platform, key))
				switch n {
				case 1, 3:
					from[n/2].Terminate()
				case 2:
					w.Start()
				}
				press(key, "SQLite")
				c.agent(func() { answered(t, a.Ends(), "SQLite") })
			}
			press("early", "Postgres")
			c.agent(func() { answered(t, asked.Ends(), "Postgres") })
			dana.AwaitsClosed()
			c.kept(func() {
				answered(t, w.Gets(early.ID), "Postgres")
				answered(t, w.Gets(late.ID), "Postgres")
				for _, id := range []string{early.ID, late.ID} {
					if !slices.Contains(way[:], newer) {
						continue // Neither version writes anything the other does not know.
					}
					if value := stored(t, redis, id); !strings.Contains(value, `"quorum":3`) {
						t.Errorf("what the newer version wrote is lost: %s", value)
					}
				}
			})
		})
	}
}

// versionsOfAFile stops one version on a file store while a question is open, starts another one, where it is
// answered, and then the first one again, which is asked for it.
func versionsOfAFile(t *testing.T, c *claims, platform string) {
	t.Helper()
	for name, way := range map[string][2]*Variant{"deployment on a file": {before, nil}, "way back on a file": {nil, before}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setup := onlyOn(platform, &redistest.Server{})
			w := NewWorld(t, setup) // Without Redis, the store is a file.
			w.Build = way[0]
			first := w.Start()
			early := w.SubmitsPosted(Question(platform, "early"))
			asked := w.Asks(Question(platform, "early"))
			first.Terminate()

			w.Build = way[1]
			second := w.Start()
			dana := w.Dana(platform)
			c.person(func() { dana.Insists("Postgres") })
			c.agent(func() { answered(t, asked.Ends(), "Postgres") })
			dana.AwaitsClosed()
			second.Terminate()

			w.Build = way[0]
			w.Start()
			c.kept(func() { answered(t, w.Gets(early.ID), "Postgres") })
		})
	}
}

// versionsOfAVote has a build without votes meet an open vote: it would end the request with the first answer, so it
// must not touch it.
func versionsOfAVote(t *testing.T, c *claims, platform string) {
	t.Helper()
	t.Run("vote", func(t *testing.T) {
		t.Parallel()
		w := NewWorld(t, onlyOn(platform, redistest.Start(t)))
		w.Build = before
		old := w.Start()
		w.Build = nil
		knows := w.Start()
		question := Question(platform, "vote")
		question.Voting = ask.Voting{Mode: ask.Quorum, Need: 2}
		made, err := knows.Agent.Submit(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		dana, sam := w.Dana(platform), w.Sam(platform)
		knows.TakesClicks()
		dana.Awaits("2 must agree")
		dana.Insists("SQLite")
		dana.Awaits("SQLite 1 of 2")

		old.TakesClicks()
		c.person(func() {
			if err := sam.Presses("Postgres"); err != nil {
				t.Error(err)
			}
			sam.Awaits("not recorded yet")
		})
		knows.TakesClicks()
		c.kept(func() {
			r, err := knows.Agent.Get(t.Context(), made.ID)
			if err != nil || r.State != ask.Open || r.Voted != 1 {
				t.Errorf("after a press at a build that knows no votes it is %+v, %v", r, err)
			}
		})
		sam.Insists("SQLite")
		sam.AwaitsClosed()
		c.agent(func() {
			r, err := knows.Agent.Get(t.Context(), made.ID)
			if err != nil {
				t.Fatal(err)
			}
			if answered(t, r, "SQLite"); len(r.Votes) != 2 {
				t.Errorf("it was decided by %+v", r.Votes)
			}
		})
	})
}

// stored returns the record of a request in Redis.
func stored(t *testing.T, redis *redistest.Server, id string) string {
	t.Helper()
	return redis.Do("GET", strings.TrimSpace(redis.Do("KEYS", "ab:*:r:"+id)))
}

// fragile is a program that panics on a certain text.
var fragile = &Variant{Name: "fragile", Edits: []Edit{{
	"render/layout.go", "func Layout(s Subject, l Limits) Card {\n",
	"func Layout(s Subject, l Limits) Card {\n	if strings.Contains(s.Questions[0].Text, \"poisoned\") && s.Outcome.State == ask.Open {\n		panic(\"poisoned\")\n	}\n",
}}}

// poisoned asks a question whose card cannot be drawn.
func poisoned(t *testing.T) {
	t.Parallel()
	w := alone(t, Slack)
	w.Build = fragile
	w.Start()
	failed(t, w.Asks(Question(Slack, "poisoned")).Ends(), "internal error")
	w.SubmitsPosted(Question(Slack, "good"))
	good := w.Asks(Question(Slack, "good"))
	dana := w.Dana(Slack)
	dana.Insists("SQLite")
	answered(t, good.Ends(), "SQLite")
	dana.AwaitsClosed()
	if sees := dana.Sees(); strings.Contains(sees, "poisoned") {
		t.Errorf("the person sees:\n%s", sees)
	}
}
