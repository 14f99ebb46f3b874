package bundle

import (
	"strings"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// usual is the cast of the simulator.
var usual = provider.Cast{
	People:   []provider.Named{{ID: "300000000000000001", Name: "Dana"}, {ID: "300000000000000002", Name: "Sam"}, {ID: "300000000000000003", Name: "Kim"}},
	Channels: []provider.Named{{ID: "200000000000000001", Name: "deploys"}, {ID: "200000000000000002", Name: "general"}},
	Groups:   []provider.Named{{ID: "400000000000000001", Name: "deployers"}},
}

// simulate starts the double.
func simulate(cast provider.Cast) (*provider.Double, error) {
	opts := &discordsim.Options{GuildName: "Acme", BotName: "askbridge", Channels: []discordsim.Channel{}, Roles: []discordsim.Role{}}
	var roles []string
	for _, r := range cast.Groups {
		opts.Roles = append(opts.Roles, discordsim.Role{ID: r.ID, Name: r.Name})
		roles = append(roles, r.ID)
	}
	for n, p := range cast.People {
		person := discordsim.Person{ID: p.ID, Name: strings.ToLower(p.Name), RealName: p.Name}
		if n < 2 {
			person.Roles = roles
		}
		if p.Name == "Kim" {
			person.Locale = "es-ES"
		}
		opts.People = append(opts.People, person)
	}
	for _, c := range cast.Channels {
		opts.Channels = append(opts.Channels, discordsim.Channel{ID: c.ID, Name: c.Name})
	}
	sim := discordsim.New(opts)
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	return &provider.Double{
		Sim: sim, Channel: cast.Channels[0].ID, People: cast.People, Chat: page.Discord(sim, provider.IDs(cast.People)...),
		Section: &Section{
			Mode: discord.ModeGateway, Messages: true, Inbox: true, APIURL: sim.APIURL(), // Typed answers arrive only over the gateway.
			BotToken: config.NewSecret("discord-sim-token"), ApplicationID: "600000000000000001",
		},
		DeliverTo: func(string) {}, // Interactions arrive over the gateway.
		Replaced:  sim.ForgetStarts,
	}, nil
}
