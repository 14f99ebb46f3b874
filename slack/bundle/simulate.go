package bundle

import (
	"context"

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/platform"
	"github.com/askbridge/askbridge/slack"
)

// simulate starts a workspace.
func simulate() (*platform.Double, error) {
	sim := slacksim.New(&slacksim.Options{TeamName: "Acme", BotName: "askbridge", Events: []string{slacksim.EventMessage, slacksim.EventAppMention}})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	people := []string{"U0000001", "U0000002", "U0000003"}
	return &platform.Double{
		Sim: sim, Channel: "C0000001", People: people, Chat: page.Slack(sim, people...),
		Section: &Section{
			Mode: slack.ModeHTTP, APIURL: sim.APIURL(),
			BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(sim.SigningSecret()),
		},
		DeliverTo: func(address string) {
			sim.DeliverTo(address, nil)
			_ = sim.EventsTo(context.Background(), address) // What went wrong stands among the violations.
		},
	}, nil
}
