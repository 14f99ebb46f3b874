package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// pool is the set of questions a request can ask, identified by position.
var pool = []ask.Question{singleQ(), another(), deploy(), {Text: "Which colour?", Options: []ask.Option{{Label: "Red"}, {Label: "Blue"}}}}

// revised models a revised request without records: the questions by position in the pool, each person's choices,
// and their questions to the agent.
type revised struct {
	asks  []int
	times int
	chose map[string]map[int]picked
	asked []string
	seen  map[string]bool
	ended map[int]picked // The answers; nil while open.
}

// picked is an option with the platform's time of the choice.
type picked struct {
	Option int
	Order  int64
}

// asksFor changes the questions. Choices stay for questions that stay.
func (f *revised) asksFor(next []int) {
	for who, chosen := range f.chose {
		maps.DeleteFunc(chosen, func(q int, _ picked) bool { return !slices.Contains(next, q) })
		if len(chosen) == 0 {
			delete(f.chose, who)
		}
	}
	f.asks, f.times = next, f.times+1
}

// act is an act of a person on a card of the act's revision.
func (f *revised) act(a Act) {
	if f.ended != nil || f.seen[a.ID] {
		return
	}
	who := a.By.Key()
	if a.Action.Kind == ask.AskAgent {
		f.seen[a.ID], f.asked = true, append(f.asked, a.Action.Text())
		return
	}
	if a.Action.Revised != f.times || a.Action.Question >= len(f.asks) {
		return
	}
	if a.Action.Kind == ask.Select {
		q := f.asks[a.Action.Question]
		if f.chose[who][q].Order > a.Order {
			return // A late arrival is no change of mind.
		}
		if f.chose[who] == nil {
			f.chose[who] = map[int]picked{}
		}
		f.seen[a.ID], f.chose[who][q] = true, picked{a.Action.Picks[a.Action.Question][0], a.Order}
		return
	}
	for _, c := range f.chose[who] {
		if c.Order > a.Order {
			return
		}
	}
	f.seen[a.ID] = true
	if len(f.chose[who]) == len(f.asks) {
		f.ended = f.chose[who]
	}
}

// A request that several people answer over several replicas is revised. Acts on a card of another revision never
// count, choices stay exactly where a question is unchanged, and questions to the agent stay whichever revision they
// came from.
func TestAnswersMatchCardRevision(t *testing.T) {
	t.Parallel()
	some := rapid.SliceOfNDistinct(rapid.IntRange(0, len(pool)-1), 2, 3, rapid.ID)
	questions := func(places []int) (all []ask.Question) {
		for _, q := range places {
			all = append(all, pool[q])
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		f := &revised{asks: some.Draw(t, "asks"), chose: map[string]map[int]picked{}, seen: map[string]bool{}}
		r := openRecord(questions(f.asks)...)
		r.AskBack = ask.AskBackStay
		world := &replicas{t: t, stored: r.Clone(), version: 1}
		views := []Record{r.Clone(), r.Clone(), r.Clone()}
		var history []Act
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			now := start.Add(time.Duration(n) * time.Second)
			at := rapid.IntRange(0, len(views)-1).Draw(t, "replica")
			if rapid.Bool().Draw(t, "reads") {
				views[at] = world.stored.Clone()
			}
			of := f.times - rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "older by")
			if of >= 0 && rapid.IntRange(0, 4).Draw(t, "revises") == 0 {
				next := some.Draw(t, "asks instead")
				err := world.do(&views[at], func(r *Record, now time.Time) error { return r.Revise(asking(of, questions(next)...), nil, now) }, now)
				same := slices.Equal(next, f.asks)
				switch {
				case f.ended != nil || same && (of == f.times || of+1 == f.times):
					if !errors.Is(err, ErrUnchanged) {
						t.Fatalf("a revision that changes nothing: %v", err)
					}
				case of != f.times:
					if !errors.Is(err, ErrRevised) {
						t.Fatalf("a revision of another revision: %v", err)
					}
				case err != nil:
					t.Fatal(err)
				default:
					f.asksFor(next)
				}
				f.compare(t, &world.stored)
				continue
			}
			who := rapid.SampledFrom([]string{"U1", "U2"}).Draw(t, "who")
			q := rapid.IntRange(0, len(f.asks)-1).Draw(t, "question")
			a := by(who, int64(n+1), ask.Select, q, -1).picking(q, rapid.IntRange(0, 1).Draw(t, "option"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				a = by(who, int64(n+1), ask.Submit, -1, -1)
			case 1:
				a = by(who, int64(n+1), ask.AskAgent, -1, -1).writing(-1, fmt.Sprint("why? ", n))
			}
			a = a.of(of)
			if len(history) > 0 && rapid.IntRange(0, 3).Draw(t, "again") == 0 {
				a = rapid.SampledFrom(history).Draw(t, "redelivered")
			}
			history = append(history, a)
			f.act(a)
			_ = world.do(&views[at], func(r *Record, now time.Time) error { _, err := r.Judge(a, DraftMode{}, now); return err }, now)
			f.compare(t, &world.stored)
		}
	})
}

func (f *revised) compare(t *rapid.T, r *Record) {
	var asked []string
	for _, back := range r.AskedBack {
		asked = append(asked, back.Text)
	}
	if r.Revised != f.times || !slices.Equal(asked, f.asked) || r.Open() != (f.ended == nil) {
		t.Fatalf("it was revised %d times, is open: %v, and was asked %q; want %d, %v, %q", r.Revised, r.Open(), asked, f.times, f.ended == nil, f.asked)
	}
	if f.ended != nil {
		for n, a := range r.Outcome.Answers {
			if want := pool[f.asks[n]].Options[f.ended[f.asks[n]].Option].Label; len(a.Selected) != 1 || a.Selected[0] != want {
				t.Fatalf("answered %q, want %q", a.Selected, want)
			}
		}
		return
	}
	chose := map[string]map[int]picked{}
	for who, draft := range r.Drafts {
		chose[who] = map[int]picked{}
		for q, pick := range draft {
			chose[who][f.asks[q]] = picked{pick.Selected[0], pick.Order}
		}
	}
	if diff := cmp.Diff(f.chose, chose); diff != "" {
		t.Fatalf("what is chosen differs: %s", diff)
	}
}
