package deliver

import (
	"errors"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

func TestLateReplyDoesNotDrawOlderCard(t *testing.T) {
	t.Parallel()
	e := Locks{Clock: &state.Clock{}}
	ref := platform.MessageRef{Platform: "discord", Channel: "C1", Message: "m1"}
	leave := e.Hold(ref)
	var drawn []int64
	draw := func(revision int64, result error) error {
		return e.Render(ref, revision, func() error {
			drawn = append(drawn, revision)
			return result
		})
	}
	broken := errors.New("lost on the way")
	for _, step := range []struct {
		revision   int64
		comes, was error
	}{
		{revision: 2},
		{revision: 1, was: ErrOvertaken},
		{revision: 4, comes: broken, was: broken},
		{revision: 3},
		{revision: 2, was: ErrOvertaken},
		{revision: 3},
	} {
		if err := draw(step.revision, step.comes); !errors.Is(err, step.was) {
			t.Errorf("revision %d: %v, want %v", step.revision, err, step.was)
		}
	}
	leave()
	if err := draw(1, nil); err != nil {
		t.Errorf("when everybody has left: %v", err)
	}
	if want := []int64{2, 4, 3, 3, 1}; len(drawn) != len(want) {
		t.Errorf("drawn %v, want %v", drawn, want)
	}
}

func TestSuffices(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		drawn record.Drawn
		again time.Time
		want  bool
	}{
		"it is as new, and nothing is due":       {record.Drawn{Revision: 3, Begun: at}, time.Time{}, true},
		"it is newer":                            {record.Drawn{Revision: 4, Begun: at}, time.Time{}, true},
		"it is older":                            {record.Drawn{Revision: 2, Begun: at}, time.Time{}, false},
		"nobody has drawn it":                    {record.Drawn{}, time.Time{}, false},
		"it was drawn before it is due again":    {record.Drawn{Revision: 3, Begun: at}, at.Add(time.Second), false},
		"it has been drawn since it was due":     {record.Drawn{Revision: 3, Begun: at}, at.Add(-time.Second), true},
		"it was drawn at the moment that is due": {record.Drawn{Revision: 3, Begun: at}, at, true},
	} {
		if got := suffices(tc.drawn, record.Copy{RetryAt: tc.again}, 3); got != tc.want {
			t.Errorf("%s: that it stands is %t", name, got)
		}
	}
}
