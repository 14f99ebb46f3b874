package state

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// A change from before the end may be published after the end.
func TestFollowerDoesNotSeeOpenAfterEnd(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	stored := func(version int64, state ask.State, after time.Duration) *record.Record {
		return &record.Record{ID: "p1", Version: version, Changed: began.Add(after), Outcome: ask.Outcome{State: state}}
	}
	for name, tt := range map[string]struct {
		next      *record.Record
		published bool
	}{
		"an older one that is open":                 {next: stored(5, ask.Open, 5)},
		"the end again":                             {next: stored(6, ask.Answered, 6)},
		"what came after it":                        {next: stored(7, ask.Answered, 7), published: true},
		"another end, since the store has lost one": {next: stored(6, ask.Expired, 60), published: true},
	} {
		var f followers
		me := f.Join(Selection{All: true})
		f.publish(stored(6, ask.Answered, 6))
		if got := me.Take(); len(got) != 1 {
			t.Fatalf("%s: told of %d records", name, len(got))
		}
		f.publish(tt.next)
		if got := me.Take(); len(got) == 1 != tt.published {
			t.Errorf("%s: told of %d records", name, len(got))
		}
	}
}
