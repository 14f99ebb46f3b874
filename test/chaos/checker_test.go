//go:build faults

package chaos

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/askbridge/askbridge/ask"
)

// Accounts of the tests below. Dana's two are linked, Kim's are not.
const (
	danaS, danaD = "slack:U0000001", "discord:300000000000000001"
	samS         = "slack:U0000002"
	kimS, kimD   = "slack:U0000003", "discord:300000000000000003"
)

// second is one second on the clock of a history.
const second = int64(1e9)

// tale is a history in text form: each line is a read or an act, in a second of its own, acknowledged unless marked
// otherwise.
func tale(t *testing.T, r *rule, lines ...string) *history {
	t.Helper()
	h := &history{rules: map[int]*rule{1: r}}
	at := int64(0)
	for _, line := range lines {
		at += second
		who, what, _ := strings.Cut(line, " ")
		switch who {
		case "look":
			h.reads = append(h.reads, read{1, at, at + second/2, what})
		case "later":
			at += 10 * second
		default:
			a := act{life: 1, person: who, call: at, done: at + second/2, sure: true}
			a.wants, a.sure = strings.TrimSuffix(what, " unheard"), !strings.HasSuffix(what, " unheard")
			if wants, doubted := strings.CutSuffix(a.wants, " doubted"); doubted {
				a.wants, a.doubted = wants, true
			}
			h.acts = append(h.acts, a)
		}
	}
	return h
}

