package ask

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Mode is how a request is decided.
type Mode string

// The modes. The zero value is [First].
const (
	// First: the first complete answer decides.
	First Mode = ""
	// Quorum: a number of people must make the same choice.
	Quorum Mode = "quorum"
	// Poll: everyone votes until the deadline, and the most votes decide.
	Poll Mode = "poll"
)

// Show is what people and agents see of the votes of an open request. After its end everything
// is shown.
type Show string

// The values of Show. The zero value is [ShowLive].
const (
	// ShowLive: who chose what.
	ShowLive Show = ""
	// ShowCount: only how many have voted.
	ShowCount Show = "count"
	// ShowSealed: nothing.
	ShowSealed Show = "sealed"
)

// Need is a number of people, or All or Majority until the number of voters is known.
type Need int

// The symbolic values, which need a closed list of people. See [Voting.Resolve].
const (
	// All is everyone who may vote.
	All Need = -1
	// Majority is more than half of those who may vote.
	Majority Need = -2
)

const (
	wordAll      = "all"
	wordMajority = "majority"
)

// MaxNeed is the largest number of people a policy may ask for; MaxRoster is the largest number
// of voters for all and majority.
const (
	MaxNeed   = 10
	MaxRoster = 100
)

// String returns the number or the word.
func (n Need) String() string {
	switch n {
	case All:
		return wordAll
	case Majority:
		return wordMajority
	}
	return strconv.Itoa(int(n))
}

// ParseNeed is the inverse of [Need.String]. It returns false for text that is neither a number
// of at least 1 nor a symbolic value.
func ParseNeed(s string) (Need, bool) {
	switch s {
	case wordAll:
		return All, true
	case wordMajority:
		return Majority, true
	}
	n, err := strconv.Atoi(s)
	return Need(n), err == nil && n >= 1
}

// MarshalJSON writes a number or a word.
func (n Need) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return json.Marshal(n.String())
	}
	return json.Marshal(int(n))
}

// UnmarshalJSON parses the output of MarshalJSON.
func (n *Need) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil {
		var ok bool
		if *n, ok = ParseNeed(word); !ok {
			return fmt.Errorf("ask: %q is no number of people", shorten(word))
		}
		return nil
	}
	return json.Unmarshal(data, (*int)(n))
}

// Voting configures how several people decide a request. In the zero value the first complete
// answer decides. Policies are immutable.
type Voting struct {
	Mode Mode `json:"mode" enum:"quorum,poll" doc:"How it is decided: by as many people as are needed, or by most votes at the deadline"`
	// Need is how many people must choose the same or, in a poll, how many must vote; zero
	// means one.
	Need Need `json:"need,omitempty" minimum:"1" doc:"How many people have to choose the same; in a poll how many have to vote"`
	// Needs overrides Need for single labels, as for a veto. Only a quorum has them.
	Needs map[string]int `json:"needs,omitempty" doc:"How many people it takes for single labels, in place of need"`
	// Dismiss is how many people must dismiss the request to end it; zero means one.
	Dismiss int  `json:"dismiss,omitempty" minimum:"1" doc:"How many people have to dismiss it; absent for one"`
	Show    Show `json:"show,omitempty" enum:"count,sealed" doc:"What is shown of the votes before the end: their number, or nothing at all; absent for who chose what"`
	// Change is false if votes are final; nil means true.
	Change *bool `json:"change,omitempty" doc:"false if a vote cannot be changed or taken back"`
}

// IsZero reports whether the first complete answer decides.
func (v Voting) IsZero() bool {
	return v.Mode == First && v.Need == 0 && len(v.Needs) == 0 && v.Dismiss == 0 && v.Show == ShowLive && v.Change == nil
}

// Changeable reports whether a vote can be changed and taken back.
func (v Voting) Changeable() bool { return v.Change == nil || *v.Change }

// NeedOf returns how many people must choose this combination of labels: the largest number
// among its labels. Text alone uses Need.
func (v Voting) NeedOf(labels []string) int {
	need := 0
	for _, label := range labels {
		if n, own := v.Needs[label]; own {
			need = max(need, n)
		} else {
			need = max(need, int(v.Need))
		}
	}
	if len(labels) == 0 {
		need = int(v.Need)
	}
	return max(need, 1)
}

// Most returns the largest number of people that any choice requires.
func (v Voting) Most() int {
	most := max(v.NeedOf(nil), v.ToDismiss())
	for _, need := range v.Needs {
		most = max(most, need)
	}
	return most
}

// ToDismiss returns how many people must dismiss the request to end it.
func (v Voting) ToDismiss() int { return max(v.Dismiss, 1) }

