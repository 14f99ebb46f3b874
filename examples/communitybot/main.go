// Communitybot lets the moderators of a Discord server decide about a reported
// message: only people with the role may press the buttons, and the card shows
// who decided. It needs no privileged intents.
//
//	DISCORD_BOT_TOKEN=… CHANNEL=200000000000000001 ROLE=400000000000000001 go run ./examples/communitybot
//
// The test in this folder runs the same code against a mock Discord.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store/memory"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	connector, err := discord.New(discord.Config{BotToken: os.Getenv("DISCORD_BOT_TOKEN")})
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
	m := moderators{bridge: b, channel: os.Getenv("CHANNEL"), role: os.Getenv("ROLE")}
	verdict, err := m.judge(ctx, report{id: "message-1", author: "eve", text: "Buy cheap gold now!"})
	fmt.Println(verdict)
	stop()
	return errors.Join(err, <-ended)
}

// report is a message that a member has reported.
type report struct{ id, author, text string }

// moderators asks the people with a role in a channel.
type moderators struct {
	bridge        *bridge.Bridge
	channel, role string
}

// judge returns the moderators' decision: keep, delete, ban, or a text that one of
// them typed. Calling it again with the same report returns the same decision.
func (m *moderators) judge(ctx context.Context, r report) (string, error) {
	outcome, err := m.bridge.Ask(ctx, ask.Request{
		Agent: "community-bot", Session: "reports", Key: r.id,
		To:         []ask.Place{{Platform: "discord", Channel: m.channel}},
		Responders: []string{"discord-role:" + m.role},
		ExpiresIn:  ask.Never,
		Questions: []ask.Question{{
			Text: "What should happen to this message?", Header: "Report",
			Options: []ask.Option{
				{Label: "keep", Description: "Do nothing", Preview: r.author + ": " + r.text},
				{Label: "delete", Description: "Delete the message"},
				{Label: "ban", Description: "Delete it and ban the author"},
			},
		}},
	})
	switch {
	case err != nil:
		return "", err
	case outcome.State != ask.Answered:
		return "", fmt.Errorf("no decision: %s %s", outcome.State, outcome.Reason)
	case outcome.Answers[0].Other != "":
		return outcome.Answers[0].Other, nil
	}
	return outcome.Answers[0].Selected[0], nil
}
