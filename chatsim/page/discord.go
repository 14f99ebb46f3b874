package page

import (
	"context"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// discordChat shows a Discord guild.
type discordChat struct {
	*discordsim.Server

	people []Person
}

var _ Chat = (*discordChat)(nil)

// Discord shows a double of Discord. People are the ids of those whose place one can take; without any they are Dana,
// Sam and Kim, whom a guild has that was made without options.
func Discord(sim *discordsim.Server, people ...string) Chat {
	if len(people) == 0 {
		people = []string{"300000000000000001", "300000000000000002", "300000000000000003"}
	}
	sim.Traffic().Keep(traffic)
	c := &discordChat{Server: sim}
	for _, id := range people {
		c.people = append(c.people, Person{ID: id, Name: sim.Snapshot(id).Name})
	}
	return c
}

func (c *discordChat) People() []Person           { return c.people }
func (c *discordChat) Snapshot(person string) any { return c.Server.Snapshot(person) }
func (c *discordChat) Message(id string) any      { return c.MessageJSON(id) }
func (c *discordChat) Sockets() int               { return c.Sessions() }
func (c *discordChat) DropSockets()               { c.DropGateways() }

func (c *discordChat) Act(ctx context.Context, a Action) error {
	seat := c.Server.Seat(a.Person)
	if a.Message != "" {
		seat = seat.In(a.Channel).On(a.Message)
	}
	if a.Do == PickAll {
		return seat.PickAll(ctx, a.Control, a.Options...)
	}
	return act(ctx, seat, a)
}
