package page

import (
	"context"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// discordChat shows a Discord guild.
type discordChat struct {
	sim    *discordsim.Server
	people []Person
}

var _ Chat = (*discordChat)(nil)

// Discord shows a double of Discord. People are the ids of those whose place one can take; without any they are Dana,
// Sam and Kim, whom a guild has that was made without options.
func Discord(sim *discordsim.Server, people ...string) Chat {
	if len(people) == 0 {
		people = []string{"300000000000000001", "300000000000000002", "300000000000000003"}
	}
	c := &discordChat{sim: sim}
	for _, id := range people {
		c.people = append(c.people, Person{ID: id, Name: sim.Snapshot(id).Name})
	}
	return c
}

func (c *discordChat) Platform() string            { return c.sim.Platform() }
func (c *discordChat) People() []Person            { return c.people }
func (c *discordChat) Snapshot(person string) any  { return c.sim.Snapshot(person) }
func (c *discordChat) Watch() <-chan struct{}      { return c.sim.Watch() }
func (c *discordChat) Timeline() *chatsim.Timeline { return c.sim.Timeline() }
func (c *discordChat) Ledger() *chatsim.Ledger     { return c.sim.Ledger() }

func (c *discordChat) Act(ctx context.Context, a Action) error {
	seat := c.sim.Seat(a.Person)
	if a.Message != "" {
		seat = seat.In(a.Channel).On(a.Message)
	}
	if a.Do == PickAll {
		return seat.PickAll(ctx, a.Control, a.Options...)
	}
	return act(ctx, seat, a)
}
