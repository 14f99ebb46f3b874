package askbridgetest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/client"
)

// answer answers the first question that has a button with this label.
func answer(ctx context.Context, w *askbridgetest.World, label string) {
	dana := w.Slack.Seat("U0000001")
	if err := dana.AwaitText(ctx, "["+label+"]"); err != nil {
		log.Print(err)
		return
	}
	if err := dana.Press(ctx, label); err != nil {
		log.Print(err)
	}
}

// Ask and wait: the call returns the person's choice.
func ExampleNew() {
	ctx := context.Background()
	w, err := askbridgetest.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	go answer(ctx, w, "Postgres")

	outcome, err := w.Bridge.Ask(ctx, ask.Request{
		Agent: "deploy-bot",
		Questions: []ask.Question{{
			Text: "Which database?", Header: "Database",
			Options: []ask.Option{{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.State, outcome.Answers[0].Selected, "by", outcome.Answers[0].By.Key())
	// Output: answered [Postgres] by slack:U0000001
}

// Cancel: the agent found out by itself and no longer needs an answer.
func ExampleNew_cancel() {
	ctx := context.Background()
	w, err := askbridgetest.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	r, err := w.Client.Submit(ctx, ask.Request{Questions: []ask.Question{ask.YesNo("Is the migration reversible?")}})
	if err != nil {
		log.Fatal(err)
	}
	if r, err = w.Client.Cancel(ctx, r.ID, "the docs say so"); err != nil {
		log.Fatal(err)
	}
	dana := w.Slack.Seat("U0000001")
	err = dana.Await(ctx, func(sees string) bool { return !strings.Contains(sees, "[Yes]") })
	fmt.Println(r.State, r.Reason, len(r.Answers), err)
	// Output: cancelled the docs say so 0 <nil>
}

// Two platforms: both show the question, the first answer counts, and the other card is updated.
func ExampleNew_everywhere() {
	ctx := context.Background()
	w, err := askbridgetest.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	r, err := w.Client.Submit(ctx, ask.Request{Questions: []ask.Question{ask.YesNo("Deploy 4.2 now?")}})
	if err != nil {
		log.Fatal(err)
	}
	sam := w.Discord.Seat("300000000000000002")
	if err := errors.Join(sam.AwaitText(ctx, "Deploy 4.2 now?"), sam.Press(ctx, "No")); err != nil {
		log.Fatal(err)
	}
	err = w.Slack.Seat("U0000001").AwaitText(ctx, "Answered by Sam on Discord")
	r, _ = w.Client.Wait(ctx, r.ID)
	fmt.Println(r.Answers[0].Selected, "by", r.By.Key(), err)
	// Output: [No] by discord:300000000000000002 <nil>
}

// deploy is the agent under test. It knows only the address of the bridge.
func deploy(ctx context.Context, url string, calls *http.Client) (string, error) {
	bridge, err := client.New(url, &client.Options{HTTP: calls})
	if err != nil {
		return "", err
	}
	r, err := bridge.Ask(ctx, ask.Request{Questions: []ask.Question{ask.YesNo("Deploy 4.2 now?")}})
	if err != nil {
		return "", err
	}
	if r.State == ask.Answered && r.Answers[0].Selected[0] == "Yes" {
		return "deployed", nil
	}
	return "left alone", nil
}

// Test your agent: start a world, let the agent ask, and play the person. In a test, use Start(t, nil) instead of
// New.
func ExampleStart() {
	ctx := context.Background()
	w, err := askbridgetest.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	go answer(ctx, w, "No")

	fmt.Println(deploy(ctx, w.URL, w.HTTP))
	// Output: left alone <nil>
}
