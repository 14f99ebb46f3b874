//go:build faults

package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/words"
)

// history is what people and agents did and saw, as they saw it.
type history struct {
	mu    sync.Mutex
	acts  []act
	reads []read
	rules map[int]*rule // of the lives that several people decide
}

// under says by which rule a life is decided.
func (h *history) under(life int, r *rule) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rules == nil {
		h.rules = map[int]*rule{}
	}
	h.rules[life] = r
}

var start = time.Now()

// act is somebody's attempt to end a life.
type act struct {
	life            int
	person, channel string
	wants           string // the outcome if it is the first
	call, done      int64
	at              time.Time
	// sure says that whoever acted was told that it has arrived. Else nobody
	// knows, and it may even take effect later.
	sure bool
	// told is the private note that came of it; settled, that a second one came
	// after a doubtful first.
	told    string
	settled bool
	// doubted says that soon after it the person was told that something may not count.
	doubted bool
}

// until is when it is done for sure.
func (a act) until() int64 {
	if !a.sure || a.doubtful() {
		return forever // It may still come to pass.
	}
	return a.done
}

// read is a look at how a life stands; saw is empty while it is open, or begins so
// where several people decide.
type read struct {
	life       int
	call, done int64
	saw        string
}

func (r read) ended() bool { return r.saw != "" && !strings.HasPrefix(r.saw, string(ask.Open)) }

// lasted is from when until when an act or a look was under way.
func lasted(input any) (call, done int64) {
	if a, ok := input.(act); ok {
		return a.call, a.until()
	}
	return input.(read).call, input.(read).done
}

func (*history) clock() int64 { return int64(time.Since(start)) }

func (h *history) act(a act) {
	a.done = h.clock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts = append(h.acts, a)
}

func (h *history) read(life int, call int64, saw string) {
	done := h.clock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reads = append(h.reads, read{life, call, done, saw})
}

// figures sums the history up.
func (h *history) figures() string {
	sure, unsure, doubted, votes, back, undone := 0, 0, 0, 0, 0, 0
	for _, a := range h.acts {
		switch {
		case h.rules[a.life] == nil:
		case a.wants == takesBack:
			back++
		case a.wants == undoes:
			undone++
		default:
			votes++
		}
		switch {
		case a.doubtful():
			doubted++
		case a.sure:
			sure++
		default:
			unsure++
		}
	}
	return fmt.Sprintf("%d clicks and withdrawals acknowledged, %d not, %d acknowledged with a note that they may not be recorded; %d looks at how a request stands; an order found for all of them; where several people decide, %d votes pressed, %d times to take one back, %d times to undo", sure, unsure, doubted, len(h.reads), votes, back, undone)
}

// doubtful reports whether the person was told that it may not count.
func (a act) doubtful() bool { return a.sure && (a.doubted || doubts(a.told)) }

// english are the words in which people are told.
var english = words.In(words.Default)

// doubts reports whether a note says that an act may not count.
func doubts(note string) bool {
	return slices.ContainsFunc([]string{
		english.Note.Trying, english.Note.Thin, english.Note.TryAgain, english.Note.Unchecked, english.Note.Elsewhere,
		english.Reply.Late, english.Reply.Busy, english.Reply.Broken,
	}, func(text string) bool { return strings.Contains(note, text) })
}

// afterwards is how long after an act a note can be that doubts it.
const afterwards = 10 * time.Second

// refused reports whether the person was told that it was over.
func (a act) refused() bool {
	return strings.Contains(a.told, alreadyBy) || strings.Contains(a.told, english.Closed.Withdrawn)
}

// alreadyBy is how a note begins that tells who answered what.
var alreadyBy, _, _ = strings.Cut(english.Closed.Answered("\x00", ""), "\x00")

// hear adds to each act the private note that the platform showed for it: one in
// that channel to that person after it. Notes can be late, so one that tells of
// an end belongs to the newest act whose life ended so. It returns the notes that
// fit no act.
func (h *history) hear(notes []chatsim.Event) (stray []chatsim.Event) {
	type lane struct{ person, channel string }
	final, acts, tries := h.final(), map[lane][]*act{}, map[trying]int{}
	for n := range h.acts {
		a := &h.acts[n]
		_, id, _ := strings.Cut(a.person, ":")
		acts[lane{id, a.channel}] = append(acts[lane{id, a.channel}], a)
		tries[trying{a.life, a.person}]++
	}
	for _, all := range acts {
		slices.SortFunc(all, func(a, b *act) int { return cmp.Compare(a.call, b.call) })
	}
	for _, note := range notes {
		for _, a := range acts[lane{note.Person, note.Channel}] {
			after := note.At.Sub(a.at)
			a.doubted = a.doubted || doubts(note.Text) && after >= 0 && after < afterwards
		}
		before := slices.DeleteFunc(slices.Clone(acts[lane{note.Person, note.Channel}]), func(a *act) bool { return a.at.After(note.At) })
		fits := true
		for _, a := range slices.Backward(before) {
			who, label, ok := answer(note.Text)
			if ok && !tells(a, who, label, final, tries) || strings.Contains(note.Text, english.Closed.Withdrawn) && ended(final[a.life]) != ask.Cancelled {
				fits = false
				continue
			}
			if fits = true; a.told == "" || a.doubtful() && !a.settled {
				a.settled = a.told != ""
				a.told = cmp.Or(a.told, note.Text)
			}
			break
		}
		if !fits {
			stray = append(stray, note)
		}
	}
	return stray
}