func TestCheckerFindsVoteErrors(t *testing.T) {
	t.Parallel()
	two := rule{need: 2, linked: linked, ends: forever}
	with := func(change func(*rule)) rule {
		r := two
		change(&r)
		return r
	}
	held := with(func(r *rule) { r.hold = 2e9 })
	poll := with(func(r *rule) { r.poll, r.need, r.ends = true, 1, 10*second })
	veto := with(func(r *rule) { r.needs, r.hold = map[string]int{"Charlie": 1}, 5e9 })
	const (
		danaA    = "dana " + danaS + " Alpha"
		both     = "answered Alpha first by " + danaS + " and last by " + samS + "; votes: " + danaA + ", sam " + samS + " Alpha; tally: Alpha 2"
		oneVote  = "look open; votes: " + danaA + "; tally: Alpha 1"
		twoVotes = "look open; votes: " + danaA + ", sam " + samS + " Alpha; tally: Alpha 2"
		none     = "look open; votes: ; tally: "
	)
	for name, tt := range map[string]struct {
		rule  rule
		lines []string
		wrong bool
	}{
		"two agree":                      {two, []string{none, danaS + " Alpha", oneVote, samS + " Alpha", "look " + both}, false},
		"an acknowledged vote is lost":   {two, []string{danaS + " Alpha", none}, true},
		"an unheard vote is lost":        {two, []string{danaS + " Alpha unheard", none}, false},
		"a doubted vote is lost":         {two, []string{danaS + " Alpha doubted", none}, false},
		"an unheard vote counts late":    {two, []string{danaS + " Alpha unheard", none, oneVote}, false},
		"a vote that was not cast":       {two, []string{oneVote}, true},
		"a vote is gone after it was":    {two, []string{danaS + " Alpha unheard", oneVote, none}, true},
		"one alone decides":              {two, []string{danaS + " Alpha", "look answered Alpha first by " + danaS + " and last by " + danaS + "; votes: " + danaA + "; tally: Alpha 1"}, true},
		"enough agree and it stays open": {two, []string{danaS + " Alpha", samS + " Alpha", twoVotes}, true},
		"one person counts twice": {two, []string{
			danaS + " Alpha", danaD + " Alpha",
			"look open; votes: " + danaA + ", dana " + danaD + " Alpha; tally: Alpha 2",
		}, true},
		"one person decides with two accounts": {two, []string{
			danaS + " Alpha", danaD + " Alpha",
			"look answered Alpha first by " + danaS + " and last by " + danaD + "; votes: dana " + danaD + " Alpha; tally: Alpha 2",
		}, true},
		"a person changes the vote with another account": {two, []string{danaS + " Alpha", danaD + " Bravo", "look open; votes: dana " + danaD + " Bravo; tally: Bravo 1"}, false},
		"accounts that may be one count once":            {two, []string{kimS + " Alpha", kimD + " Alpha", "look open; votes: " + kimS + " Alpha, " + kimD + " Alpha; tally: Alpha 1"}, false},
		"accounts that may be one count twice":           {two, []string{kimS + " Alpha", kimD + " Alpha", "look open; votes: " + kimS + " Alpha, " + kimD + " Alpha; tally: Alpha 2"}, true},
		"a vote is changed":                              {two, []string{danaS + " Bravo", danaS + " Alpha", oneVote}, false},
		"a vote that was changed counts":                 {two, []string{danaS + " Bravo", danaS + " Alpha", "look open; votes: dana " + danaS + " Bravo; tally: Bravo 1"}, true},
		"a vote is taken back":                           {two, []string{danaS + " Alpha", danaS + " " + takesBack, none}, false},
		"a vote is taken back elsewhere":                 {two, []string{danaS + " Alpha", danaD + " " + takesBack, none}, false},
		"a vote that was taken back counts":              {two, []string{danaS + " Alpha", danaS + " " + takesBack, oneVote}, true},
		"a vote that was taken back decides":             {two, []string{danaS + " Alpha", danaS + " " + takesBack, samS + " Alpha", "look " + both}, true},
		"an older vote, delivered late, counts": {two, []string{
			danaS + " Bravo unheard", danaS + " Alpha", oneVote, "look open; votes: dana " + danaS + " Bravo; tally: Bravo 1",
		}, true},
		"a vote after the decision counts": {two, []string{
			danaS + " Alpha", samS + " Alpha", kimS + " Alpha",
			"look answered Alpha first by " + danaS + " and last by " + kimS + "; votes: " + danaA + ", sam " + samS + " Alpha, " + kimS + " Alpha; tally: Alpha 3",
		}, true},
		"a decision is taken back":      {two, []string{danaS + " Alpha", samS + " Alpha", "look " + both, oneVote}, true},
		"the tally is unlike the votes": {two, []string{danaS + " Alpha", "look open; votes: " + danaA + "; tally: Alpha 2"}, true},
		"another choice than the votes say": {two, []string{
			danaS + " Alpha", samS + " Alpha",
			"look answered Bravo first by " + danaS + " and last by " + samS + "; votes: " + danaA + ", sam " + samS + " Alpha; tally: Alpha 2",
		}, true},
		"a vote without permission counts":        {with(func(r *rule) { r.roster = []string{"dana", "sam"} }), []string{kimS + " Alpha", "look open; votes: " + kimS + " Alpha; tally: Alpha 1"}, true},
		"votes are shown that are sealed":         {with(func(r *rule) { r.show = ask.ShowSealed }), []string{danaS + " Alpha", oneVote}, true},
		"what is held is undone":                  {held, []string{danaS + " Alpha", samS + " Alpha", danaD + " " + undoes, "later", oneVote}, false},
		"what is undone is delivered":             {held, []string{danaS + " Alpha", samS + " Alpha", danaD + " " + undoes, "later", "look " + both}, true},
		"undone by another person":                {held, []string{danaS + " Alpha", samS + " Alpha", kimS + " " + undoes, "later", oneVote}, true},
		"what is held is delivered at once":       {held, []string{danaS + " Alpha", samS + " Alpha", "look " + both}, true},
		"what is held is delivered in the end":    {held, []string{danaS + " Alpha", samS + " Alpha", twoVotes, "later", "look " + both}, false},
		"what is held is never delivered":         {held, []string{danaS + " Alpha", samS + " Alpha", "later", twoVotes}, true},
		"a vote on what is held counts":           {held, []string{danaS + " Alpha", samS + " Alpha", kimS + " Bravo", "look open; votes: " + danaA + ", sam " + samS + " Alpha, " + kimS + " Bravo; tally: Alpha 2, Bravo 1"}, true},
		"an undo after the end counts":            {held, []string{danaS + " Alpha", samS + " Alpha", "later", danaS + " " + undoes, oneVote}, true},
		"a veto stops what is held":               {veto, []string{danaS + " Alpha", samS + " Alpha", kimS + " Charlie", "look open; votes: " + danaA + ", sam " + samS + " Alpha, " + kimS + " Charlie; tally: Alpha 2, Charlie 1"}, false},
		"a veto is lost":                          {veto, []string{danaS + " Alpha", samS + " Alpha", kimS + " Charlie", "later", "look " + both}, true},
		"an undone veto leaves what was before":   {veto, []string{danaS + " Alpha", samS + " Alpha", kimS + " Charlie", kimS + " " + undoes, oneVote}, false},
		"a poll is answered before its deadline":  {poll, []string{danaS + " Alpha", "look answered Alpha first by " + danaS + " and last by ; votes: " + danaA + "; tally: Alpha 1"}, true},
		"a poll is answered at its deadline":      {poll, []string{danaS + " Alpha", "later", "look answered Alpha first by " + danaS + " and last by ; votes: " + danaA + "; tally: Alpha 1"}, false},
		"a poll stays open after its deadline":    {poll, []string{danaS + " Alpha", "later", "later", oneVote}, true},
		"a vote after the deadline of a poll":     {poll, []string{"later", "later", danaS + " Alpha", "look answered Alpha first by " + danaS + " and last by ; votes: " + danaA + "; tally: Alpha 1"}, true},
		"a tied poll is answered":                 {poll, []string{danaS + " Alpha", samS + " Bravo", "later", "look answered Alpha first by " + danaS + " and last by ; votes: " + danaA + ", sam " + samS + " Bravo; tally: Alpha 1, Bravo 1"}, true},
		"a tied poll expires":                     {poll, []string{danaS + " Alpha", samS + " Bravo", "later", "look expired tie; votes: " + danaA + ", sam " + samS + " Bravo; tally: Alpha 1, Bravo 1"}, false},
		"the agent withdraws, and it is answered": {two, []string{danaS + " Alpha", "agent " + withdraws, samS + " Alpha", "look " + both}, true},
		"the agent withdraws what is held":        {held, []string{danaS + " Alpha", samS + " Alpha", "agent " + withdraws, "look cancelled; votes: " + danaA + ", sam " + samS + " Alpha; tally: Alpha 2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tale(t, &tt.rule, tt.lines...)
			verdict := h.verdict(1, h.operations())
			if want := cmp.Or(map[bool]porcupine.CheckResult{true: porcupine.Illegal}[tt.wrong], porcupine.Ok); verdict != want {
				t.Errorf("judged %s, want %s", verdict, want)
			}
		})
	}
}

