package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// presses presses a button of the card.
func presses(t *testing.T, c talk, who, label string) {
	t.Helper()
	press := func() error { return nil }
	switch c := c.(type) {
	case *slackTalk:
		press = func() error { return c.seat(who).Press(t.Context(), label) }
	case *discordTalk:
		press = func() error { return c.seat(who).Press(t.Context(), label) }
	}
	if err := press(); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// TestHeldTypedVoteFollowsItsMessage has Dana and Sam decide and edit their messages.
func TestHeldTypedVoteFollowsItsMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first, then string // Dana's message before the others, and its edit; empty if she deletes it
		undo, note  bool   // whether the decision is undone, and whether Dana gets a note that her vote is retracted
		want        string
	}{
		"deleted":                              {first: "Postgres", want: "sam Postgres"},
		"changed into another choice":          {first: "Postgres", then: "SQLite", want: "sam Postgres dana SQLite"},
		"changed into no choice":               {first: "Postgres", then: "Postgres, or so", want: "sam Postgres"},
		"changed into the same in other words": {first: "Postgres", then: "POSTGRES", want: "answered Postgres"},
		"deleted where others have decided":    {first: "SQLite", undo: true, want: "sam Postgres"},
		"changed where others have decided":    {first: "SQLite", then: "Postgres", undo: true, note: true, want: "sam Postgres"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
				request := at("")
				request.Voting, request.Hold = ask.Voting{Mode: ask.Quorum, Need: 2}, time.Minute
				r := c.Asks(request)
				c.Types("sam", r.Code+": Postgres")
				vote := c.Types("dana", r.Code+": "+tt.first)
				if tt.first != "Postgres" {
					c.Types("kim", r.Code+": Postgres")
				}
				if tt.then == "" {
					c.Retracts("dana", vote)
				} else {
					c.Rewrites("dana", vote, r.Code+": "+tt.then)
				}
				if got := strings.Contains(c.Sees("dana"), "Your vote is taken back: your message no longer says it."); tt.note && !got {
					t.Errorf("Dana, whose vote is gone, sees:\n%s", c.Sees("dana"))
				}
				if tt.undo {
					presses(t, c, "kim", "Undo")
				}
				time.Sleep(2 * time.Minute)
				got, names := ends(t, c, r), map[string]string{}
				for _, who := range []string{"dana", "sam", "kim"} {
					names[ids[platformOf(c)][who]] = who
				}
				var state []string
				if got.State != ask.Open {
					state = []string{string(got.State) + " " + got.Answers[0].Selected[0]}
				} else {
					for _, v := range got.Votes {
						state = append(state, names[v.By.ID]+" "+v.Choices[0].Selected[0])
					}
				}
				if state := strings.Join(state, " "); state != tt.want {
					t.Errorf("current value = %q, want %q", state, tt.want)
				}
			})
		})
	}
}

// TestHeldTypedAnswerFollowsItsMessage has Dana decide and edit her message.
func TestHeldTypedAnswerFollowsItsMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		then string // her edit; empty if she deletes the message
		want string
		note string
	}{
		"deleted":                              {want: "open"},
		"changed into another choice":          {then: "Postgres", want: "answered Postgres"},
		"changed into no choice":               {then: "SQLite, or so", want: "open", note: "Your answer is taken back: your message no longer says it."},
		"changed into the same in other words": {then: "2", want: "answered SQLite"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, c talk, at func(string) ask.Request) {
				request := at("")
				request.Hold = time.Minute
				r := c.Asks(request)
				answer := c.Types("dana", r.Code+": SQLite")
				if tt.then == "" {
					c.Retracts("dana", answer)
				} else {
					c.Rewrites("dana", answer, r.Code+": "+tt.then)
				}
				if sees := c.Sees("dana"); !strings.Contains(sees, tt.note) {
					t.Errorf("she sees:\n%s", sees)
				}
				time.Sleep(2 * time.Minute)
				got := ends(t, c, r)
				state := string(got.State)
				for _, a := range got.Answers {
					state += " " + a.Selected[0]
				}
				if state != tt.want {
					t.Errorf("current value = %q, want %q; she sees:\n%s", state, tt.want, c.Sees("dana"))
				}
			})
		})
	}
}
