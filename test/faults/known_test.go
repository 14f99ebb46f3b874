//go:build faults

package faults

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// TestWithdrawnQuestionLeavesNoButtons kills the replica between a post and the write of its message ID, and
// withdraws the question through another replica at once.
func TestWithdrawnQuestionLeavesNoButtons(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{Slack, Discord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			w := alone(t, platform)
			first := w.Start()
			first.to(platform).AtReply(posting[platform], strikes(first))
			a := w.Asks(Question(platform, "k"))
			first.Dies()
			w.Start()
			made := w.Submits(Question(platform, "k"))
			if _, err := w.Agent.Cancel(t.Context(), made.ID, "found it"); err != nil {
				t.Fatal(err)
			}
			if r := a.Ends(); r.State != ask.Cancelled {
				t.Errorf("ended as %s", r.State)
			}
			w.Dana(platform).AwaitsClosed()
		})
	}
}
