package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/render"
)

// An interaction carries the user name ("dana.meyer"), not the name that people
// see ("Dana"). Nothing may come before a click, so the other is asked for
// ahead, for everybody who is named as a responder or a target or belongs to a
// named group, and otherwise behind somebody's first act: for the next one, and
// for cards elsewhere that say who acted.
const (
	nameLife     = time.Hour
	nameFailLife = 10 * time.Minute
	// namelessFor is how long no name is asked for after Slack said that the app
	// lacks users:read.
	namelessFor = time.Hour
	// maxName is how long a name may be (https://slack.com/help/articles/360000665243).
	maxName = 80
)

// How long what Slack said of how somebody belongs to the workspace counts: a
// minute at most, what comes after the look at it included.
const (
	memberLife     = 55 * time.Second
	memberFailLife = 5 * time.Second
)

// account is what Slack says of somebody.
type account struct {
	name, locale string

	team, enterprise string
	teams            []string // the workspaces of the organisation that they belong to
	guest            bool
	gone             bool // a deactivated account, one of another company, or a bot
}

// recent reports whether a name need not be asked for again.
func recent[V any](f fact[V]) bool {
	return time.Since(f.at) < nameLife || time.Since(f.failed) < nameFailLife
}

// meet has a person's name looked up, unless it is known.
func (c *Connector) meet(id string) {
	if id == "" || recent(c.people.peek(id)) {
		return
	}
	c.jobs.add(Name+" "+id, func(ctx context.Context) { c.look(ctx, id) })
}

// look asks for a person's name, unless it is known or Slack does not tell names.
func (c *Connector) look(ctx context.Context, id string) string {
	if refused := c.nameless.Load(); refused != nil && time.Since(*refused) < namelessFor {
		return c.people.peek(id).value.name
	}
	return c.people.get(ctx, id, recent).value.name
}

// NameOf returns the name by which people know somebody, or "" when Slack does
// not tell it: the app lacks users:read, or ctx ended. It implements
// [bridge.Namer].
func (c *Connector) NameOf(ctx context.Context, p ask.Person) string { return c.look(ctx, p.ID) }

// nameOf is the name people see, or else the one Slack sent along.
func (c *Connector) nameOf(id, sent string) string {
	return cmp.Or(c.people.peek(id).value.name, sent)
}

// MembershipOf tells how a person belongs to the workspace, from what Slack said
// less than a minute ago. It implements [bridge.MembershipFinder].
func (c *Connector) MembershipOf(ctx context.Context, i bridge.Interaction) (ask.Membership, error) {
	if c.whoWeAre().team == "" {
		if err := c.Check(ctx); err != nil {
			return ask.Unknown, err
		}
	}
	f := c.people.get(ctx, i.Person.ID, func(f fact[account]) bool {
		return time.Since(f.at) < memberLife || time.Since(f.failed) < memberFailLife
	})
	if time.Since(f.at) >= memberLife {
		return ask.Unknown, fmt.Errorf("slack: look up %s: %w", i.Person.ID, f.err)
	}
	return f.value.membership(c.whoWeAre()), nil
}

// membership is how the person belongs to us. In an organisation people have a
// workspace that they began in, and belong to others as well
// (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs).
func (a account) membership(us home) ask.Membership {
	home := a.team == us.team || slices.Contains(a.teams, us.team) ||
		us.wide && us.enterprise != "" && (a.enterprise == us.enterprise || a.team == us.enterprise)
	switch {
	case !home, a.gone:
		return ask.Outsider
	case a.guest && !us.guests:
		return ask.Guest
	}
	return ask.Member
}

// languageOf is what somebody is told in, as far as that is known without asking.
func (c *Connector) languageOf(id string) string {
	return cmp.Or(words.Known(c.people.peek(id).value.locale), c.cfg.Language)
}

// askAccount asks Slack about a person.
func (c *Connector) askAccount(ctx context.Context, id string) (account, error) {
	var reply struct {
		User struct {
			TeamID          string `json:"team_id"`
			Deleted         bool   `json:"deleted"`
			Stranger        bool   `json:"is_stranger"`
			Bot             bool   `json:"is_bot"`
			Restricted      bool   `json:"is_restricted"`
			UltraRestricted bool   `json:"is_ultra_restricted"`
			Enterprise      struct {
				ID    string   `json:"enterprise_id"`
				Teams []string `json:"teams"`
			} `json:"enterprise_user"`
			Locale   string `json:"locale"`
			Name     string `json:"name"`
			RealName string `json:"real_name"`
			Profile  struct {
				DisplayName string `json:"display_name"`
				RealName    string `json:"real_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	const method = "users.info"
	err := c.do(ctx, call{op: method}, func(ctx context.Context) error {
		return c.form(ctx, method, url.Values{"user": {id}, "include_locale": {"true"}}, &reply)
	})
	if e, ok := errors.AsType[*bridge.PlatformError](err); ok && e.Code == "missing_scope" {
		now := time.Now()
		c.nameless.Store(&now)
	}
	if err != nil {
		return account{}, err
	}
	u := reply.User
	a := account{
		team: u.TeamID, enterprise: u.Enterprise.ID, teams: u.Enterprise.Teams,
		locale: u.Locale, guest: u.Restricted || u.UltraRestricted, gone: u.Deleted || u.Stranger || u.Bot,
	}
	for _, name := range []string{u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name} {
		// Anybody can write anything there.
		if a.name = render.Cut(render.Line(name), maxName, nil); a.name != "" {
			break
		}
	}
	return a, nil
}
