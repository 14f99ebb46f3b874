//go:build faults

package chaos

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/test/faults"
	"github.com/askbridge/askbridge/test/redistest"
)

// TestCheckerAcceptsCalmRun plays one life on both platforms over two replicas without failures: people vote with
// both of their accounts, change and retract votes and undo decisions. After each press the state is read.
func TestCheckerAcceptsCalmRun(t *testing.T) {
	t.Parallel()
	w := faults.NewWorld(t, faults.Setup{Slack: "http", Discord: "http", Redis: redistest.Start(t).Addr, Quiet: true, Config: linking})
	s := &storm{World: w}
	w.Start()
	w.Start()
	slack, discord := faults.Place(faults.Slack), faults.Place(faults.Discord)
	l := &one{s: s, n: 1, over: make(chan struct{}), rule: &rule{need: 2, hold: 6 * time.Second, linked: linked, ends: forever}}
	l.request = ask.Request{
		ToolCallID: "life-1", Session: "calm", Agent: "storm", To: []ask.Place{slack, discord}, Hold: l.rule.hold,
		Voting: ask.Voting{Mode: ask.Quorum, Need: 2}, Questions: []ask.Question{{Text: l.text()}},
	}
	for _, label := range options {
		l.request.Questions[0].Options = append(l.request.Questions[0].Options, ask.Option{Label: label})
	}
	s.history.under(l.n, l.rule)
	made := w.SubmitsPosted(l.request)
	defer s.history.judge(t, s.about)
	const dana, sam, kim = 0, 1, 2
	for _, press := range []struct {
		who          int
		on           ask.Place
		label, wants string
	}{
		{dana, slack, "Alpha", "Alpha"},
		{dana, discord, "Alpha", "Alpha"}, // Linked to Dana's Slack account.
		{dana, discord, english.Button.TakeBack, takesBack},
		{kim, slack, "Bravo", "Bravo"},
		{kim, discord, "Bravo", "Bravo"}, // Not linked, so possibly the same human.
		{sam, slack, "Charlie", "Charlie"},
		{sam, discord, "Bravo", "Bravo"}, // This decides.
		{sam, slack, english.Button.Undo, undoes},
		{dana, slack, "Charlie", "Charlie"},
	} {
		there := false
		for late := time.Now().Add(calm); !there && time.Now().Before(late); {
			_, there = l.presses(t.Context(), press.on, press.who, press.label, press.wants)
			l.pause(t.Context(), look)
		}
		if !there {
			t.Fatalf("no card has %s", press.label)
		}
		began := s.history.clock()
		l.saw(began, w.Gets(made.ID))
	}
	began := s.history.clock()
	r, err := w.Agent.Wait(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	l.saw(began, r)
}

// calm is how long a card update may take without failures.
const calm = 10 * time.Second
