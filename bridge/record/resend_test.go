package record

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestResendRevivesOnlyLostCards(t *testing.T) {
	t.Parallel()
	place := ask.Place{Platform: "slack", Channel: "C1"}
	ref := MessageRef{Platform: "slack", Channel: "C1", Message: "m1"}
	standing := Copy{Target: place, State: Posted, Ref: ref}
	for name, test := range map[string]struct {
		copy, want Copy
		ended      bool
	}{
		"a posted card is updated":                {copy: Copy{Target: place, State: Posted, Ref: ref, Rendered: 1, Reposted: true}, want: standing},
		"a lost card is drawn or put back":        {copy: Copy{Target: place, State: Lost, Ref: ref, Rendered: 1, Problem: "gone"}, want: standing},
		"a lost card of an ended request is too":  {copy: Copy{Target: place, State: Lost, Ref: ref, Rendered: 1, Problem: "gone"}, want: standing, ended: true},
		"what could not be posted is tried again": {copy: Copy{Target: place, State: Undeliverable, Problem: "no access", Ambiguous: true}, want: Copy{Target: place, State: Delayed, Ambiguous: true}},
		"files that were given up are uploaded":   {copy: Copy{Target: place, State: Posted, Ref: ref, Filing: Unfilable, Problem: "missing_scope"}, want: standing},
		"but not after the end":                   {copy: Copy{Target: place, State: Undeliverable, Problem: "no access"}, ended: true},
		"a post that was put off is made now":     {copy: Copy{Target: place, State: Delayed, Problem: "away", Queue: 3, RetryAt: start.Add(time.Hour)}, want: Copy{Target: place, State: Delayed}},
		"one under way is left alone":             {copy: Copy{Target: place, State: Pending}},
		"and so is its search after the end":      {copy: Copy{Target: place, State: Pending, RetryAt: start.Add(time.Second)}, ended: true},
	} {
		r := openRecord(singleQ())
		if test.ended {
			end(r, ask.Outcome{State: ask.Cancelled}, start)
		}
		r.Copies = []Copy{test.copy}
		err := r.Resend(start)
		want := test.want
		if want.State == "" {
			want = test.copy
		}
		if unchanged := cmp.Equal(want, test.copy); errors.Is(err, ErrUnchanged) != unchanged {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, r.Copies[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestResendKeepsPostingClaim(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Copies = append(r.Copies, Copy{Target: ask.Place{Platform: "slack", Channel: "C2"}, State: Pending})
	r.DeliveryDue = start.Add(Lease / 2)
	if err := r.Resend(start); err != nil || !r.DeliveryDue.Equal(start.Add(Lease/2)) {
		t.Errorf("another replica's claim was moved to %v: %v", r.DeliveryDue, err)
	}
	r.Copies = r.Copies[:1]
	if err := r.Resend(start); err != nil || !r.DeliveryDue.Equal(start.Add(Lease)) {
		t.Errorf("no replica is posting, but the claim is at %v: %v", r.DeliveryDue, err)
	}
}

func TestResendCallsPendingWebhook(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hook Webhook
		open bool
		want bool
	}{
		"given up":       {hook: Webhook{Address: "https://a.example", State: Dead, Attempts: 11, Problem: "answered 500"}, want: true},
		"waiting":        {hook: Webhook{Address: "https://a.example", State: Due, Attempts: 2, RetryAt: start.Add(time.Hour)}, want: true},
		"under way":      {hook: Webhook{Address: "https://a.example", State: Due}},
		"taken":          {hook: Webhook{Address: "https://a.example", State: Taken}},
		"not due so far": {hook: Webhook{Address: "https://a.example", State: Due, RetryAt: start.Add(time.Hour)}, open: true},
	} {
		r := openRecord(singleQ())
		if !test.open {
			end(r, ask.Outcome{State: ask.Cancelled}, start)
		}
		r.Copies, r.Webhook = nil, &test.hook
		err := r.Resend(start)
		if got := err == nil && *r.Webhook == (Webhook{Address: "https://a.example", State: Due}); got != test.want || !got && !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: %+v, %v", name, r.Webhook, err)
		}
	}
}

func TestAPIAnswerFollowsCardRules(t *testing.T) {
	t.Parallel()
	channel := ask.Place{Platform: "slack", Channel: "C1"}
	direct := ask.Place{Platform: "slack", User: "U1"}
	for name, test := range map[string]struct {
		policy ask.Policy
		to     []ask.Place
		as     []string
		asker  string
		want   bool
	}{
		"anyone":                          {policy: ask.PolicyOf(ask.Anyone), to: []ask.Place{channel}, want: true},
		"a named person":                  {policy: ask.PolicyOf("slack:U1"), to: []ask.Place{channel}, as: []string{"slack:U1"}, want: true},
		"a person not named":              {policy: ask.PolicyOf("slack:U2"), to: []ask.Place{channel}, as: []string{"slack:U1"}},
		"a name is no platform account":   {policy: ask.PolicyOf("slack:dana-shell"), to: []ask.Place{channel}},
		"another person's direct message": {policy: ask.PolicyOf(ask.Anyone), to: []ask.Place{direct}, as: []string{"slack:U2"}},
		"a direct message of their own":   {policy: ask.PolicyOf(ask.Anyone), to: []ask.Place{direct}, as: []string{"slack:U1"}, want: true},
		"a channel and a direct message":  {policy: ask.PolicyOf(ask.Anyone), to: []ask.Place{direct, channel}, want: true},
		"the requester":                   {policy: ask.PolicyOf(ask.Anyone, ask.NotRequester), to: []ask.Place{channel}, as: []string{"discord:7", "slack:U1"}, asker: "slack:U1"},
		"not the requester":               {policy: ask.PolicyOf(ask.Anyone, ask.NotRequester), to: []ask.Place{channel}, as: []string{"slack:U2"}, asker: "slack:U1", want: true},
	} {
		r := openRecord(singleQ())
		r.Policy, r.Copies = test.policy, nil
		for _, at := range test.to {
			r.Copies = append(r.Copies, Copy{Target: at, State: Posted, Ref: MessageRef{Platform: "slack", Channel: "C1", Message: "m1"}})
		}
		if test.asker != "" {
			r.Requesters = []string{test.asker}
		}
		a := Act{ID: "a1", By: ask.Responder{Person: ask.Person{Platform: ask.API, ID: "dana-shell"}, Groups: test.as, Membership: ask.Member}}
		a.Action = ask.Action{Kind: ask.SubmitAll, Question: -1, Option: -1, Picks: map[int][]int{0: {1}}}
		got, err := r.judged(a, DraftMode{}, start)
		if counted := got.Verdict == Completed && err == nil; counted != test.want {
			t.Errorf("%s: %s, %v", name, got.Verdict, err)
		}
	}
}
