package deliver

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

func TestNextStep(t *testing.T) {
	t.Parallel()
	card := platform.MessageRef{Platform: "slack", Channel: "C1", Message: "m1"}
	later := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, test := range map[string]struct {
		copy           record.Copy
		ended, claimed bool
		want           step
	}{
		"it is posted":                             {copy: record.Copy{State: record.Pending}, want: postCard},
		"it is posted when its time has come":      {copy: record.Copy{State: record.Pending, RetryAt: later}, want: postCard},
		"it is looked for where a reply was lost":  {copy: record.Copy{State: record.Pending, Ambiguous: true}, want: searchCards},
		"search after the poster died":             {copy: record.Copy{State: record.Pending}, claimed: true, want: searchCards},
		"outdated questions":                       {copy: record.Copy{State: record.Posted, Ref: card, Rendered: 1}, want: updateCard},
		"outdated, and a second card may exist":    {copy: record.Copy{State: record.Posted, Ref: card, Rendered: 1, Ambiguous: true}, want: updateCard},
		"request ended":                            {copy: record.Copy{State: record.Posted, Ref: card, Rendered: 1}, ended: true, want: updateCard},
		"search for a second card after closing":   {copy: record.Copy{State: record.Posted, Ref: card, Rendered: 2, Ambiguous: true}, ended: true, want: searchCards},
		"its request ended before its time came":   {copy: record.Copy{State: record.Delayed, RetryAt: later}, ended: true, want: dropCard},
		"ended while another process may post":     {copy: record.Copy{State: record.Pending}, ended: true, want: awaitCard},
		"lease over and no reference stored":       {copy: record.Copy{State: record.Pending, RetryAt: later}, ended: true, want: searchCards},
		"its request ended after a reply was lost": {copy: record.Copy{State: record.Delayed, Ambiguous: true}, ended: true, want: searchCards},
		"ended, and the poster died":               {copy: record.Copy{State: record.Pending}, ended: true, claimed: true, want: searchCards},
	} {
		r := &record.Record{Revision: 2, Outcome: ask.Outcome{State: ask.Open}}
		if test.ended {
			r.Outcome.State = ask.Cancelled
		}
		if got := nextStep(r, test.copy, test.claimed); got != test.want {
			t.Errorf("%s: step %d, want %d", name, got, test.want)
		}
	}
}
