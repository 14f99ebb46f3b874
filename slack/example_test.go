package slack_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/memory"
)

// A Go program asks in Slack. Here a double takes its place; without APIURL and HTTPClient it is Slack itself.
func ExampleNew() {
	double := slacksim.New(nil)
	defer double.Close()
	c, err := slack.New(slack.Config{
		BotToken: "xoxb-sim", SigningSecret: double.SigningSecret(), Mode: slack.ModeHTTP,
		APIURL: double.APIURL(), HTTPClient: double.Client(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	double.DeliverToHandler("/slack/interactions", c.Handler()) // Serve it at your public address.

	b, err := bridge.New(memory.New(), []platform.Platform{c}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	defer func() { cancel(); <-ended }()

	asked, err := b.Submit(ctx, ask.Request{
		To:        []ask.Place{{Platform: slack.Name, Channel: "C0000001"}},
		Questions: []ask.Question{ask.YesNo("Deploy 4.2 now?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dana := double.Seat("U0000001")
	if err := errors.Join(dana.AwaitText(ctx, "Deploy 4.2 now?"), dana.Press(ctx, "Yes")); err != nil {
		fmt.Println(err)
		return
	}
	r, err := b.Wait(ctx, asked.Record.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Outcome.State, r.Outcome.Answers[0].Selected, "by", r.Outcome.By.Key())
	// Output: answered [Yes] by slack:U0000001
}
