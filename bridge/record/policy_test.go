package record

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestNotRequesterNeedsKnownAccount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		accounts []string
		policy   []string
		want     bool
	}{
		"no account":                     {nil, []string{"anyone", "not_requester"}, false},
		"an account on another platform": {[]string{"discord:7"}, []string{"anyone", "not_requester"}, false},
		"a group is no account":          {[]string{"slack-group:S1"}, []string{"anyone", "not_requester"}, false},
		"the requester":                  {[]string{"slack:U9"}, []string{"anyone", "not_requester"}, false},
		"another person":                 {[]string{"slack:U2"}, []string{"anyone", "not_requester"}, true},
		"without not_requester":          {nil, []string{"anyone"}, true},
	} {
		r := openRecord(singleQ())
		r.Policy, r.Requesters = ask.PolicyOf(tt.policy...), []string{"slack:U9"}
		who := ask.Responder{Person: ask.Person{Platform: ask.API, ID: "shell"}, Groups: tt.accounts, Membership: ask.Member}
		if got := r.MayAnswer(Act{By: who}); got != tt.want {
			t.Errorf("%s: may answer: %t, want %t", name, got, tt.want)
		}
	}
}
