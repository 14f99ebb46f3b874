// Library asks in Slack from within a Go program, without a server: the bridge
// runs in the same process.
//
//	SLACK_BOT_TOKEN=xoxb-… SLACK_APP_TOKEN=xapp-… CHANNEL=C0000001 go run ./examples/library
//
// The test in this folder runs the same code against a mock Slack.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

// run connects store, platform and bridge. Use file.Open or redis.Open for a store
// that survives restarts.
func run(ctx context.Context) error {
	connector, err := slack.New(slack.Config{BotToken: os.Getenv("SLACK_BOT_TOKEN"), AppToken: os.Getenv("SLACK_APP_TOKEN")})
	if err != nil {
		return err
	}
	b, err := bridge.New(memory.New(), []platform.Platform{connector}, nil)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- b.Run(running) }()
	err = deploy(ctx, b, ask.Place{Platform: "slack", Channel: os.Getenv("CHANNEL")}, os.Stdout)
	stop()
	return errors.Join(err, <-ended)
}

// deploy is the agent: it asks before it deploys.
func deploy(ctx context.Context, b *bridge.Bridge, to ask.Place, out io.Writer) error {
	outcome, err := b.Ask(ctx, ask.Request{
		Agent: "deploy-bot", Context: "4.2 is built and its tests passed.",
		To:        []ask.Place{to},
		ExpiresIn: 4 * time.Hour,
		Questions: []ask.Question{
			{Text: "When should 4.2 go out?", Header: "When", Options: []ask.Option{{Label: "Now"}, {Label: "Tonight", Description: "After 20:00"}}},
			{Text: "Which checks run first?", Header: "Checks", MultiSelect: true, Options: []ask.Option{{Label: "Smoke tests"}, {Label: "Load test"}}},
		},
	})
	if err != nil {
		return err
	}
	if outcome.State != ask.Answered {
		// Without an answer, change nothing.
		_, err := fmt.Fprintf(out, "no decision (%s): %s\n", outcome.State, outcome.Reason)
		return err
	}
	for _, a := range outcome.Answers {
		fmt.Fprintf(out, "%s: %v %s\n", a.Header, a.Selected, a.Other)
	}
	_, err = fmt.Fprintf(out, "decided by %s\n", outcome.By.Key())
	return err
}
