package record

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestWhatWaitsForAPerson(t *testing.T) {
	t.Parallel()
	posted := func(installation, user string) Copy {
		return Copy{
			Target: ask.Place{Platform: "slack", Channel: "C1", User: user}, State: Posted,
			Ref: MessageRef{Platform: "slack", Installation: installation, Channel: "C1", Message: "m" + user},
		}
	}
	kim := ask.Person{Platform: "slack", ID: "U1"}
	for name, tt := range map[string]struct {
		policy []string
		change func(*Record)
		groups []string
		want   bool
	}{
		"named":                      {policy: []string{"slack:U1"}, want: true},
		"in a named group":           {policy: []string{"slack-group:S1"}, groups: []string{"slack-group:S1"}, want: true},
		"in no named group":          {policy: []string{"slack-group:S1"}},
		"one of anyone":              {policy: []string{ask.Anyone}},
		"one of anyone, notified":    {policy: []string{ask.Anyone}, change: func(r *Record) { r.Audience = &Audience{Who: []string{"slack:U1"}} }, want: true},
		"notified only":              {policy: []string{"slack:U2"}, change: func(r *Record) { r.Audience = &Audience{Who: []string{"slack:U1"}} }},
		"named, a linked account":    {policy: []string{"discord:1"}, groups: []string{"discord:1"}, want: true},
		"sent to them":               {policy: []string{ask.Anyone}, change: func(r *Record) { r.Copies = Copies{posted("", "U1")} }, want: true},
		"sent to another":            {policy: []string{ask.Anyone}, change: func(r *Record) { r.Copies = Copies{posted("", "U2")} }},
		"in another installation":    {policy: []string{"slack:U1"}, change: func(r *Record) { r.Copies = Copies{posted("T2", "")} }},
		"not posted yet":             {policy: []string{"slack:U1"}, change: func(r *Record) { r.Copies[0].State, r.Copies[0].Ref = Delayed, MessageRef{} }},
		"decided, can be undone":     {policy: []string{"slack:U1"}, change: func(r *Record) { r.Held = &Held{} }},
		"ended":                      {policy: []string{"slack:U1"}, change: func(r *Record) { r.Outcome.State = ask.Expired }},
		"the requester, not allowed": {policy: []string{"slack:U1", ask.NotRequester}, change: func(r *Record) { r.Requesters = []string{"slack:U1"} }},
	} {
		r := openRecord(singleQ())
		r.Policy, r.Copies = ask.PolicyOf(tt.policy...), Copies{posted("", "")}
		if tt.change != nil {
			tt.change(r)
		}
		if got := Waits(r, ask.Responder{Person: kim, Groups: tt.groups, Membership: ask.Member}, ""); got != tt.want {
			t.Errorf("%s: waits: %t, want %t", name, got, tt.want)
		}
	}
}
