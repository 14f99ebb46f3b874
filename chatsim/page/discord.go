package page

import (
	"context"
	"fmt"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// discordChat shows a Discord guild.
type discordChat struct {
	*discordsim.Server

	cast
}

var _ Chat = (*discordChat)(nil)

// Discord shows a double of Discord. people are the ids of the people one can act as; the
// default are Dana, Sam and Kim of a guild created without options.
func Discord(sim *discordsim.Server, people ...string) Chat {
	if len(people) == 0 {
		people = []string{"300000000000000001", "300000000000000002", "300000000000000003"}
	}
	sim.Traffic().Keep(traffic)
	return &discordChat{Server: sim, cast: cast{first: people}}
}

func (c *discordChat) People() []Person           { return c.named(c.Everybody()) }
func (c *discordChat) Snapshot(person string) any { return c.Server.Snapshot(person) }
func (c *discordChat) Message(id string) any      { return c.MessageJSON(id) }
func (c *discordChat) Sockets() int               { return c.Sessions() }
func (c *discordChat) DropSockets()               { c.DropGateways() }
func (c *discordChat) Coverage() chatsim.Coverage { return discordsim.Coverage() }
func (c *discordChat) PutRole(r Role) (string, error) {
	return c.Server.PutRole(discordsim.Role{ID: r.ID, Name: r.Name, Mentionable: r.Mentionable})
}

func (c *discordChat) Seat(person, channel, message string) chatsim.Seat {
	return c.Server.Seat(person).In(channel).On(message)
}

func (c *discordChat) Act(ctx context.Context, a Action) error {
	seat := c.Server.Seat(a.Person)
	if a.Do == Say {
		channel := a.Channel
		if channel == "" {
			channel = c.DM(a.Person)
		}
		_, err := seat.Reply(channel, a.Message, a.Text)
		return err
	}
	if a.Do == Command {
		return seat.Command(ctx, a.Channel, a.Control, a.Fields)
	}
	if a.Do == Vote {
		return seat.Vote(ctx, a.Message, a.Control)
	}
	if a.Do == Attach && a.File != nil {
		return seat.Attach(ctx, a.Control, a.File.Name, a.File.Content)
	}
	seat = seat.In(a.Channel).On(a.Message)
	if a.Do == PickAll {
		return seat.PickAll(ctx, a.Control, a.Options...)
	}
	return act(ctx, seat, a)
}

func (c *discordChat) Everybody() []Person {
	var out []Person
	for _, p := range c.Server.People() {
		if !p.Bot {
			out = append(out, Person{p.ID, p.RealName})
		}
	}
	return out
}

func (c *discordChat) State() State {
	out := State{People: []Account{}, Channels: []Channel{}, Roles: []Role{}, Delivery: map[string]string{}}
	if to := c.Endpoint(); to != "" {
		out.Delivery[Interactions] = to
	}
	for _, p := range c.Server.People() {
		out.People = append(out.People, Account{
			ID: p.ID, Name: p.Name, RealName: p.RealName, Roles: p.Roles, Bot: p.Bot, Outside: p.Outside, ClosedDM: p.ClosedDM, Locale: p.Locale,
		})
	}
	for _, ch := range c.Channels() {
		out.Channels = append(out.Channels, Channel{
			ID: ch.ID, Name: ch.Name, Members: ch.Members, Archived: ch.Archived, Direct: c.IsDirect(ch.ID), Parent: ch.Parent,
			Locked: ch.Locked, Forum: ch.Forum, NeedsTag: ch.NeedsTag, Denied: uint64(ch.Denied), Messages: c.History(ch.ID),
		})
	}
	for _, r := range c.Roles() {
		out.Roles = append(out.Roles, Role{ID: r.ID, Name: r.Name, Mentionable: r.Mentionable})
	}
	return out
}

func (c *discordChat) PutPerson(p Account) (string, error) {
	return c.added(c.Server.PutPerson(discordsim.Person{
		ID: p.ID, Name: p.Name, RealName: p.RealName, Roles: p.Roles, Bot: p.Bot, Outside: p.Outside, ClosedDM: p.ClosedDM, Locale: p.Locale,
	}))
}

func (c *discordChat) Reset() {
	c.Server.Reset()
	c.back()
}

func (c *discordChat) PutChannel(ch Channel) (string, error) {
	return c.Server.PutChannel(discordsim.Channel{
		ID: ch.ID, Name: ch.Name, Members: ch.Members, Archived: ch.Archived, Parent: ch.Parent, Locked: ch.Locked,
		Forum: ch.Forum, NeedsTag: ch.NeedsTag, Denied: discordsim.Permission(ch.Denied),
	})
}

// Deliver verifies the URL as Discord does when it is saved.
func (c *discordChat) Deliver(ctx context.Context, kind, url string) error {
	if kind != Interactions {
		return fmt.Errorf("discord: %w: %q", errKind, kind)
	}
	c.DeliverTo(url, nil)
	return c.Verify(ctx)
}
