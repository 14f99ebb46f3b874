package bundle

import (
	"context"

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
)

// simulate starts the double.
func simulate() (*provider.Double, error) {
	sim := slacksim.New(&slacksim.Options{
		TeamName: "Acme", BotName: "askbridge", Events: []string{slacksim.EventMessage, slacksim.EventAppMention},
		People: []slacksim.Person{
			{ID: "U0000001", Name: "dana", RealName: "Dana"},
			{ID: "U0000002", Name: "sam", RealName: "Sam"},
			{ID: "U0000003", Name: "kim", RealName: "Kim", Locale: "es-ES"},
			{ID: "U0000009", Name: "robin", RealName: "Robin", Team: "T0000009"},
		},
	})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	people := []string{"U0000001", "U0000002", "U0000003"}
	return &provider.Double{
		Sim: sim, Channel: "C0000001", People: people, Chat: page.Slack(sim, people...),
		Section: &Section{
			Mode: slack.ModeHTTP, APIURL: sim.APIURL(),
			BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(sim.SigningSecret()),
		},
		DeliverTo: func(address string) {
			sim.DeliverTo(address, nil)
			_ = sim.EventsTo(context.Background(), address) // Failures are recorded as violations.
		},
		Replaced: sim.HangUp,
	}, nil
}
