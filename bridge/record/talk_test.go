package record

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

// another is a different question.
func another() ask.Question {
	return ask.Question{Text: "Which region?", Options: []ask.Option{{Label: "North"}, {Label: "South"}}}
}

// asking is a revision that replaces the questions of the given revision.
func asking(of int, questions ...ask.Question) ask.Revision {
	return ask.Revision{Of: &of, Questions: questions}
}

// of returns the act on a card of that revision.
func (a Act) of(revised int) Act {
	a.Action.Revised = revised
	return a
}

func TestRevisionReplacesQuestions(t *testing.T) {
	t.Parallel()
	pick := func(who string, order int64, option int) Act { return by(who, order, ask.Choose, 0, option) }
	two := ask.Voting{Mode: ask.Quorum, Need: 2}
	veto := ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"Postgres": 1}}
	yes, no := "yes", ""
	for _, tt := range []struct {
		name   string
		record *Record
		before []Act
		revise []ask.Revision
		at     time.Duration
		err    error
		after  []Act
		want   string // the state, and the verdicts of later acts
	}{
		{
			name: "other questions are asked", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, another())}, after: []Act{pick("U1", 1, 1).of(1)}, want: "answered Which region?\nSouth; completed",
		},
		{
			name: "a press on the card as it was before counts for nothing", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, another())}, after: []Act{pick("U1", 1, 1), by("U1", 2, ask.Dismiss, -1, -1)}, want: "open ; outdated, outdated",
		},
		{
			name: "a press on a card of the future counts for nothing", record: openRecord(singleQ()),
			after: []Act{pick("U1", 1, 1).of(1)}, want: "open ; outdated",
		},
		{
			name: "the context alone makes it another one", record: openRecord(singleQ()),
			revise: []ask.Revision{{Context: &yes}}, after: []Act{pick("U1", 1, 0)}, want: "open ; outdated",
		},
		{
			name: "the same revision again changes nothing", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, another()), asking(0, another())}, err: ErrUnchanged,
			after: []Act{pick("U1", 1, 0).of(1)}, want: "answered Which region?\nNorth; completed",
		},
		{
			name: "a revision of what is not asked any more is refused", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, another()), asking(0, singleQ())}, err: ErrRevised, want: "open ",
		},
		{
			name: "one without a base revises the current revision", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, another()), {Questions: []ask.Question{singleQ()}}}, after: []Act{pick("U1", 1, 0).of(2)}, want: "answered Which database?\nPostgres; completed",
		},
		{
			name: "one that changes nothing is none", record: openRecord(singleQ()),
			revise: []ask.Revision{{Questions: []ask.Question{singleQ()}, Context: &no}}, err: ErrUnchanged, after: []Act{pick("U1", 1, 0)}, want: "answered Which database?\nPostgres; completed",
		},
		{
			name: "votes were about something else", record: voted(two, singleQ()), before: []Act{pick("U1", 1, 0)},
			revise: []ask.Revision{{Context: &yes}}, after: []Act{pick("U2", 2, 0).of(1)}, want: "open ; counted",
		},
		{
			name: "a decision that can be undone was about something else", record: openRecord(singleQ()).forAWhile(), before: []Act{pick("U1", 1, 0)},
			revise: []ask.Revision{{Context: &yes}}, at: time.Second, after: []Act{by("U1", 2, ask.Undo, -1, -1), pick("U1", 1, 0)}, want: "open ; outdated, repeated",
		},
		{
			name: "a decision held over the deadline expires when it is revised", record: openRecord(singleQ()).forAWhile().until(time.Second), before: []Act{pick("U1", 1, 0)},
			revise: []ask.Revision{{Context: &yes}}, at: 2 * time.Second, want: "expired ",
		},
		{
			name: "a request that has ended stays as it is", record: openRecord(singleQ()), before: []Act{pick("U1", 1, 0)},
			revise: []ask.Revision{asking(0, another())}, err: ErrUnchanged, want: "answered Which database?\nPostgres",
		},
		{
			name: "the deadline comes first", record: openRecord(singleQ()).until(time.Second),
			revise: []ask.Revision{asking(0, another())}, at: time.Second, want: "expired ",
		},
		{
			name: "a label that the policy names must stay", record: voted(veto, singleQ()),
			revise: []ask.Revision{asking(0, another())}, err: ask.ErrPolicy, want: "open ",
		},
		{
			name: "a bad question is refused", record: openRecord(singleQ()),
			revise: []ask.Revision{asking(0, ask.Question{})}, err: ask.ErrEmptyQuestion, want: "open ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, m := tt.record, DraftMode{}
			for _, a := range tt.before {
				_, _ = r.judged(a, m, start)
			}
			var err error
			for _, v := range tt.revise {
				err = r.Revise(v, nil, start.Add(tt.at))
			}
			if !errors.Is(err, tt.err) {
				t.Errorf("revised with %v, want %v", err, tt.err)
			}
			if Behind(r) && r.DeliveryDue.IsZero() {
				t.Error("if the revising replica dies, the cards are not due for an update")
			}
			var verdicts []string
			for _, a := range tt.after {
				result, _ := r.judged(a, m, start.Add(tt.at))
				verdicts = append(verdicts, string(result.Verdict))
			}
			got := string(r.Outcome.State) + " " + r.Text()
			if len(verdicts) > 0 {
				got += "; " + strings.Join(verdicts, ", ")
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// The card showed the votes, "Expired without a decision", and no reason.
func TestVoteRevisedAfterDeadlineExpires(t *testing.T) {
	t.Parallel()
	r, yes := voted(ask.Voting{Mode: ask.Quorum, Need: 2}, singleQ()).forAWhile().until(time.Second), "Yes, again."
	for order, who := range []string{"U1", "U2"} {
		_, _ = r.judged(by(who, int64(order), ask.Choose, 0, 0), DraftMode{}, start)
	}
	if err := r.Revise(ask.Revision{Context: &yes}, nil, start.Add(2*time.Second)); err != nil || r.Context == yes {
		t.Errorf("revised with %v", err)
	}
	if o := r.Outcome; o.State != ask.Expired || o.Reason != "quorum: 1 of 2" || len(o.Votes) != 1 {
		t.Errorf("it is %s with %d votes, since %q", o.State, len(o.Votes), o.Reason)
	}
}

func TestRevisionKeepsChoicesOfSameQuestions(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{true, false} {
		r := openRecord(singleQ(), another())
		m := DraftMode{Shared: shared}
		for q := range 2 {
			a := by("U1", int64(q+1), ask.Select, q, -1)
			a.Action.Picks = map[int][]int{q: {1}}
			if q == 1 && shared {
				continue // That would complete it.
			}
			if _, err := r.judged(a, m, start); err != nil {
				t.Fatal(err)
			}
		}
		third := ask.Question{Text: "Why?"}
		if err := r.Revise(asking(0, third, singleQ()), nil, start); err != nil {
			t.Fatal(err)
		}
		for who, draft := range r.Drafts {
			if !slices.Equal(draft.Left(r.Questions), []int{0}) || draft[1].Selected[0] != 1 {
				t.Errorf("shared %t: the draft of %s is %+v", shared, who, draft)
			}
		}
		if len(r.Drafts) != 1 {
			t.Errorf("shared %t: there are %d drafts", shared, len(r.Drafts))
		}
	}
}

// until ends the request after that time.
func (r *Record) until(span time.Duration) *Record {
	r.Deadline = start.Add(span)
	r.Due = nextDue(r)
	return r
}

// onlyFor restricts the responders.
func (r *Record) onlyFor(who string) *Record {
	r.Policy = ask.PolicyOf(who)
	return r
}

// asks is an act that asks the agent a question.
func asks(who string, order int64, text string) Act {
	a := by(who, order, ask.AskAgent, -1, -1)
	a.Action.Texts = map[int]string{-1: text}
	return a
}

func (r *Record) asked(way ask.AskBack) *Record {
	r.AskBack = way
	return r
}

func TestPeopleAskBack(t *testing.T) {
	t.Parallel()
	two := ask.Voting{Mode: ask.Quorum, Need: 2}
	for _, tt := range []struct {
		name   string
		record *Record
		acts   []Act
		want   string
	}{
		{"the request stays open", openRecord(singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, "Why?")}, "open: asked; 1 Why?"},
		{"delivered again it is asked once", openRecord(singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, "Why?"), asks("U1", 1, "Why?")}, "open: asked, repeated; 1 Why?"},
		{"several ask", openRecord(singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, "Why?"), asks("U2", 2, "When?")}, "open: asked, asked; 1 Why? 2 When?"},
		{"about a revision they have not seen, too", openRecord(singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, "Why?").of(3)}, "open: asked; 1 Why?"},
		{"nothing is no question", openRecord(singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, " ")}, "open: incomplete;"},
		{"not unless the request allows it", openRecord(singleQ()), []Act{asks("U1", 1, "Why?")}, "open: unknown;"},
		{"not after the end", openRecord(singleQ()).asked(ask.AskBackStay), []Act{by("U1", 1, ask.Choose, 0, 0), asks("U1", 2, "Why?")}, "answered: completed, closed;"},
		{"it ends the request of an agent without feedback", openRecord(singleQ()).asked(ask.AskBackEnd), []Act{asks("U1", 1, "Why?")}, "cancelled: completed; reply Why?"},
		{"which a choice answers as ever", openRecord(singleQ()).asked(ask.AskBackEnd), []Act{by("U1", 1, ask.Choose, 0, 0)}, "answered: completed;"},
		{"and is one of several people's wish there", voted(ask.Voting{Mode: ask.Quorum, Need: 2, Dismiss: 2}, singleQ()).asked(ask.AskBackEnd), []Act{asks("U1", 1, "Why?")}, "open: counted;"},
		{"it is no vote", voted(two, singleQ()).asked(ask.AskBackStay), []Act{asks("U1", 1, "Why?"), by("U2", 2, ask.Choose, 0, 0)}, "open: asked, counted; 1 Why?"},
		{"strangers cannot ask", openRecord(singleQ()).asked(ask.AskBackStay).onlyFor("slack:U2"), []Act{asks("U1", 1, "Why?")}, "open: forbidden;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var verdicts []string
			for _, a := range tt.acts {
				result, _ := tt.record.judged(a, DraftMode{}, start)
				verdicts = append(verdicts, string(result.Verdict))
			}
			got := string(tt.record.Outcome.State) + ": " + strings.Join(verdicts, ", ") + ";"
			for n, asked := range tt.record.AskedBack {
				got += " " + string(rune('0'+n+1)) + " " + asked.Text
			}
			if reply := tt.record.Outcome.Reply(); reply != "" {
				got += " reply " + reply
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestQuestionsToAgentAreBounded(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).asked(ask.AskBackStay)
	for n := range ask.MaxAskedBack + 1 {
		result, _ := r.judged(asks("U1", int64(n+1), strings.Repeat("ü", ask.MaxAsked+1)), DraftMode{}, start)
		if want := map[bool]Verdict{true: AskedAgent, false: Enough}[n < ask.MaxAskedBack]; result.Verdict != want {
			t.Fatalf("number %d is %s", n+1, result.Verdict)
		}
	}
	if got := len([]rune(r.AskedBack[0].Text)); got != ask.MaxAsked {
		t.Errorf("%d characters are kept", got)
	}
}

func TestAgentRepliesOnce(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).asked(ask.AskBackStay)
	for n, text := range []string{"Why?", "When?"} {
		_, _ = r.judged(asks("U1", int64(n+1), text), DraftMode{}, start)
	}
	for _, step := range []struct {
		name   string
		number int
		text   string
		err    error
	}{
		{"it must say to which of two", 0, "Because.", ErrNotAsked},
		{"there is no third", 3, "Because.", ErrNotAsked},
		{"the second first", 2, "Now.", nil},
		{"the same reply again changes nothing", 2, "Now.", ErrUnchanged},
		{"another one is refused", 2, "Later.", ErrReplied},
		{"the only one that waits", 0, "Because.", nil},
		{"and again", 0, "Because.", ErrUnchanged},
		{"nothing waits", 0, "What?", ErrNotAsked},
	} {
		if err := r.Reply(step.number, step.text, start); !errors.Is(err, step.err) {
			t.Errorf("%s: %v, want %v", step.name, err, step.err)
		}
	}
	if err := begin(Announcing, r, start); err != nil {
		t.Fatal(err)
	}
	c := r.Copies[0]
	_, announced := Below(r, c, c.Saying)
	var texts []string
	for _, asked := range announced {
		texts = append(texts, asked.Reply)
	}
	if diff := cmp.Diff([]string{"Now.", "Because."}, texts); diff != "" {
		t.Errorf("announced below the card (-want +got):\n%s", diff)
	}
	if who := BelowRecipients(r, c); !slices.Equal(who, []string{"slack:U1"}) {
		t.Errorf("notified %q", who)
	}
	if err := begin(Announcing, r, start); !errors.Is(err, ErrUnchanged) {
		t.Errorf("announced twice: %v", err)
	}
}

