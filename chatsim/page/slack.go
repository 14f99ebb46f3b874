package page

import (
	"context"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// slackChat shows a Slack workspace.
type slackChat struct {
	*slacksim.Server

	cast
}

var _ Chat = (*slackChat)(nil)

// Slack shows a double of Slack. people are the ids of the people one can act as; the default
// are Dana, Sam and Kim of a workspace created without options.
func Slack(sim *slacksim.Server, people ...string) Chat {
	if len(people) == 0 {
		people = []string{"U0000001", "U0000002", "U0000003"}
	}
	sim.Traffic().Keep(traffic)
	return &slackChat{Server: sim, cast: cast{first: people}}
}

func (c *slackChat) People() []Person           { return c.named(c.Everybody()) }
func (c *slackChat) Snapshot(person string) any { return c.Server.Snapshot(person) }
func (c *slackChat) Message(id string) any      { return c.MessageJSON(id) }
func (c *slackChat) Coverage() chatsim.Coverage { return slacksim.Coverage() }
func (c *slackChat) PutRole(r Role) (string, error) {
	return c.PutGroup(slacksim.Group{ID: r.ID, Handle: r.Name, Members: r.Members})
}

// homeTab is the channel name of the app's Home tab.
const homeTab = "home"

func (c *slackChat) seat(person, channel, message string) *slacksim.Seat {
	if channel == homeTab {
		return c.Server.Seat(person).Home()
	}
	return c.Server.Seat(person).In(channel).On(message)
}

func (c *slackChat) Seat(person, channel, message string) chatsim.Seat {
	return c.seat(person, channel, message)
}

func (c *slackChat) Act(ctx context.Context, a Action) error {
	switch a.Do {
	case DismissAll:
		return c.seat(a.Person, "", "").DismissAll(ctx)
	case OpenHome:
		c.Server.Seat(a.Person).OpenHome()
		return nil
	case Command:
		return c.seat(a.Person, "", "").Command(ctx, a.Channel, a.Control, a.Text)
	case Say:
		channel := a.Channel
		if channel == "" {
			channel = c.DM(a.Person)
		}
		_, err := c.seat(a.Person, "", "").Say(channel, a.Message, a.Text)
		return err
	}
	return act(ctx, c.seat(a.Person, a.Channel, a.Message), a)
}

func (c *slackChat) Everybody() []Person {
	var out []Person
	for _, p := range c.Server.People() {
		if !p.Bot && !p.Disabled {
			out = append(out, Person{p.ID, p.RealName})
		}
	}
	return out
}

// guests maps the control API's guest kinds.
var guests = map[string]slacksim.Guest{"": slacksim.NoGuest, "multi_channel": slacksim.MultiChannelGuest, "single_channel": slacksim.SingleChannelGuest}

func (c *slackChat) State() State {
	out := State{People: []Account{}, Channels: []Channel{}, Roles: []Role{}, Delivery: map[string]string{}}
	if to := c.RequestURL(); to != "" {
		out.Delivery[Interactions] = to
	}
	if to := c.EventsURL(); to != "" {
		out.Delivery[Events] = to
	}
	for _, p := range c.Server.People() {
		shown := Account{
			ID: p.ID, Name: p.Name, RealName: p.RealName, Team: p.Team, Email: p.Email, Zone: p.Zone.String(), Locale: p.Locale,
			Away: p.Away, Bot: p.Bot, Disabled: p.Disabled,
		}
		for word, kind := range guests {
			if kind == p.Guest {
				shown.Guest = word
			}
		}
		out.People = append(out.People, shown)
	}
	for _, ch := range c.Channels() {
		out.Channels = append(out.Channels, Channel{
			ID: ch.ID, Name: ch.Name, Members: ch.Members, Private: ch.Private, Archived: ch.Archived,
			Direct: c.IsDirect(ch.ID), Messages: c.History(ch.ID),
		})
	}
	for _, g := range c.Groups() {
		out.Roles = append(out.Roles, Role{ID: g.ID, Name: g.Handle, Members: g.Members})
	}
	return out
}

func (c *slackChat) PutPerson(p Account) (string, error) {
	guest, known := guests[p.Guest]
	if !known {
		return "", fmt.Errorf("guest must be multi_channel, single_channel or empty, not %q", p.Guest)
	}
	zone := time.UTC
	if p.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(p.Zone); err != nil {
			return "", fmt.Errorf("zone: %w", err)
		}
	}
	return c.added(c.Server.PutPerson(slacksim.Person{
		ID: p.ID, Name: p.Name, RealName: p.RealName, Team: p.Team, Guest: guest, Email: p.Email, Away: p.Away,
		Zone: zone, Locale: p.Locale, Bot: p.Bot, Disabled: p.Disabled,
	}))
}

func (c *slackChat) Deliver(ctx context.Context, kind, url string) error {
	switch kind {
	case Interactions:
		c.DeliverTo(url, nil)
		return nil
	case Events:
		return c.EventsTo(ctx, url)
	default:
		return fmt.Errorf("slack: %w: %q", errKind, kind)
	}
}

func (c *slackChat) Reset() {
	c.Server.Reset()
	c.back()
}

func (c *slackChat) PutChannel(ch Channel) (string, error) {
	return c.Server.PutChannel(slacksim.Channel{
		ID: ch.ID, Name: ch.Name, Members: ch.Members, Private: ch.Private, Archived: ch.Archived,
	})
}
