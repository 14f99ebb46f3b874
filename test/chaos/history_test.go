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

// history is what people and agents did and what they saw.
type history struct {
	mu    sync.Mutex
	acts  []act
	reads []read
	rules map[int]*rule // of the lives decided by vote
}

// under sets the rule of a life.
func (h *history) under(life int, r *rule) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rules == nil {
		h.rules = map[int]*rule{}
	}
	h.rules[life] = r
}

var start = time.Now()

// act is an attempt of a person to end a life.
type act struct {
	life            int
	person, channel string
	wants           string // the outcome if this act is the first
	call, done      int64
	at              time.Time
	// sure reports whether the act was acknowledged. Otherwise it may or may not count, and may even take effect
	// later.
	sure bool
	// note is the private note about the act; settled reports whether a second one followed a doubtful first.
	note    string
	settled bool
	// doubted reports whether a later note called the act uncertain.
	doubted bool
}

// until is the latest time at which the act can take effect.
func (a act) until() int64 {
	if !a.sure || a.doubtful() {
		return forever // It may still take effect.
	}
	return a.done
}

// read is one observation of a life. saw is empty while the life is open, or begins so if several people decide.
type read struct {
	life       int
	call, done int64
	saw        string
}

func (r read) ended() bool { return r.saw != "" && !strings.HasPrefix(r.saw, string(ask.Open)) }

// lasted is the time span of an act or a read.
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

// figures summarizes the history.
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

// doubtful reports whether the person was warned that the act may not count.
func (a act) doubtful() bool { return a.sure && (a.doubted || doubts(a.note)) }

// english holds the texts of notes.
var english = words.In(words.Default)

// doubts reports whether a note says that an act may not count.
func doubts(note string) bool {
	return slices.ContainsFunc([]string{
		english.Note.Trying, english.Note.Thin, english.Note.TryAgain, english.Note.Unchecked, english.Note.Elsewhere,
		english.Reply.Late, english.Reply.Busy, english.Reply.Broken,
	}, func(text string) bool { return strings.Contains(note, text) })
}

// afterwards is how long after an act a note may call it uncertain.
const afterwards = 10 * time.Second

// refused reports whether the person learned that the life was over.
func (a act) refused() bool {
	return strings.Contains(a.note, alreadyBy) || strings.Contains(a.note, english.Closed.Withdrawn)
}

// alreadyBy is the beginning of a note that names the answer and its author.
var alreadyBy, _, _ = strings.Cut(english.Closed.Answered("\x00", ""), "\x00")

// addNotes assigns each private note to an act of the same person in the same channel before it. Notes can be late,
// so a note about an end belongs to the newest act of a life that ended so. It returns the notes that fit no act.
func (h *history) addNotes(notes []chatsim.Event) (stray []chatsim.Event) {
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
			if ok && !explains(a, who, label, final, tries) || strings.Contains(note.Text, english.Closed.Withdrawn) && ended(final[a.life]) != ask.Cancelled {
				fits = false
				continue
			}
			if fits = true; a.note == "" || a.doubtful() && !a.settled {
				a.settled = a.note != ""
				a.note = cmp.Or(a.note, note.Text)
			}
			break
		}
		if !fits {
			stray = append(stray, note)
		}
	}
	return stray
}

// trying is a person in a life.
type trying struct {
	life   int
	person string
}

// explains reports whether a note with an answer and its author fits an act: its life ended so, through another
// person or another act of the same person.
func explains(a *act, who, label string, final map[int]string, tries map[trying]int) bool {
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

// names are the people as named in notes.
var names = map[string]string{"dana": "1", "sam": "2", "kim": "3"}

// answer parses a note with an answer and its author, as a Discord user.
func answer(note string) (who, label string, ok bool) {
	_, note, ok = strings.Cut(note, alreadyBy)
	name, label, _ := strings.Cut(note, ": ")
	return "discord:30000000000000000" + names[strings.ToLower(name)], strings.TrimSuffix(label, "."), ok
}

// onSlack returns the same person's Slack account.
func onSlack(who string) string { return "slack:U000000" + who[len(who)-1:] }

// final returns the observed end of each life.
func (h *history) final() map[int]string {
	all := map[int]string{}
	for _, r := range h.reads {
		if r.ended() {
			all[r.life] = r.saw
		}
	}
	return all
}

// operations converts the history for the checker.
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

// decisions is the bridge's promise for each life: the first act decides, permanently, and everyone sees the same.
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
					return nil // Refused although nothing was decided.
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

// judge checks every life and names the wrong ones. It returns how many have so many uncertain acts that the checker
// gave up: more than one in a hundred fail the test.
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
		var ops []string
		for _, op := range part {
			ops = append(ops, fmt.Sprintf("%s..%s %+v", time.Duration(op.Call), time.Duration(op.Return), op.Input))
		}
		if r := h.rules[life]; r != nil {
			ops = append(ops, fmt.Sprintf("under %+v", *r))
		}
		t.Errorf("life %d has no order in which it makes sense:\n%s", life, strings.Join(append(ops, about(life)...), "\n"))
	}
	if endless > max(1, len(parts)/100) {
		t.Errorf("of %d lives %d have no verdict", len(parts), endless)
	}
	return endless
}

// judging is how long the checker may take for one life.
const judging = time.Minute

func TestCheckerFindsErrors(t *testing.T) {
	t.Parallel()
	click := func(wants string, call, done int64, sure bool, note string) act {
		return act{life: 1, wants: wants, call: call, done: done, sure: sure, note: note}
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
		"an answer that was not given":       {[]act{click("a", 1, 2, true, "")}, []read{{1, 3, 4, "c"}}, false},
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
		life int // the life whose newest act gets the note; 0 for none
	}{
		"another person's answer":              {[]act{by(2, dana, 1), by(3, dana, 2)}, "Already answered by Sam: Alpha.", dana, 2},
		"a withdrawal":                         {[]act{by(1, dana, 1), by(2, dana, 2)}, "The agent withdrew this question. Nothing was recorded.", dana, 1},
		"one's own answer, by a second click":  {[]act{by(3, dana, 1), by(3, dana, 2)}, "Already answered by Dana: Bravo.", dana, 3},
		"one's own answer, by one click alone": {[]act{by(3, dana, 1)}, "Already answered by Dana: Bravo.", dana, 0},
		"an answer that was not given":         {[]act{by(2, dana, 1)}, "Already answered by Sam: Charlie.", dana, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := history{acts: tt.acts, reads: reads}
			_, id, _ := strings.Cut(tt.who, ":")
			stray := h.addNotes([]chatsim.Event{{Person: id, Channel: "C", Text: tt.note, At: at(9)}})
			got := 0
			for _, a := range h.acts {
				if a.note != "" {
					got = a.life
				}
			}
			if got != tt.life || (len(stray) > 0) != (tt.life == 0) {
				t.Errorf("life %d has it, and %d are astray", got, len(stray))
			}
		})
	}
}