// trying is somebody in a life.
type trying struct {
	life   int
	person string
}

// tells reports whether a note about who answered what can be for an act: its
// life ended so, by somebody else or by another act of the same person.
func tells(a *act, who, label string, final map[int]string, tries map[trying]int) bool {
	for _, who := range []string{who, onSlack(who)} {
		if final[a.life] != "answered "+label+" by "+who {
			continue
		}
		if a.person != who || tries[trying{a.life, who}] > 1 {
			return true
		}
	}
	return false
}

// names are the people as notes call them.
var names = map[string]string{"dana": "1", "sam": "2", "kim": "3"}

// answer reads a note that tells who answered what, as somebody on Discord.
func answer(note string) (who, label string, ok bool) {
	_, note, ok = strings.Cut(note, alreadyBy)
	name, label, _ := strings.Cut(note, ": ")
	return "discord:30000000000000000" + names[strings.ToLower(name)], strings.TrimSuffix(label, "."), ok
}

// onSlack is the same person there.
func onSlack(who string) string { return "slack:U000000" + who[len(who)-1:] }

// final is how each life ended, as it was seen.
func (h *history) final() map[int]string {
	all := map[int]string{}
	for _, r := range h.reads {
		if r.ended() {
			all[r.life] = r.saw
		}
	}
	return all
}

// operations is the history as the checker takes it.
func (h *history) operations() []porcupine.Operation {
	var all []porcupine.Operation
	for n, a := range h.acts {
		all = append(all, porcupine.Operation{ClientId: n, Input: a, Output: nil, Call: a.call, Return: a.until()})
	}
	for n, r := range h.reads {
		all = append(all, porcupine.Operation{ClientId: len(h.acts) + n, Input: r, Output: nil, Call: r.call, Return: r.done})
	}
	return all
}

