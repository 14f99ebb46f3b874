package bridge

import (
	"errors"
	"testing"
)

func TestAReplyThatComesLateDoesNotDrawAnOlderCard(t *testing.T) {
	t.Parallel()
	var e locks
	ref := MessageRef{Platform: "discord", Channel: "C1", Message: "m1"}
	leave := e.hold(ref)
	var drawn []int64
	draw := func(revision int64, result error) error {
		return e.render(ref, revision, func() error {
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
		{revision: 1, was: errOvertaken},
		{revision: 4, comes: broken, was: broken},
		{revision: 3},
		{revision: 2, was: errOvertaken},
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
