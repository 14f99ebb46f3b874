package bridge

import (
	"errors"
	"testing"
)

func TestAReplyThatComesLateDoesNotDrawAnOlderCard(t *testing.T) {
	t.Parallel()
	var e easel
	ref := MessageRef{Platform: "discord", Channel: "C1", Message: "m1"}
	leave := e.sit(ref)
	var drawn []int64
	draw := func(face int64, result error) error {
		return e.draw(ref, face, func() error {
			drawn = append(drawn, face)
			return result
		})
	}
	broken := errors.New("lost on the way")
	for _, step := range []struct {
		face       int64
		comes, was error
	}{
		{face: 2},
		{face: 1, was: errOvertaken},
		{face: 4, comes: broken, was: broken},
		{face: 3},
		{face: 2, was: errOvertaken},
		{face: 3},
	} {
		if err := draw(step.face, step.comes); !errors.Is(err, step.was) {
			t.Errorf("face %d: %v, want %v", step.face, err, step.was)
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