// decisions is what the bridge promises of each life: the first act decides, for
// ever, and everybody sees the same.
var decisions = porcupine.NondeterministicModel{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		byLife := map[int][]porcupine.Operation{}
		for _, op := range all {
			byLife[lifeOf(op.Input)] = append(byLife[lifeOf(op.Input)], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range byLife {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() []any { return []any{""} },
	Step: func(state, input, _ any) []any {
		now := state.(string)
		switch op := input.(type) {
		case read:
			if op.saw == now {
				return []any{now}
			}
			return nil
		case act:
			switch {
			case op.refused():
				if now == "" {
					return nil // Refused, though nothing was decided.
				}
				return []any{now}
			case now != "" && op.sure:
				return []any{now}
			case now != "":
				return []any{now}
			case op.sure && !op.doubtful():
				return []any{op.wants}
			}
			return []any{op.wants, ""}
		}
		return nil
	},
	Equal:             func(a, b any) bool { return a == b },
	DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%+v", input) },
}

func lifeOf(input any) int {
	if a, ok := input.(act); ok {
		return a.life
	}
	return input.(read).life
}

// judge asks the checker about every life and names those that are wrong. It returns how many have
// so many acts of which nobody knows whether they count that the checker came to no end: more than
// one in a hundred fail the test.
func (h *history) judge(t testing.TB, about func(life int) []string) (endless int) {
	t.Helper()
	parts := decisions.Partition(h.operations())
	for _, part := range parts {
		life := lifeOf(part[0].Input)
		verdict := h.verdict(life, part)
		if verdict == porcupine.Unknown {
			endless++
			t.Logf("life %d: no verdict within %s", life, judging)
		}
		if verdict != porcupine.Illegal {
			continue
		}
		slices.SortFunc(part, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		var told []string
		for _, op := range part {
			told = append(told, fmt.Sprintf("%s..%s %+v", time.Duration(op.Call), time.Duration(op.Return), op.Input))
		}
		if r := h.rules[life]; r != nil {
			told = append(told, fmt.Sprintf("under %+v", *r))
		}
		t.Errorf("life %d has no order in which it makes sense:\n%s", life, strings.Join(append(told, about(life)...), "\n"))
	}
	if endless > max(1, len(parts)/100) {
		t.Errorf("of %d lives %d have no verdict", len(parts), endless)
	}
	return endless
}

// judging is how long the checker may think about one life.
const judging = time.Minute

func TestCheckerFindsErrors(t *testing.T) {
	t.Parallel()
	click := func(wants string, call, done int64, sure bool, told string) act {
		return act{life: 1, wants: wants, call: call, done: done, sure: sure, told: told}
	}
	for name, tt := range map[string]struct {
		acts  []act
		reads []read
		right bool
	}{
		"one click, one result":              {[]act{click("a", 1, 2, true, "")}, []read{{1, 3, 4, "a"}}, true},
		"a look before and after":            {[]act{click("a", 2, 5, true, "")}, []read{{1, 1, 3, ""}, {1, 6, 7, "a"}}, true},
		"two clicks, the first wins":         {[]act{click("a", 1, 2, true, ""), click("b", 3, 4, true, "Already answered")}, []read{{1, 5, 6, "a"}}, true},
		"an acknowledged click is lost":      {[]act{click("a", 1, 2, true, "")}, []read{{1, 3, 4, ""}}, false},
		"an acknowledged click is overtaken": {[]act{click("a", 1, 2, true, ""), click("b", 3, 4, true, "")}, []read{{1, 5, 6, "b"}}, false},
		"two results":                        {[]act{click("a", 1, 9, true, ""), click("b", 1, 9, true, "")}, []read{{1, 10, 11, "a"}, {1, 12, 13, "b"}}, false},
		"an answer nobody gave":              {[]act{click("a", 1, 2, true, "")}, []read{{1, 3, 4, "c"}}, false},
		"an unknown click counts late":       {[]act{click("a", 1, 2, false, "")}, []read{{1, 3, 4, ""}, {1, 5, 6, "a"}}, true},
		"an unknown click never counts":      {[]act{click("a", 1, 2, false, ""), click("b", 3, 4, true, "")}, []read{{1, 5, 6, "b"}}, true},
		"a doubtful click may be lost":       {[]act{click("a", 1, 2, true, english.Note.TryAgain)}, []read{{1, 3, 4, ""}}, true},
		"refused though open":                {[]act{click("a", 1, 2, true, "Already answered")}, []read{{1, 3, 4, ""}}, false},
		"a result that is taken back":        {[]act{click("a", 1, 2, true, "")}, []read{{1, 3, 4, "a"}, {1, 5, 6, ""}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := history{acts: tt.acts, reads: tt.reads}
			if got := porcupine.CheckOperations(decisions.ToModel(), h.operations()); got != tt.right {
				t.Errorf("judged %v", got)
			}
		})
	}
}

func TestLateNoteBelongsToItsRequest(t *testing.T) {
	t.Parallel()
	const dana, sam = "discord:300000000000000001", "discord:300000000000000002"
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	by := func(life int, who string, when int) act {
		return act{life: life, person: who, channel: "C", call: int64(when), at: at(when)}
	}
	reads := []read{{life: 1, saw: "cancelled"}, {life: 2, saw: "answered Alpha by " + sam}, {life: 3, saw: "answered Bravo by " + dana}}
	for name, tt := range map[string]struct {
		acts []act
		note string
		who  string
		life int // the one whose newest act has it; 0 for none
	}{
		"an answer of somebody else":           {[]act{by(2, dana, 1), by(3, dana, 2)}, "Already answered by Sam: Alpha.", dana, 2},
		"a withdrawal":                         {[]act{by(1, dana, 1), by(2, dana, 2)}, "The agent withdrew this question. Nothing was recorded.", dana, 1},
		"one's own answer, by a second click":  {[]act{by(3, dana, 1), by(3, dana, 2)}, "Already answered by Dana: Bravo.", dana, 3},
		"one's own answer, by one click alone": {[]act{by(3, dana, 1)}, "Already answered by Dana: Bravo.", dana, 0},
		"an answer that nobody gave":           {[]act{by(2, dana, 1)}, "Already answered by Sam: Charlie.", dana, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := history{acts: tt.acts, reads: reads}
			_, id, _ := strings.Cut(tt.who, ":")
			stray := h.hear([]chatsim.Event{{Person: id, Channel: "C", Text: tt.note, At: at(9)}})
			got := 0
			for _, a := range h.acts {
				if a.told != "" {
					got = a.life
				}
			}
			if got != tt.life || (len(stray) > 0) != (tt.life == 0) {
				t.Errorf("life %d has it, and %d are astray", got, len(stray))
			}
		})
	}
}