// After two seconds of a store outage, a dozen votes were uncertain.
func TestCheckerHandlesManyUncertainVotes(t *testing.T) {
	t.Parallel()
	const (
		sam   = "sam " + samS + " Charlie"
		kim   = kimS + " Alpha"
		first = "look open; votes: " + sam + ", " + kim + ", dana " + danaS + " Bravo; tally: Charlie 1, Alpha 1, Bravo 1"
		last  = "; votes: " + kim + ", " + sam + ", dana " + danaS + " Alpha; tally: Alpha 2, Charlie 1"
		three = "; votes: dana " + danaS + " Bravo, " + kim + ", " + sam + "; tally: Bravo 1, Alpha 1, Charlie 1"
	)
	doubted := []string{danaS + " Bravo doubted", samS + " Charlie doubted", kimS + " " + takesBack + " doubted"}
	for range 3 {
		doubted = append(doubted, danaS+" Alpha doubted", kimS+" Bravo doubted", samS+" Charlie doubted", kimS+" Alpha doubted")
	}
	poll := append(slices.Clone(doubted), first, first, first, first,
		samS+" Charlie", "look open; votes: "+kim+", dana "+danaS+" Bravo, "+sam+"; tally: Alpha 1, Bravo 1, Charlie 1",
		danaS+" Alpha", "look open"+last, "look open"+last, "later")
	for name, tt := range map[string]struct {
		rule  rule
		lines []string
		want  porcupine.CheckResult
	}{
		"of a poll":                {rule{poll: true, hold: 2e9}, append(slices.Clone(poll), "look answered Alpha first by "+kimS+" and last by "+last), porcupine.Ok},
		"of a poll that is wrong":  {rule{poll: true, hold: 2e9}, append(slices.Clone(poll), "look answered Bravo first by "+kimS+" and last by "+last), porcupine.Illegal},
		"of what is held":          {rule{needs: map[string]int{"Charlie": 1}, hold: 2e9, show: ask.ShowCount}, append(slices.Clone(doubted), "look open; voted: 3", "later", "look answered Charlie first by "+samS+" and last by "+samS+three), porcupine.Ok},
		"of what is held too long": {rule{needs: map[string]int{"Charlie": 1}, hold: 2e9, show: ask.ShowCount}, append(slices.Clone(doubted), samS+" Charlie", "later", "look open; voted: 3"), porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.rule.need, tt.rule.linked, tt.rule.ends = 1, linked, int64(len(tt.lines))*second
			if !tt.rule.poll {
				tt.rule.need, tt.rule.ends = 2, forever
			}
			h := tale(t, &tt.rule, tt.lines...)
			if verdict := h.verdict(1, h.operations()); verdict != tt.want {
				t.Errorf("judged %s, want %s", verdict, tt.want)
			}
		})
	}
}
