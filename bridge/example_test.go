package bridge_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// whichDatabase asks one question on the example platform, which takes the place of Slack or Discord.
func whichDatabase(key string) ask.Request {
	return ask.Request{
		Key: key,
		To:  []ask.Place{{Platform: "chat", Channel: "deploys"}},
		Questions: []ask.Question{
			{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}},
		},
	}
}

// running returns a bridge that runs until stop is called.
func running(chat platform.Platform) (b *bridge.Bridge, stop func()) {
	b, err := bridge.New(memory.New(), []platform.Platform{chat}, nil)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	return b, func() { cancel(); <-ended }
}

// A person answers on the platform, and the waiting agent gets the answer. Ask combines Submit and Wait.
func ExampleBridge_Wait() {
	chat := bridgetest.NewScript("chat", render.Limits{Platform: "chat"})
	b, stop := running(chat)
	defer stop()
	ctx := context.Background()

	asked, err := b.Submit(ctx, whichDatabase("build-7"))
	if err != nil {
		fmt.Println(err)
		return
	}
	chat.Act(ctx, platform.Interaction{
		Person: ask.Person{Platform: "chat", ID: "7", Name: "Dana"},
		Token:  render.Token{Request: asked.Record.ID, Verb: render.Choose, Question: 0, Option: 1},
	})
	ended, err := b.Wait(ctx, asked.Record.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ended.Outcome.State, ended.Outcome.Answers[0].Selected, "by", ended.Outcome.By.Name)
	// Output: answered [SQLite] by Dana
}

// The same key returns the same request, so a restarted program can submit again without asking twice. The same key
// with other content is a conflict.
func ExampleBridge_Submit() {
	b, stop := running(bridgetest.NewScript("chat", render.Limits{Platform: "chat"}))
	defer stop()
	ctx := context.Background()

	first, err := b.Submit(ctx, whichDatabase("build-7"))
	fmt.Println(first.Existed, err)
	again, err := b.Submit(ctx, whichDatabase("build-7"))
	fmt.Println(again.Existed, again.Record.ID == first.Record.ID, err)
	other := whichDatabase("build-7")
	other.Questions[0].Text = "Which queue?"
	_, err = b.Submit(ctx, other)
	fmt.Println(errors.Is(err, bridge.ErrConflict))
	// Output:
	// false <nil>
	// true true <nil>
	// true
}

// The agent withdraws a question that it no longer needs, and everyone waiting gets the reason.
func ExampleBridge_Cancel() {
	b, stop := running(bridgetest.NewScript("chat", render.Limits{Platform: "chat"}))
	defer stop()
	ctx := context.Background()

	asked, err := b.Submit(ctx, whichDatabase("build-7"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := b.Cancel(ctx, asked.Record.ID, "the build failed"); err != nil {
		fmt.Println(err)
		return
	}
	ended, err := b.Wait(ctx, asked.Record.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", ended.Outcome.State, ended.Outcome.Reason)
	// Output: cancelled: the build failed
}
