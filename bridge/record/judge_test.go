package record

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func options(labels ...string) []ask.Option {
	var all []ask.Option
	for _, l := range labels {
		all = append(all, ask.Option{Label: l})
	}
	return all
}

func singleQ() ask.Question {
	return ask.Question{Text: "Which database?", Header: "Database", Options: options("Postgres", "SQLite")}
}

func multiQ() ask.Question {
	return ask.Question{Text: "Which checks?", Header: "Checks", MultiSelect: true, Options: options("Unit", "Lint", "Race")}
}

func textQ() ask.Question { return ask.Question{Text: "Which ticket?", Header: "Ticket"} }

// openRecord returns a stored record with a card in one channel that expires after an hour.
func openRecord(questions ...ask.Question) *Record {
	return &Record{
		ID: "p1", Version: 1, Created: start, Questions: questions, Policy: ask.PolicyOf(ask.Anyone),
		Outcome: ask.Outcome{State: ask.Open}, Deadline: start.Add(time.Hour), Due: start.Add(time.Hour), Revision: 1,
		Copies: []Copy{{
			Target: ask.Place{Platform: "slack", Channel: "C1"}, State: Posted, Rendered: 1,
			Ref: MessageRef{Platform: "slack", Channel: "C1", Message: "m1"},
		}},
	}
}

// judged judges an act and keeps the result as a store does: nothing is written for an act that reports no change.
func (r *Record) judged(a Act, m DraftMode, now time.Time) (Decision, error) {
	next := r.Clone()
	got, err := next.Judge(a, m, now)
	if err == nil {
		*r = next
	}
	return got, err
}

func by(id string, order int64, kind ask.ActionKind, q, o int) Act {
	return Act{
		ID: fmt.Sprintf("act-%s-%d", id, order), Order: order,
		By:      ask.Responder{Person: ask.Person{Platform: "slack", ID: id, Name: id}, Membership: ask.Member},
		Action:  ask.Action{Kind: kind, Question: q, Option: o},
		Message: MessageRef{Platform: "slack", Channel: "C1", Message: "m1"},
	}
}

func (a Act) picking(q int, selected ...int) Act {
	if a.Action.Picks == nil {
		a.Action.Picks = map[int][]int{}
	}
	a.Action.Picks[q] = selected
	return a
}

func (a Act) writing(q int, text string) Act {
	if a.Action.Texts == nil {
		a.Action.Texts = map[int]string{}
	}
	a.Action.Texts[q] = text
	return a
}

