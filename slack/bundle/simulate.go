package bundle

import (
	"context"
	"strings"

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
)

// usual is the cast of the simulator.
var usual = provider.Cast{
	People:   []provider.Named{{ID: "U0000001", Name: "Dana"}, {ID: "U0000002", Name: "Sam"}, {ID: "U0000003", Name: "Kim"}},
	Channels: []provider.Named{{ID: "C0000001", Name: "deploys"}, {ID: "C0000002", Name: "general"}},
	Groups:   []provider.Named{{ID: "S0000001", Name: "releasers"}},
}

// simulate starts the double.
func simulate(cast provider.Cast) (*provider.Double, error) {
	opts := &slacksim.Options{
		TeamName: "Acme", BotName: "askbridge", Events: []string{slacksim.EventMessage, slacksim.EventAppMention, slacksim.EventHomeOpened},
		Commands: []string{slack.Command},
		Channels: []slacksim.Channel{}, Groups: []slacksim.Group{},
	}
	for _, p := range cast.People {
		person := slacksim.Person{ID: p.ID, Name: strings.ToLower(p.Name), RealName: p.Name}
		if p.Name == "Kim" {
			person.Locale = "es-ES"
		}
		opts.People = append(opts.People, person)
	}
	people := provider.IDs(cast.People)
	for _, c := range cast.Channels {
		opts.Channels = append(opts.Channels, slacksim.Channel{ID: c.ID, Name: c.Name})
	}
	for _, g := range cast.Groups {
		opts.Groups = append(opts.Groups, slacksim.Group{ID: g.ID, Handle: g.Name, Members: people[:min(2, len(people))]})
	}
	opts.People = append(opts.People, slacksim.Person{ID: "U0000009", Name: "robin", RealName: "Robin", Team: "T0000009"})
	sim := slacksim.New(opts)
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	return &provider.Double{
		Sim: sim, Channel: cast.Channels[0].ID, People: cast.People, Chat: page.Slack(sim, people...),
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