func TestAnnouncementsKeepOrder(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).asked(ask.AskBackStay)
	who := []string{"slack:U1"}
	r.Schedule = &Schedule{Steps: []Step{{After: time.Minute, Do: ask.Remind, Who: who}, {After: 30 * time.Minute, Do: ask.Remind, Who: who}}}
	r.Begin(ask.Never, start)
	_, _ = r.judged(asks("U1", 1, "Why?"), DraftMode{}, start)
	for _, err := range []error{r.Tick(start.Add(time.Minute)), r.Reply(1, "Because.", start.Add(2*time.Minute)), r.Tick(start.Add(30 * time.Minute))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var order []string
	for place := range 3 {
		steps, replies := Below(r, Copy{Target: r.Copies[0].Target, Said: place}, place+1)
		for _, s := range steps {
			order = append(order, s.After.String())
		}
		for _, asked := range replies {
			order = append(order, asked.Reply)
		}
	}
	if diff := cmp.Diff([]string{"1m0s", "Because.", "30m0s"}, order); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
}

func TestWebhookIsCalledForQuestions(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).asked(ask.AskBackStay)
	r.Webhook = &Webhook{Address: "https://agent.example", State: Due}
	_, _ = r.judged(asks("U1", 1, "Why?"), DraftMode{}, start)
	if !NeedsWebhook(r) || r.DeliveryDue.IsZero() {
		t.Fatal("the webhook is not due")
	}
	_, _ = r.ApplyReport(Report{Call: &CallResult{Asked: 1, Problem: "timed out"}}, start)
	if !NeedsWebhook(r) || r.Webhook.Attempts != 1 || r.Webhook.RetryAt.IsZero() {
		t.Errorf("after a failure: %+v", r.Webhook)
	}
	_, _ = r.ApplyReport(Report{Call: &CallResult{Asked: 1, Stop: true, Problem: "answered 410"}}, start)
	if NeedsWebhook(r) || r.Webhook.State != Due {
		t.Errorf("a receiver without events must still get the end: %+v", r.Webhook)
	}
	_, _ = r.judged(asks("U1", 2, "When?"), DraftMode{}, start)
	_, _ = r.ApplyReport(Report{Call: &CallResult{Asked: 2}}, start)
	if NeedsWebhook(r) || r.Webhook.State != Due {
		t.Errorf("a receiver that took a question must get the end too: %+v", r.Webhook)
	}
	_, _ = r.judged(asks("U1", 4, "Where?"), DraftMode{}, start)
	_, _ = r.ApplyReport(Report{Call: &CallResult{Asked: 3, Problem: "timed out"}}, start)
	_, _ = r.judged(by("U1", 5, ask.Choose, 0, 0), DraftMode{}, start)
	if !NeedsWebhook(r) || r.Webhook.Attempts != 0 || !r.Webhook.RetryAt.IsZero() || r.Webhook.Address != "https://agent.example" {
		t.Errorf("the end is called at once: %+v", r.Webhook)
	}
	_, _ = r.ApplyReport(Report{Call: &CallResult{Asked: 3}}, start)
	if !NeedsWebhook(r) {
		t.Error("a call about a question counts as one about the end")
	}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	decided := func() *Record {
		r := openRecord(singleQ())
		r.Receipt = &Receipt{}
		_, _ = r.judged(by("U1", 1, ask.Choose, 0, 0), DraftMode{}, start)
		return r
	}
	expired := func(votes ...Act) *Record {
		r := voted(ask.Voting{Mode: ask.Poll}, deploy())
		r.Receipt = &Receipt{}
		for _, vote := range votes {
			_, _ = r.judged(vote, DraftMode{}, start)
		}
		_ = catchUp(r, start.Add(time.Hour))
		return r
	}
	polled := func() *Record { return expired(by("U1", 1, ask.Choose, 0, 0)) }
	for _, tt := range []struct {
		name   string
		record *Record
		do     func(*Record) error
		err    error
		want   Receipt
	}{
		{"the agent takes it", decided(), func(r *Record) error { return r.Acknowledge(start) }, nil, Receipt{TakenAt: start}},
		{"once", decided(), func(r *Record) error { _ = r.Acknowledge(start); return r.Acknowledge(start.Add(time.Hour)) }, ErrUnchanged, Receipt{TakenAt: start}},
		{"not yet ten minutes", decided(), func(r *Record) error { return r.MarkUnacknowledged(start.Add(ReceiptWait - 1)) }, ErrUnchanged, Receipt{}},
		{"ten minutes without acknowledgement", decided(), func(r *Record) error { return r.MarkUnacknowledged(start.Add(ReceiptWait)) }, nil, Receipt{Missing: true}},
		{"acknowledged in time", decided(), func(r *Record) error { _ = r.Acknowledge(start); return r.MarkUnacknowledged(start.Add(ReceiptWait)) }, ErrUnchanged, Receipt{TakenAt: start}},
		{"who comes late has it after all", decided(), func(r *Record) error {
			_ = r.MarkUnacknowledged(start.Add(ReceiptWait))
			return r.Acknowledge(start.Add(time.Hour))
		}, nil, Receipt{TakenAt: start.Add(time.Hour)}},
		{"overruled", decided(), func(r *Record) error { return r.Overrule("the terminal", start) }, nil, Receipt{TakenAt: start, Instead: "the terminal"}},
		{"overruled after the acknowledgement", decided(), func(r *Record) error {
			_ = r.Acknowledge(start)
			return r.Overrule("the terminal", start.Add(time.Hour))
		}, nil, Receipt{TakenAt: start.Add(time.Hour), Instead: "the terminal"}},
		{"once", decided(), func(r *Record) error {
			_ = r.Overrule("the terminal", start)
			return r.Overrule("again", start.Add(time.Hour))
		}, ErrUnchanged, Receipt{TakenAt: start, Instead: "the terminal"}},
		{"not overruled before an answer", func() *Record { r := openRecord(singleQ()); r.Receipt = &Receipt{}; return r }(), func(r *Record) error { return r.Overrule("the terminal", start) }, ErrUnchanged, Receipt{}},
		{"the agent takes what votes decided by the deadline", polled(), func(r *Record) error { return r.Acknowledge(start) }, nil, Receipt{TakenAt: start}},
		{"votes overruled", polled(), func(r *Record) error { return r.Overrule("the terminal", start) }, nil, Receipt{TakenAt: start, Instead: "the terminal"}},
		{"a grant's answer is not overruled", func() *Record {
			r := openRecord(singleQ())
			r.Receipt = &Receipt{}
			r.ResolveFromGrant(ask.Outcome{State: ask.Answered, Via: "grant:g1"}, start)
			return r
		}(), func(r *Record) error { return r.Overrule("the terminal", start) }, ErrUnchanged, Receipt{}},
		{"there is nothing to take where votes decided nothing", expired(), func(r *Record) error { return r.Acknowledge(start) }, ErrUnchanged, Receipt{}},
		{"what was overruled is not handed on", decided(), func(r *Record) error {
			_ = r.Overrule("the terminal", start)
			if r.HandOn(time.Hour, start) {
				return errors.New("it is")
			}
			return nil
		}, nil, Receipt{TakenAt: start, Instead: "the terminal"}},
		{"the overruling text can be erased", decided(), func(r *Record) error {
			_ = r.Overrule("the terminal", start)
			return r.Erase("")
		}, nil, Receipt{TakenAt: start, Instead: erased("the terminal")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.do(tt.record); !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, *tt.record.Receipt); diff != "" {
				t.Errorf("the receipt (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("only a person's decision is taken", func(t *testing.T) {
		t.Parallel()
		r := openRecord(singleQ())
		r.Receipt = &Receipt{}
		_ = r.Withdraw(ask.Cancelled, "", start)
		if err := r.Acknowledge(start); !errors.Is(err, ErrUnchanged) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("checked again after ten minutes", func(t *testing.T) {
		t.Parallel()
		r := decided()
		r.Copies[0].State, r.Copies[0].Rendered = Undeliverable, r.Revision
		_, _ = r.ApplyReport(Report{Copies: []Result{Drawn{Revision: r.Revision}}}, start)
		if !r.DeliveryDue.Equal(start.Add(ReceiptWait)) {
			t.Errorf("it is due at %s", r.DeliveryDue)
		}
	})
	t.Run("a webhook that is taken is a receipt", func(t *testing.T) {
		t.Parallel()
		r := decided()
		r.Webhook = &Webhook{Address: "https://agent.example", State: Due}
		_, _ = r.ApplyReport(Report{Call: &CallResult{}}, start)
		if r.Receipt.TakenAt.IsZero() || !Behind(r) {
			t.Errorf("the receipt is %+v", r.Receipt)
		}
	})
}

func TestEndedRequestIsNotJoined(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	if err := r.Join(start); err != nil || r.Joined != 1 || !Behind(r) {
		t.Errorf("an open one is joined by %d, %v", r.Joined, err)
	}
	_, _ = r.judged(by("U1", 1, ask.Choose, 0, 0), DraftMode{}, start)
	if err := r.Join(start); !errors.Is(err, ErrUnchanged) || r.Joined != 1 {
		t.Errorf("one that has ended is joined by %d, %v", r.Joined, err)
	}
}