func TestJudge(t *testing.T) {
	t.Parallel()
	type step struct {
		i       Act
		at      time.Duration
		verdict Verdict
	}
	for _, tt := range []struct {
		name   string
		record *Record
		shared bool
		steps  []step
		state  ask.State
		text   string
		reply  string
	}{
		{
			name: "one tap answers a single question", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Choose, 0, 1), time.Minute, Completed}},
			state: ask.Answered, text: "Which database?\nSQLite",
		},
		{
			name: "typed text answers a single question at once", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Type, 0, -1).writing(0, " Oracle "), 0, Completed}},
			state: ask.Answered, text: "Which database?\nOracle",
		},
		{
			name: "blank text is no answer", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Type, 0, -1).writing(0, " \n"), 0, Incomplete}},
			state: ask.Open,
		},
		{
			name: "submit sends what the person sees", record: openRecord(singleQ(), multiQ()),
			steps: []step{
				{by("U1", 1, ask.Select, 0, -1).picking(0, 0), 0, Recorded},
				{by("U1", 2, ask.Select, 1, -1).picking(1, 0, 1), 0, Recorded},
				{by("U1", 3, ask.Submit, -1, -1).picking(0, 1).picking(1, 2), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nSQLite\n\nWhich checks?\n- Race",
		},
		{
			name: "submit with a question left out sends nothing", record: openRecord(singleQ(), multiQ()),
			steps: []step{{by("U1", 1, ask.Submit, -1, -1).picking(0, 1).picking(1), 0, Incomplete}},
			state: ask.Open,
		},
		{
			name: "a selection that vanished from the screen is not sent", record: openRecord(singleQ(), multiQ()),
			steps: []step{
				{by("U1", 1, ask.Select, 0, -1).picking(0, 0), 0, Recorded},
				{by("U1", 2, ask.Submit, -1, -1).picking(0).picking(1, 2), 0, Incomplete},
			},
			state: ask.Open,
		},
		{
			name: "typed text joins the choices of a multi-select question", record: openRecord(multiQ()),
			steps: []step{
				{by("U1", 1, ask.Type, 0, -1).writing(0, "Bench"), 0, Recorded},
				{by("U1", 2, ask.Submit, -1, -1).picking(0, 1), 0, Completed},
			},
			state: ask.Answered, text: "Which checks?\n- Lint\nBench",
		},
		{
			name: "typed text replaces the radio button that is still lit", record: openRecord(singleQ(), multiQ()),
			steps: []step{
				{by("U1", 1, ask.Select, 0, -1).picking(0, 0), 0, Recorded},
				{by("U1", 2, ask.Type, 0, -1).writing(0, "Oracle"), 0, Recorded},
				{by("U1", 3, ask.Submit, -1, -1).picking(0, 0).picking(1, 0), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nOracle\n\nWhich checks?\n- Unit",
		},
		{
			name: "a later pick replaces typed text", record: openRecord(singleQ(), multiQ()),
			steps: []step{
				{by("U1", 1, ask.Type, 0, -1).writing(0, "Oracle"), 0, Recorded},
				{by("U1", 2, ask.Select, 0, -1).picking(0, 1), 0, Recorded},
				{by("U1", 3, ask.Submit, -1, -1).picking(0, 1).picking(1, 0), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nSQLite\n\nWhich checks?\n- Unit",
		},
		{
			name: "one person's draft is not another's", record: openRecord(singleQ(), textQ()),
			steps: []step{
				{by("U1", 1, ask.Type, 1, -1).writing(1, "OPS-7"), 0, Recorded},
				{by("U2", 2, ask.Submit, -1, -1).picking(0, 1), 0, Incomplete},
				{by("U1", 3, ask.Submit, -1, -1).picking(0, 0), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nPostgres\n\nWhich ticket?\nOPS-7",
		},
		{
			name: "a form with everything in it answers everything", record: openRecord(singleQ(), multiQ(), textQ()),
			steps: []step{{
				by("U1", 1, ask.SubmitAll, -1, -1).picking(0, 0).picking(1, 0, 2).writing(0, "").writing(1, "Bench").writing(2, "OPS-7"), 0, Completed,
			}},
			state: ask.Answered, text: "Which database?\nPostgres\n\nWhich checks?\n- Unit\n- Race\nBench\n\nWhich ticket?\nOPS-7",
		},
		{
			name: "a form with a gap sends nothing", record: openRecord(singleQ(), textQ()),
			steps: []step{{by("U1", 1, ask.SubmitAll, -1, -1).picking(0, 0).writing(1, " "), 0, Incomplete}},
			state: ask.Open,
		},
		{
			name: "the last pick of a shared all-single set completes it", shared: true,
			record: openRecord(singleQ(), singleQ()),
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 0), 0, Recorded},
				{by("U2", 2, ask.Choose, 1, 1), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nPostgres\n\nWhich database?\nSQLite",
		},
		{
			name: "dismissing cancels", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Dismiss, -1, -1), 0, Completed}},
			state: ask.Cancelled,
		},
		{
			name: "a reply takes the place of all answers", record: openRecord(singleQ(), singleQ()),
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 0), 0, Recorded},
				{by("U1", 2, ask.Reply, -1, -1).writing(-1, " \n"), 0, Incomplete},
				{by("U1", 3, ask.Reply, -1, -1).writing(-1, " Ask me tomorrow "), 0, Completed},
				{by("U1", 3, ask.Reply, -1, -1).writing(-1, " Ask me tomorrow "), 0, Repeated},
			},
			state: ask.Cancelled, reply: "Ask me tomorrow",
		},
		{
			name: "the second delivery of the deciding click is a success", record: openRecord(singleQ()),
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 1), 0, Completed},
				{by("U1", 1, ask.Choose, 0, 1), 0, Repeated},
			},
			state: ask.Answered, text: "Which database?\nSQLite",
		},
		{
			name: "the loser of a race", record: openRecord(singleQ()),
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 1), 0, Completed},
				{by("U2", 2, ask.Choose, 0, 0), 0, Closed},
			},
			state: ask.Answered, text: "Which database?\nSQLite",
		},
		{
			name: "a click at the deadline expires the request then and there", record: openRecord(singleQ()),
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 1), time.Hour, Late},
				{by("U1", 2, ask.Choose, 0, 1), time.Hour, Closed},
			},
			state: ask.Expired,
		},
		{
			name: "an older redelivery changes nothing", record: openRecord(singleQ(), textQ()),
			steps: []step{
				{by("U1", 9, ask.Type, 0, -1).writing(0, "new"), 0, Recorded},
				{by("U1", 3, ask.Type, 0, -1).writing(0, "old"), 0, Stale},
				{by("U1", 10, ask.Type, 1, -1).writing(1, "OPS-7"), 0, Recorded},
				{by("U1", 11, ask.Submit, -1, -1).picking(0), 0, Completed},
			},
			state: ask.Answered, text: "Which database?\nnew\n\nWhich ticket?\nOPS-7",
		},
		{
			name: "a bot may never answer", record: openRecord(singleQ()),
			steps: []step{{Act{ID: "x", Order: 1, By: ask.Responder{Bot: true, Person: ask.Person{Platform: "slack", ID: "B1"}}, Action: ask.Action{Kind: ask.Choose}}, 0, Forbidden}},
			state: ask.Open,
		},
		{
			name: "a stranger may not answer what anyone may", record: openRecord(singleQ()),
			steps: []step{{Act{ID: "x", Order: 1, By: ask.Responder{Membership: ask.Outsider, Person: ask.Person{Platform: "slack", ID: "U9"}}, Action: ask.Action{Kind: ask.Choose}}, 0, Forbidden}},
			state: ask.Open,
		},
		{
			name: "an option that does not exist is refused", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Choose, 0, 2), 0, Unknown}},
			state: ask.Open,
		},
		{
			name: "a question that does not exist is refused", record: openRecord(singleQ()),
			steps: []step{{by("U1", 1, ask.Type, 1, -1).writing(1, "x"), 0, Unknown}},
			state: ask.Open,
		},
		{
			name: "typed text where it is switched off is refused", record: openRecord(ask.YesNo("Deploy?")),
			steps: []step{{by("U1", 1, ask.Type, 0, -1).writing(0, "x"), 0, Unknown}},
			state: ask.Open,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.record
			for n, s := range tt.steps {
				before := r.Clone()
				result, err := r.judged(s.i, DraftMode{Shared: tt.shared}, start.Add(s.at))
				if result.Verdict != s.verdict {
					t.Fatalf("step %d: got %q, want %q", n, result.Verdict, s.verdict)
				}
				if err != nil {
					if diff := cmp.Diff(before.Outcome, r.Outcome); diff != "" {
						t.Errorf("step %d reported no change but changed the outcome: %s", n, diff)
					}
				}
			}
			if reply := r.Outcome.Reply(); reply != tt.reply {
				t.Errorf("ended with the reply %q, want %q", reply, tt.reply)
			}
			if r.Outcome.State != tt.state || r.Text() != tt.text {
				t.Errorf("ended %s with %q, want %s with %q", r.Outcome.State, r.Text(), tt.state, tt.text)
			}
		})
	}
}

