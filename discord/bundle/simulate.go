package bundle

import (
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// simulate starts the double.
func simulate() (*provider.Double, error) {
	sim := discordsim.New(&discordsim.Options{
		GuildName: "Acme", BotName: "askbridge",
		People: []discordsim.Person{
			{ID: "300000000000000001", Name: "dana", RealName: "Dana"},
			{ID: "300000000000000002", Name: "sam", RealName: "Sam"},
			{ID: "300000000000000003", Name: "kim", RealName: "Kim", Roles: []string{"400000000000000001"}, Locale: "es-ES"},
		},
	})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	people := []string{"300000000000000001", "300000000000000002", "300000000000000003"}
	return &provider.Double{
		Sim: sim, Channel: "200000000000000001", People: people, Chat: page.Discord(sim, people...),
		Section: &Section{
			Mode: discord.ModeGateway, Messages: true, APIURL: sim.APIURL(), // Typed answers arrive only over the gateway.
			BotToken: config.NewSecret("discord-sim-token"), ApplicationID: "600000000000000001",
		},
		DeliverTo: func(string) {}, // Interactions arrive over the gateway.
		Replaced:  sim.ForgetStarts,
	}, nil
}