// Normal returns the canonical form, with defaults omitted. A policy that asks for several
// people without a mode is a quorum.
func (v Voting) Normal() Voting {
	if len(v.Needs) == 0 {
		v.Needs = nil
	}
	if v.Mode == First && (v.Need > 1 || v.Need < 0 || v.Needs != nil) {
		v.Mode = Quorum
	}
	if v.Need == 1 && v.Mode != Quorum {
		v.Need = 0
	}
	if v.Dismiss == 1 {
		v.Dismiss = 0
	}
	if v.Changeable() {
		v.Change = nil
	}
	return v
}

// Check validates a normal policy; problems are reported at path.
func (v Voting) Check(path string) []Problem {
	var c checker
	switch v.Mode {
	case First:
		if !v.IsZero() {
			c.add(path+".mode", ErrPolicy, "is missing: give \"quorum\" with need, or \"poll\"")
		}
	case Quorum:
		if v.Need == 0 {
			c.add(path+".need", ErrPolicy, "is missing: set how many people must choose the same, or \"all\" or \"majority\"")
		}
	case Poll:
		if len(v.Needs) > 0 {
			c.add(path+".needs", ErrPolicy, "belongs to a quorum: in a poll most votes decide")
		}
	default:
		c.add(path+".mode", ErrPolicy, "%q is not first, quorum or poll", shorten(string(v.Mode)))
	}
	if v.Need > MaxNeed || v.Need < Majority {
		c.add(path+".need", ErrPolicy, "must be between 1 and %d, \"all\" or \"majority\"", MaxNeed)
	}
	if v.Dismiss < 0 || v.Dismiss > MaxNeed {
		c.add(path+".dismiss", ErrPolicy, "must be between 1 and %d", MaxNeed)
	}
	for _, label := range slices.Sorted(maps.Keys(v.Needs)) {
		at := path + ".needs." + shorten(label)
		if n := v.Needs[label]; n < 1 || n > MaxNeed {
			c.add(at, ErrPolicy, "must be between 1 and %d", MaxNeed)
		}
		if utf8.RuneCountInString(label) > MaxLabel {
			c.add(at, ErrTooLong, "has more than %d characters", MaxLabel)
		}
	}
	if !slices.Contains([]Show{ShowLive, ShowCount, ShowSealed}, v.Show) {
		c.add(path+".show", ErrPolicy, "%q is not live, count or sealed", shorten(string(v.Show)))
	}
	return c.problems
}

// CheckLabels reports the labels of [Voting.Needs] that do not match exactly one option.
func (v Voting) CheckLabels(path string, questions []Question) []Problem {
	var c checker
	for _, label := range slices.Sorted(maps.Keys(v.Needs)) {
		switch n := questionsWithLabel(label, questions); {
		case n == 0:
			c.add(path+".needs."+shorten(label), ErrPolicy, "no option has this label")
		case n > 1:
			c.add(path+".needs."+shorten(label), ErrPolicy, "options of %d questions have this label; it must be clear which one is meant", n)
		}
	}
	return c.problems
}

// questionsWithLabel counts the questions that have an option with the label.
func questionsWithLabel(label string, questions []Question) int {
	n := 0
	for _, q := range questions {
		if slices.ContainsFunc(q.Options, func(o Option) bool { return o.Label == label }) {
			n++
		}
	}
	return n
}

// Within combines the policy with floor, the one that a route or a token requires: the larger
// of two numbers, and the less revealing Show. Dismissing takes the smaller of the two numbers.
// Both must be normal and resolved, see [Voting.Resolve]. Within returns false for a quorum and
// a poll, since neither is stricter.
func (v Voting) Within(floor Voting) (Voting, bool) {
	switch {
	case floor.IsZero():
		return v, true
	case v.IsZero():
		return floor, true
	case v.Mode != floor.Mode:
		return Voting{}, false
	}
	both := Voting{Mode: v.Mode, Need: max(v.Need, floor.Need), Dismiss: min(v.ToDismiss(), floor.ToDismiss()), Show: v.Show}
	if rank(floor.Show) > rank(v.Show) {
		both.Show = floor.Show
	}
	if !v.Changeable() || !floor.Changeable() {
		both.Change = new(false)
	}
	for _, one := range []Voting{v, floor} {
		for label := range one.Needs {
			if both.Needs == nil {
				both.Needs = map[string]int{}
			}
			both.Needs[label] = max(v.NeedOf([]string{label}), floor.NeedOf([]string{label}))
		}
	}
	return both.Normal(), true
}

func rank(s Show) int { return slices.Index([]Show{ShowLive, ShowCount, ShowSealed}, s) }

// Resolve replaces a symbolic Need with a number, given how many people may vote.
func (v Voting) Resolve(roster int) Voting {
	switch v.Need {
	case All:
		v.Need = Need(roster)
	case Majority:
		v.Need = Need(roster/2 + 1)
	}
	return v
}
