package record

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// begin starts the work below the cards.
func begin(w Work, r *Record, soon time.Time) error {
	_, err := w.Begin(r, soon)
	return err
}

func TestAnnouncementIsStartedOnce(t *testing.T) {
	t.Parallel()
	files := []ask.Attachment{{Name: "plan.txt"}}
	later := start.Add(time.Minute)
	for name, test := range map[string]struct {
		work          Work
		copy          Copy
		ended         bool
		free, doubted bool
	}{
		"nothing announced":                   {work: Announcing, free: true},
		"everything announced":                {work: Announcing, copy: Copy{Said: 1, Saying: 1}},
		"announcement in progress":            {work: Announcing, copy: Copy{Saying: 1}, doubted: true},
		"nothing to announce after the end":   {work: Announcing, ended: true},
		"what is put off with its card":       {work: Announcing, copy: Copy{RetryAt: later}},
		"the files are missing":               {work: Uploading, free: true},
		"the files stand":                     {work: Uploading, copy: Copy{Filing: Filed}},
		"the files never will stand":          {work: Uploading, copy: Copy{Filing: Unfilable}},
		"another replica uploads them":        {work: Uploading, copy: Copy{Filing: BeingFiled}, doubted: true},
		"after the end":                       {work: Uploading, ended: true},
		"an upload that is put off":           {work: Uploading, copy: Copy{RetryAt: later}},
		"one started before":                  {work: Uploading, copy: Copy{Filing: BeingFiled, RetryAt: later}},
		"the files of a card that is missing": {work: Uploading, copy: Copy{State: Delayed}},
	} {
		r := scheduled(reminded)
		r.Files = files
		if err := r.Tick(minute(10)); err != nil {
			t.Fatal(err)
		}
		if test.ended {
			end(r, ask.Outcome{State: ask.Cancelled}, start)
		}
		c := &r.Copies[0]
		c.Said, c.Saying, c.Filing, c.RetryAt = test.copy.Said, test.copy.Saying, test.copy.Filing, test.copy.RetryAt
		if test.copy.State != "" {
			c.State = test.copy.State
		}
		free, doubted := test.work.Left(r, false, start)
		if slices.Equal(free, []int{0}) != test.free || doubted != nil {
			t.Errorf("%s: unclaimed, but free %v and in doubt %v", name, free, doubted)
		}
		if _, doubted := test.work.Left(r, true, start); slices.Equal(doubted, []int{0}) != test.doubted {
			t.Errorf("%s: in doubt are %v", name, doubted)
		}
		if begun, err := test.work.Begin(r, start); (err == nil && slices.Equal(begun, []int{0})) != test.free || err != nil && !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: begun below %v, %v", name, begun, err)
		}
		if again, err := test.work.Begin(r, start); !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: begun again below %v, %v", name, again, err)
		}
	}
}
