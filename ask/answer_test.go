package ask_test

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestOutcomeEnd(t *testing.T) {
	t.Parallel()
	by := ask.Person{Platform: "slack", ID: "U1"}
	for name, tt := range map[string]struct {
		out   ask.Outcome
		want  ask.End
		reply string
	}{
		"it is open":                          {ask.Outcome{State: ask.Open}, ask.NotEnded, ""},
		"a person answered":                   {ask.Outcome{State: ask.Answered, By: by}, ask.EndAnswered, ""},
		"a person dismissed it":               {ask.Dismissal(by), ask.EndDismissed, ""},
		"a person replied":                    {ask.Replying(by, "later"), ask.EndReplied, "later"},
		"a person replied with dismissed":     {ask.Replying(by, "dismissed"), ask.EndReplied, "dismissed"},
		"a reply of an older version":         {ask.Outcome{State: ask.Cancelled, By: by, Reason: "later"}, ask.EndReplied, "later"},
		"ended by a person in an unknown way": {ask.Outcome{State: ask.Cancelled, By: by}, ask.EndDismissed, ""},
		"the agent withdrew it":               {ask.Outcome{State: ask.Cancelled, Reason: "dismissed"}, ask.EndWithdrawn, ""},
		"its time was over":                   {ask.Outcome{State: ask.Expired}, ask.EndExpired, ""},
		"a newer one replaced it":             {ask.Outcome{State: ask.Superseded}, ask.EndSuperseded, ""},
		"it could not be shown":               {ask.Outcome{State: ask.Failed, Reason: "no such channel"}, ask.EndFailed, ""},
		"unknown state":                       {ask.Outcome{State: "paused"}, ask.EndFailed, ""},
	} {
		if got, reply := tt.out.End(), tt.out.Reply(); got != tt.want || reply != tt.reply {
			t.Errorf("%s: end %q, reply %q; want %q, %q", name, got, reply, tt.want, tt.reply)
		}
	}
}
