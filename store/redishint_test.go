package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/test/redistest"
)

// answered is how a request ends.
func answered(r *bridge.Record, now time.Time) error {
	r.Outcome.State, r.EndedAt, r.Due, r.Lagging = ask.Answered, now, time.Time{}, now
	return nil
}

func TestAHintBringsHowARequestHasEnded(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	here, _ := countedRedis(t, server, RedisLayout{})
	there, used := countedRedis(t, server, RedisLayout{})
	defer listens(t, here).stop()
	far := listens(t, there)
	defer far.stop()
	waitFor(t, "both to know of each other", func() bool { return !here.peers.alone.Load() && far.gaps.Load() > 0 })

	must(t)(here.Create(t.Context(), plain("a1"), dueInAnHour))
	must(t)(here.Change(t.Context(), "a1", bump))
	waitFor(t, "the hints of an open request", func() bool { return far.hints.Load() >= 2 })
	if r, known := there.Ended("a1"); known {
		t.Errorf("an open request has come along as %+v", r)
	}
	ended := must(t)(here.Change(t.Context(), "a1", answered))
	waitFor(t, "the hint of its end", func() bool { return far.hints.Load() >= 3 })
	used()
	got, known := there.Ended("a1")
	if n := used(); n != 0 || !known {
		t.Errorf("known %v after %d round trips, want it at once", known, n)
	}
	equal(t, "the record that came along", got, ended)

	long := plain("a2")
	long.Context = strings.Repeat("long ", 1000)
	must(t)(here.Create(t.Context(), long, dueInAnHour))
	must(t)(here.Change(t.Context(), "a2", answered))
	waitFor(t, "the hint of another end", func() bool { return far.hints.Load() >= 5 })
	if _, known := there.Ended("a2"); known {
		t.Error("a long record has come along with its hint")
	}
}

func TestHintsOfEveryVersionAreRead(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"":                         ` 0 ""`,
		"a1":                       `a1 0 ""`,
		"a1 7":                     `a1 7 ""`,
		"a1 7.k3":                  `a1 7 ""`,
		`a1 7.k3 1 99 {"v":7}`:     `a1 7 "7.k3 1 99 {\"v\":7}"`,
		`a1 7.k3 1 99 {"cx":"."}`:  `a1 7 "7.k3 1 99 {\"cx\":\".\"}"`,
		"a1 what is that supposed": `a1 0 "what is that supposed"`,
	} {
		id, version, value := readHint(message)
		if got := fmt.Sprintf("%s %d %q", id, version, value); got != want {
			t.Errorf("%q is read as %s, want %s", message, got, want)
		}
	}
}

func TestOnlyTheLatestNewsIsKept(t *testing.T) {
	t.Parallel()
	var b brought
	for n := range mostBrought + 1 {
		b.put(fmt.Sprint("a", n), "1 0 0 {}")
	}
	b.put("a0", "")
	if b.get("a0") != "" || b.get("a1") == "" || len(b.values) != mostBrought {
		t.Errorf("%d values are kept, the first %q, the second %q", len(b.values), b.get("a0"), b.get("a1"))
	}
}