func TestRepeatedActChangesNothing(t *testing.T) {
	t.Parallel()
	typed := by("U1", 1, ask.Type, 0, -1).writing(0, "Oracle")
	pick := by("U1", 2, ask.Select, 0, -1).picking(0, 1)
	other := by("U1", 4, ask.Select, 1, -1).picking(1, 2)
	early := by("U1", 3, ask.Submit, -1, -1)
	later := func(i Act, order int64) Act {
		i.Order = order // As on a platform that orders by arrival.
		return i
	}
	for _, tt := range []struct {
		name   string
		shared bool
		acts   []Act
		again  Act
		want   Verdict
	}{
		{"a form does not take back a later choice", false, []Act{typed, pick}, typed, Repeated},
		{"nor as if it came later", false, []Act{typed, pick}, later(typed, 9), Repeated},
		{"nor does it on a shared draft", true, []Act{typed, pick}, later(typed, 9), Repeated},
		{"an incomplete submit does not send what is chosen later", false, []Act{pick, early, other}, early, Repeated},
		{"nor as if it came later", false, []Act{pick, early, other}, later(early, 9), Repeated},
		{"nor does a forgotten one", false, []Act{pick, other}, early, Hasty},
		{"nor does it on a shared draft", true, []Act{pick, other}, early, Hasty},
		{"a choice is not made twice", false, []Act{pick, by("U1", 5, ask.Select, 0, -1).picking(0, 0)}, later(pick, 9), Repeated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := openRecord(singleQ(), multiQ())
			m := DraftMode{Shared: tt.shared}
			for n, i := range tt.acts {
				if got, err := r.judged(i, m, start); err != nil || got.Verdict != Recorded && got.Verdict != Incomplete {
					t.Fatalf("act %d: %q, %v", n, got.Verdict, err)
				}
			}
			before := r.Clone()
			got, err := r.judged(tt.again, m, start)
			if got.Verdict != tt.want || !errors.Is(err, ErrUnchanged) {
				t.Errorf("sent again it is %q, %v, want %q", got.Verdict, err, tt.want)
			}
			if diff := cmp.Diff(before, *r); diff != "" {
				t.Errorf("it changed the record: %s", diff)
			}
		})
	}
}

