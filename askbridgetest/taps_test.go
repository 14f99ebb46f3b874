package askbridgetest_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

// tapping counts the taps of a person.
type tapping struct {
	chatsim.Seat

	taps *int
}

func (s tapping) tapped(err error) error {
	if err == nil {
		*s.taps++
	}
	return err
}

func (s tapping) Press(ctx context.Context, label string, under ...string) error {
	return s.tapped(s.Seat.Press(ctx, label, under...))
}

func (s tapping) Pick(ctx context.Context, question, option string) error {
	return s.tapped(s.Seat.Pick(ctx, question, option))
}

func (s tapping) Submit(ctx context.Context) error { return s.tapped(s.Seat.Submit(ctx)) }

// tapCase is something that people do on a card.
type tapCase struct {
	name string
	asks ask.Request
	// first is done before the taps are counted.
	first func(ctx context.Context, h chatsim.Hand) error
	do    func(ctx context.Context, h chatsim.Hand) error
	sees  string
	taps  int
}

func choosing(options ...string) func(context.Context, chatsim.Hand) error {
	return func(ctx context.Context, h chatsim.Hand) error {
		for _, option := range options {
			if err := h.Choose(ctx, "", option); err != nil {
				return err
			}
		}
		return nil
	}
}

func tapCases() []tapCase {
	deploy := ask.Question{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}
	many := ask.Question{Text: "Which checks?", Options: []ask.Option{{Label: "Smoke tests"}, {Label: "Load test"}, {Label: "Restore drill"}}, MultiSelect: true}
	noted := deploy
	noted.Notes = true
	one := ask.Request{Questions: []ask.Question{deploy}, AskBack: ask.AskBackStay, Schedule: ask.Schedule{PassOn: true}}
	vote := one
	vote.Voting = ask.Voting{Mode: ask.Quorum, Need: 2}
	held := one
	held.Hold = time.Minute
	risky := vote
	risky.Risk = ask.HighRisk
	several := ask.Request{Questions: []ask.Question{noted, many}}
	rare := func(label string) func(context.Context, chatsim.Hand) error {
		return func(ctx context.Context, h chatsim.Hand) error { return h.Rare(ctx, label) }
	}
	return []tapCase{
		{name: "choose", asks: one, do: choosing("Deploy"), sees: "Answered by", taps: 1},
		{name: "choose two of many", asks: ask.Request{Questions: []ask.Question{many}}, sees: "Answered by", taps: 3, do: func(ctx context.Context, h chatsim.Hand) error {
			if err := choosing("Smoke tests", "Load test")(ctx, h); err != nil {
				return err
			}
			return h.Send(ctx, "Submit")
		}},
		{name: "write another answer", asks: one, sees: "Answered by", taps: 2, do: func(ctx context.Context, h chatsim.Hand) error {
			return h.Own(ctx, "", "after lunch")
		}},
		{name: "undo", asks: held, first: choosing("Deploy"), do: func(ctx context.Context, h chatsim.Hand) error { return h.Use(ctx, "Undo") }, sees: "Undone.", taps: 1},
		{name: "reply", asks: several, do: rare("Answer with my own text…"), sees: "Your reply", taps: 2},
		{name: "note", asks: several, do: rare("Add a note…"), sees: "Goes to the agent", taps: 2},
		{name: "ask the agent", asks: one, do: rare("Ask the agent…"), sees: "Your question", taps: 2},
		{name: "pass on", asks: one, do: rare("Pass to…"), sees: "Person to answer instead", taps: 2},
		{name: "take back a vote", asks: vote, first: choosing("Deploy"), do: rare("Take back my vote"), sees: "Your vote is taken back", taps: 2},
		{name: "confirm a risky choice", asks: risky, sees: "Deploy 1 of 2", taps: 2, do: confirming},
		{name: "take back a risky vote", asks: risky, do: rare("Take back my vote"), sees: "Your vote is taken back", taps: 2, first: confirming},
		{name: "dismiss a risky question", asks: risky, do: rare("Dismiss…"), sees: "Dismiss this question?", taps: 2},
		{name: "dismiss", asks: one, do: rare("Dismiss…"), sees: "Dismiss this question?", taps: 2},
		{name: "details", asks: one, do: rare("Details"), sees: "Request", taps: 2},
	}
}

// confirming chooses an option and confirms it in the form, which Slack opens a moment after the press.
func confirming(ctx context.Context, h chatsim.Hand) error {
	if err := h.Press(ctx, "Deploy"); err != nil {
		return err
	}
	synctest.Wait()
	return h.Submit(ctx)
}

// Common actions take as few taps as a chat platform allows, and rare ones two, until their form is open.
func TestActionsTakeFewTaps(t *testing.T) {
	t.Parallel()
	for n, platform := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		for _, tt := range tapCases() {
			t.Run(platform+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{platform}})
					if _, err := w.Client.Submit(t.Context(), tt.asks); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					room := rooms(w)[n]
					taps := 0
					dana := chatsim.Hand{Seat: tapping{room.seat("dana", room.deploys), &taps}}
					if tt.first != nil {
						if err := tt.first(t.Context(), dana); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
					}
					taps = 0
					if err := tt.do(t.Context(), dana); err != nil {
						t.Fatal(err)
					}
					if err := dana.Await(t.Context(), func(sees string) bool { return strings.Contains(sees, tt.sees) }); err != nil || taps != tt.taps {
						t.Errorf("%d taps, want %d, %v; Dana sees\n%s", taps, tt.taps, err, dana.Sees())
					}
				})
			})
		}
	}
}
