package slack

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func TestFormOrderFollowsEarlierActions(t *testing.T) {
	t.Parallel()
	const opened = "1712345669.500000"
	second := time.Unix(1712345678, 0)
	for name, tc := range map[string]struct {
		pressed, opened string
		at              time.Time // when the press arrived
		when            arrival
		want            int64
	}{
		"over HTTP":                      {"1712345670.000001", opened, second.Add(-8 * time.Second), arrival{at: second.Add(300 * time.Millisecond), sent: 1712345678}, 1712345678300001},
		"over HTTP, clock behind":        {"1712345670.000001", opened, second.Add(-68 * time.Second), arrival{at: second.Add(-60 * time.Second), sent: 1712345678}, 1712345678000001},
		"the press came late":            {"1712345670.000001", opened, second.Add(-5 * time.Second), arrival{at: second.Add(300 * time.Millisecond), sent: 1712345678}, 1712345678000000},
		"the form came late":             {"1712345670.000001", opened, second.Add(-8 * time.Second), arrival{at: second.Add(2 * time.Second), sent: 1712345678}, 1712345678999999},
		"in the same second":             {"1712345678.700000", opened, second, arrival{at: second, sent: 1712345678}, 1712345678700001},
		"over a socket":                  {"1712345670.000001", opened, second.Add(-8 * time.Second), arrival{at: second}, 1712345678000001},
		"over a socket, clock ahead":     {"1712345670.000001", opened, second.Add(time.Hour), arrival{at: second.Add(time.Hour + 3*time.Second)}, 1712345673000001},
		"over a socket, clock behind":    {"1712345670.000001", opened, second.Add(-time.Hour), arrival{at: second.Add(-time.Hour + 3*time.Second)}, 1712345673000001},
		"another replica took the press": {"1712345670.000001", "1712345677.000000", second.Add(-8 * time.Second), arrival{at: second.Add(-2 * time.Second)}, 1712345677000001},
		"nothing arrived here before":    {"", opened, time.Time{}, arrival{at: second.Add(time.Hour)}, 1712345669500001},
		"nor over HTTP":                  {"", opened, time.Time{}, arrival{at: second.Add(time.Hour), sent: 1712345678}, 1712345678000000},
		"of an older version":            {"1712345670.000001", "", second.Add(time.Hour), arrival{at: second.Add(time.Hour + 3*time.Second)}, 1712345673000001},
		"of one, and nothing before":     {"", "", time.Time{}, arrival{at: second}, 1712345678000000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := new(clock)
			if tc.pressed != "" {
				c.acted(tc.pressed, arrival{at: tc.at})
			}
			if got := c.submitted(tc.opened, tc.when); got != tc.want {
				t.Errorf("submitted = %d, want %d", got, tc.want)
			}
		})
	}
	c := new(clock)
	if a, b := c.acted("1712345678.000002", arrival{}), c.acted("1712345678.000001", arrival{}); a != 1712345678000002 || b != 1712345678000001 {
		t.Errorf("an older press that arrives later has the order %d after %d", b, a)
	}
}

func TestResentFormKeepsItsOrder(t *testing.T) {
	t.Parallel()
	second := time.Unix(1712345678, 0)
	c := new(clock)
	first := c.submitted("", arrival{at: second.Add(300 * time.Millisecond), sent: 1712345678})
	picked := c.acted("1712345690.000001", arrival{at: second.Add(12 * time.Second)})
	again := c.submitted("", arrival{at: second.Add(2 * time.Minute), sent: 1712345678})
	if first >= picked || again >= picked {
		t.Errorf("the form has the order %d and then %d, the pick between them %d", first, again, picked)
	}
	if next := c.submitted("", arrival{at: second.Add(2 * time.Minute), sent: 1712345798}); next <= picked {
		t.Errorf("a form that was sent after the pick has the order %d, the pick %d", next, picked)
	}
}

// Over a socket a form has no time of its own. It was ordered by the clock of this
// machine: typed text beat what Dana picked after it, or was lost, without a word.
func TestLastActionWinsDespiteClockSkew(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 10 * time.Second, "right": 0, "behind": -10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeSocket, nil)
				w.sim.Advance(-ahead)
				w.listen()
				w.post(inChannel, several())
				opened := w.opensText()
				time.Sleep(2 * time.Second)
				typed := w.types("Cockroach")
				time.Sleep(3 * time.Second)
				w.must(w.sim.Seat(idDana).Pick(t.Context(), "Which database?", "SQLite"))
				if picked := w.last().Order; typed <= opened || picked <= typed {
					t.Errorf("Dana opens the form at %d, sends it at %d and picks at %d", opened, typed, picked)
				}
			})
		})
	}
}

// The process that takes the form may have seen no press at all.
func TestTypedAnswerAfterPressAtOtherProcess(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": time.Minute, "right": 0, "behind": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeSocket, nil)
				w.sim.Advance(-ahead)
				w.listen()
				ref := w.post(inChannel, several())
				w.must(w.sim.Seat(idDana).Pick(t.Context(), "Which database?", "SQLite"))
				time.Sleep(2 * time.Second)
				opened := w.opensText()
				w.restart()
				time.Sleep(2 * time.Second)
				typed := w.types("Cockroach")
				if got := w.last().Message; got != ref {
					t.Errorf("the form is of the card %v, want %v", got, ref)
				}
				time.Sleep(3 * time.Second)
				w.must(w.sim.Seat(idDana).Pick(t.Context(), "Which database?", "Postgres"))
				if picked := w.last().Order; typed <= opened || picked <= typed {
					t.Errorf("Dana opens the form at %d, sends it at %d and picks at %d", opened, typed, picked)
				}
			})
		})
	}
}

// opensText has Dana open the form of a typed answer, and returns the order of that.
func (w *fixture) opensText() int64 {
	w.t.Helper()
	w.then(func(ctx context.Context, i platform.Interaction, r platform.Responder) error {
		return r.OpenForm(ctx, render.WriteForm(several(), i.Token.Question))
	})
	w.must(w.sim.Seat(idDana).Press(w.t.Context(), "Other…", "Which database?"))
	opened := w.last().Order
	w.then(ackIt)
	return opened
}

// types has her send it, and returns the order of that.
func (w *fixture) types(text string) int64 {
	w.t.Helper()
	seat := w.sim.Seat(idDana)
	w.must(seat.Fill(w.t.Context(), "", text))
	w.must(seat.Submit(w.t.Context()))
	got := w.last()
	if diff := cmp.Diff(map[int]string{0: text}, got.Texts); diff != "" {
		w.t.Fatalf("texts (-want +got)\n%s", diff)
	}
	return got.Order
}

// restart puts a connector that has seen nothing in the place of the present one.
func (w *fixture) restart() {
	w.t.Helper()
	w.stop()
	synctest.Wait()
	c, err := New(w.c.cfg)
	w.must(err)
	w.c = c
	w.listen()
}