func TestRememberedActsAreBounded(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ(), multiQ())
	var acts []Act
	for n := range 3 * maxRecent {
		acts = append(acts, by("U1", int64(n+1), ask.Select, 1, -1).picking(1, n%3))
		if _, err := r.judged(acts[n], DraftMode{}, start); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Recent) != maxRecent {
		t.Errorf("%d acts are remembered, want %d", len(r.Recent), maxRecent)
	}
	for n, want := range map[int]Verdict{0: Stale, 2 * maxRecent: Repeated, 3*maxRecent - 1: Repeated} {
		if got, _ := r.judged(acts[n], DraftMode{}, start); got.Verdict != want {
			t.Errorf("act %d sent again is %q, want %q", n, got.Verdict, want)
		}
	}
}

func TestTypedWordDismissedIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		i         Act
		reply     string
		dismissed bool
	}{
		"a reply":     {by("U1", 1, ask.Reply, -1, -1).writing(-1, " dismissed\n"), "dismissed", false},
		"a dismissal": {by("U1", 1, ask.Dismiss, -1, -1), "", true},
	} {
		r := openRecord(singleQ(), multiQ())
		if got, err := r.judged(tt.i, DraftMode{}, start); err != nil || got.Verdict != Completed {
			t.Fatalf("%s: %q, %v", name, got.Verdict, err)
		}
		o := r.Outcome
		if o.Reply() != tt.reply || o.End() == ask.EndDismissed != tt.dismissed || o.Reason != "dismissed" {
			t.Errorf("%s: the reply is %q, dismissed %t, reason %q", name, o.Reply(), o.End() == ask.EndDismissed, o.Reason)
		}
	}
}

func TestTypedTextIsSanitized(t *testing.T) {
	t.Parallel()
	const typed = "\x1b]0;x\x07Oracle \u202edeny\u202c\U000e0069"
	r := openRecord(textQ())
	written := by("U1", 1, ask.Type, 0, -1).writing(0, typed)
	written.By.Name = "Dana\x1b[2J\u202e"
	if got, err := r.judged(written, DraftMode{}, start); err != nil || got.Verdict != Completed {
		t.Fatalf("%q, %v", got.Verdict, err)
	}
	if a := r.Outcome.Answers[0]; a.Other != "]0;xOracle deny" || a.By.Name != "Dana[2J" || r.Outcome.By.Name != "Dana[2J" {
		t.Errorf("stored are %q by %q", a.Other, a.By.Name)
	}
	r = openRecord(singleQ(), textQ())
	reply := by("U1", 1, ask.Reply, -1, -1).writing(-1, typed)
	if _, err := r.judged(reply, DraftMode{}, start); err != nil || r.Outcome.Reply() != "]0;xOracle deny" {
		t.Errorf("the reply is stored as %q, %v", r.Outcome.Reply(), err)
	}
	r = openRecord(textQ())
	unseen := by("U1", 1, ask.Type, 0, -1).writing(0, "\u200b\x1b\u2060")
	if got, _ := r.judged(unseen, DraftMode{}, start); got.Verdict != Incomplete {
		t.Errorf("invisible text: verdict %q", got.Verdict)
	}
}

