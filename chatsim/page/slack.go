package page

import (
	"context"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// slackChat shows a Slack workspace.
type slackChat struct {
	*slacksim.Server

	people []Person
}

var _ Chat = (*slackChat)(nil)

// Slack shows a double of Slack. People are the ids of those whose place one can take; without any they are Dana, Sam
// and Kim, whom a workspace has that was made without options.
func Slack(sim *slacksim.Server, people ...string) Chat {
	if len(people) == 0 {
		people = []string{"U0000001", "U0000002", "U0000003"}
	}
	sim.Traffic().Keep(traffic)
	c := &slackChat{Server: sim}
	for _, id := range people {
		c.people = append(c.people, Person{ID: id, Name: sim.Snapshot(id).Name})
	}
	return c
}

func (c *slackChat) People() []Person           { return c.people }
func (c *slackChat) Snapshot(person string) any { return c.Server.Snapshot(person) }
func (c *slackChat) Message(id string) any      { return c.MessageJSON(id) }

func (c *slackChat) Act(ctx context.Context, a Action) error {
	seat := c.Server.Seat(a.Person)
	if a.Message != "" {
		seat = seat.In(a.Channel).On(a.Message)
	}
	if a.Do == DismissAll {
		return seat.DismissAll(ctx)
	}
	return act(ctx, seat, a)
}
