package record

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

func TestFreeCardIsClaimedOnce(t *testing.T) {
	t.Parallel()
	place := ask.Place{Platform: "slack", Channel: "C1"}
	soon := start.Add(time.Second)
	for name, test := range map[string]struct {
		copy  Copy
		ended bool
		want  bool
	}{
		"its time has come":        {copy: Copy{Target: place, State: Delayed, RetryAt: start}, want: true},
		"it has no time":           {copy: Copy{Target: place, State: Delayed}, want: true},
		"its time comes":           {copy: Copy{Target: place, State: Delayed, RetryAt: soon.Add(1)}},
		"another replica posts it": {copy: Copy{Target: place, State: Pending}},
		"posted":                   {copy: Copy{Target: place, State: Posted, Ref: MessageRef{Platform: "slack", Channel: "C1", Message: "m1"}}},
		"it was given up":          {copy: Copy{Target: place, State: Undeliverable}},
		"the request has ended":    {copy: Copy{Target: place, State: Delayed}, ended: true},
	} {
		r := openRecord(singleQ())
		if test.ended {
			end(r, ask.Outcome{State: ask.Cancelled}, start)
		}
		r.Copies = append(r.Copies, test.copy)
		if got := HasFree(r, soon); got != test.want {
			t.Errorf("%s: free is %t", name, got)
		}
		taken, err := r.Acquire(soon, start)
		if got := err == nil && slices.Equal(taken, []int{1}) && slices.Equal(PendingCopies(r), taken) && r.DeliveryDue.Equal(start.Add(Lease)); got != test.want || !got && !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: took %v, %v: %+v, delivery due %v", name, taken, err, r.Copies[1], r.DeliveryDue)
		}
		if again, err := r.Acquire(soon, start); !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: taken again: %v, %v", name, again, err)
		}
	}
}

func TestRepostedCardIsRepostedOnce(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	gone := r.Copies[0].Ref
	Deleted{Ref: gone}.write(r, &r.Copies[0], start)
	Drawn{Revision: r.Revision}.write(r, &r.Copies[0], start) // A slow replica updated it before that.
	if !HasFree(r, start) {
		t.Fatalf("the card is not put back: %+v", r.Copies[0])
	}
	again := MessageRef{Platform: "slack", Channel: "C1", Message: "m9"}
	NewCard{Ref: again, Revision: 1}.write(r, &r.Copies[0], start)
	Deleted{Ref: gone}.write(r, &r.Copies[0], start)
	if got := r.Copies[0]; got.Ref != again || got.State != Posted {
		t.Errorf("a replica that is slow had it forgotten: %+v", got)
	}
}

func TestUsedRepostStillCountsAsReposted(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	Deleted{Ref: r.Copies[0].Ref}.write(r, &r.Copies[0], start)
	if !adopt(r, Act{Message: MessageRef{Platform: "slack", Channel: "C1", Message: "m9"}}, start) || !r.Copies[0].Reposted {
		t.Errorf("it would be put back once more: %+v", r.Copies)
	}
}

// One replica lost the reply to its post, another one has posted, and a person presses before either has stored a
// message ID.
func TestUsedCardKeepsSearchForDuplicates(t *testing.T) {
	t.Parallel()
	card := MessageRef{Platform: "slack", Channel: "C1", Message: "m9"}
	press := Act{Message: card}
	lost := Failure{Why: "timeout", Ambiguous: true}
	posted := NewCard{Ref: card, Revision: 1, Ambiguous: true}
	for name, results := range map[string]struct{ before, after Result }{
		"its loss is noted before the press": {before: lost},
		"its loss is noted after the press":  {after: lost},
		"the post of who has taken over":     {after: posted},
	} {
		r := openRecord(singleQ())
		r.Copies = []Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: Pending}}
		write := func(result Result) {
			if result != nil {
				result.write(r, &r.Copies[0], start)
			}
		}
		write(results.before)
		if !adopt(r, press, start) || r.Copies[0].Ref != card {
			t.Fatalf("%s: the card is not known: %+v", name, r.Copies)
		}
		write(results.after)
		end(r, ask.Outcome{State: ask.Cancelled}, start)
		if !needsSearch(r, r.Copies[0]) {
			t.Errorf("%s: the search for a duplicate ended: %+v", name, r.Copies)
		}
	}
}

func TestUpdateFailsForGoodAfterADay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		card, ended bool
		attempts    int
		failed      Result
		want        Delivery
	}{
		"an update that can still be made":  {card: true, attempts: maxAttempts - 1, failed: Failure{Why: "down", Posted: true}, want: Posted},
		"the last update":                   {card: true, attempts: maxAttempts, failed: Failure{Why: "down", Posted: true}, want: Lost},
		"a limit after all those":           {card: true, attempts: soonAttempts, failed: Failure{Why: "limited", Posted: true, Wait: time.Second}, want: Posted},
		"a post":                            {attempts: maxAttempts, failed: Failure{Why: "down"}, want: Delayed},
		"a card that can still be laid out": {card: true, attempts: maxAttempts - 1, failed: Unprepared{}, want: Posted},
		"a card that was never laid out":    {card: true, attempts: maxAttempts, failed: Unprepared{}, want: Lost},
		"the first update after its end":    {card: true, ended: true, attempts: maxAttempts, failed: Failure{Why: "down", Posted: true}, want: Posted},
	} {
		r := openRecord(singleQ())
		if !tt.card {
			r.Copies[0].State, r.Copies[0].Ref = Pending, MessageRef{}
		}
		r.Attempts = tt.attempts
		if tt.ended {
			_ = r.Withdraw(ask.Cancelled, "", start)
		}
		tt.failed.write(r, &r.Copies[0], start)
		if got := r.Copies[0].State; got != tt.want {
			t.Errorf("%s: it is %q, want %q", name, got, tt.want)
		}
	}
}

func TestDelayedUpdateRunsOnNewChange(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]func(r *Record) error{
		"its end":          func(r *Record) error { return r.Withdraw(ask.Cancelled, "", start) },
		"an equal request": func(r *Record) error { return r.Join(start) },
	} {
		for attempts, want := range map[int]time.Time{soonAttempts: {}, soonAttempts - 1: start.Add(time.Minute)} {
			r := openRecord(singleQ())
			r.Attempts = attempts
			r.Copies[0].State, r.Copies[0].RetryAt = Posted, start.Add(time.Minute)
			if err := more(r); err != nil {
				t.Fatal(err)
			}
			if got := r.Copies[0].RetryAt; !got.Equal(want) {
				t.Errorf("%s after %d failures: it is drawn at %v, want %v", name, attempts, got, want)
			}
		}
	}
}