func TestOnlyNamedPeopleMayAnswer(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Policy = ask.PolicyOf("slack:U1", "discord:7")
	for id, want := range map[string]Verdict{"U2": Forbidden, "U1": Completed} {
		c := r.Clone()
		if got, _ := c.judged(by(id, 1, ask.Choose, 0, 0), DraftMode{}, start); got.Verdict != want {
			t.Errorf("%s: got %q, want %q", id, got.Verdict, want)
		}
	}
}

func TestClickedDuplicateIsAdoptedAndClosed(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Copies[0].Ambiguous = true // The reply to a post was lost.
	orphan := by("U1", 1, ask.Choose, 0, 0)
	orphan.Message.Message = "m0"
	if _, err := r.judged(orphan, DraftMode{}, start); err != nil {
		t.Fatal(err)
	}
	if len(r.Copies) != 2 || r.Copies[1].Ref != orphan.Message || !NeedsCall(r, r.Copies[0]) || !NeedsCall(r, r.Copies[1]) {
		t.Errorf("got copies %+v, want both to be updated", r.Copies)
	}
}

func TestCopiedControlDecidesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		used    MessageRef
		copies  func(c *Copy)
		verdict Verdict
	}{
		"the card":                         {MessageRef{Platform: "slack", Channel: "C1", Message: "m1"}, nil, Completed},
		"no message named":                 {MessageRef{}, nil, Completed},
		"another message of the channel":   {MessageRef{Platform: "slack", Channel: "C1", Message: "m2"}, nil, Elsewhere},
		"a message of another channel":     {MessageRef{Platform: "slack", Channel: "C2", Message: "m1"}, nil, Elsewhere},
		"a message of another platform":    {MessageRef{Platform: "discord", Channel: "C1", Message: "m1"}, nil, Elsewhere},
		"where a reply was lost":           {MessageRef{Platform: "slack", Channel: "C1", Message: "m2"}, func(c *Copy) { c.Ambiguous = true }, Completed},
		"where a post was not noted yet":   {MessageRef{Platform: "slack", Channel: "C1", Message: "m2"}, func(c *Copy) { c.Ref, c.State = MessageRef{}, Pending }, Completed},
		"where nothing could be posted":    {MessageRef{Platform: "slack", Channel: "C1", Message: "m2"}, func(c *Copy) { c.Ref, c.State = MessageRef{}, Undeliverable }, Elsewhere},
		"in the thread of a lost reply":    {MessageRef{Platform: "slack", Channel: "T1", Message: "m2"}, func(c *Copy) { c.Target.Thread, c.Ambiguous = "T1", true }, Completed},
		"in another channel than a thread": {MessageRef{Platform: "slack", Channel: "T2", Message: "m2"}, func(c *Copy) { c.Target.Thread, c.Ambiguous = "T1", true }, Elsewhere},
	} {
		for _, ended := range []bool{false, true} {
			r := openRecord(singleQ())
			if tt.copies != nil {
				tt.copies(&r.Copies[0])
			}
			want := tt.verdict
			if ended {
				end(r, ask.Outcome{State: ask.Cancelled}, start)
				if want == Completed {
					want = Closed
				}
			}
			press := by("U1", 1, ask.Choose, 0, 0)
			press.Message = tt.used
			got, err := r.judged(press, DraftMode{}, start)
			if got.Verdict != want || want == Elsewhere && !errors.Is(err, ErrUnchanged) {
				t.Errorf("%s, ended %t: got %q, %v, want %q", name, ended, got.Verdict, err, want)
			}
		}
	}
}

func TestClickBeforePostIsStoredCounts(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Copies[0].State, r.Copies[0].Ref, r.Copies[0].Rendered = Pending, MessageRef{}, 0
	i := by("U1", 1, ask.Choose, 0, 0)
	if got, _ := r.judged(i, DraftMode{}, start); got.Verdict != Completed {
		t.Fatalf("got %q", got.Verdict)
	}
	NewCard{Ref: i.Message, Revision: 1}.write(r, &r.Copies[0], start)
	if len(r.Copies) != 1 || r.Copies[0].Ref != i.Message || !NeedsCall(r, r.Copies[0]) {
		t.Errorf("got copies %+v, want the one card, to be updated", r.Copies)
	}
}
