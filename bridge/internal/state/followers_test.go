package state

import (
	"maps"
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

// A follower that reads later gets versions instead of records that this process has not published.
func TestFollowerThatReadsLater(t *testing.T) {
	t.Parallel()
	var f followers
	me := f.JoinLater()
	published := func(id string, version int64) { f.publish(&record.Record{ID: id, Version: version}) }
	notified := func(id string, version int64) { f.notify(record.Notification{ID: id, Version: version}) }
	published("own", 2)
	notified("own", 1)
	notified("own", 2)
	notified("late", 1)
	published("late", 1)
	notified("elsewhere", 1)
	notified("elsewhere", 4)
	notified("newer", 3)
	published("newer", 2)
	published("unknown", 2)
	notified("unknown", 0)
	if f.want("elsewhere", 4) || f.want("", 0) {
		t.Error("a record is loaded at once")
	}
	if got := len(me.Take()); got != 4 {
		t.Errorf("%d records published, want 4", got)
	}
	want := map[string]int64{"elsewhere": 4, "newer": 3, "unknown": unknownVersion}
	if got, missed := me.TakeLater(); !maps.Equal(got, want) || missed {
		t.Errorf("to read: %v, %v, want %v", got, missed, want)
	}
	f.notify(record.Notification{})
	if got, missed := me.TakeLater(); len(got) > 0 || !missed {
		t.Errorf("after a gap: %v, %v", got, missed)
	}
}
