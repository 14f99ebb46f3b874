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
	"github.com/askbridge/askbridge/internal/words"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// An interaction contains the user name ("dana.meyer"), not the display name ("Dana"). Handling
// a click must not wait for a lookup, so display names are prefetched for everyone named as a
// responder or a target and for members of named groups. For others the lookup follows their
// first action, for the next one and for other cards that show who acted.
const (
	nameLife     = time.Hour
	nameFailLife = 10 * time.Minute
	// namelessFor is how long name lookups pause after Slack reported a missing users:read
	// scope.
	namelessFor = time.Hour
	// maxName is the maximum length of a name (https://slack.com/help/articles/360000665243).
	maxName = 80
)

// Lifetimes of membership lookups: a minute at most, including the processing after the lookup.
const (
	memberLife     = 55 * time.Second
	memberFailLife = 5 * time.Second
)

// account is a looked-up user.
type account struct {
	name, locale, zone string

	team, enterprise string
	teams            []string // their workspaces in the organization
	guest            bool
	gone             bool // a deactivated account, one of another company, or a bot
}

// recent reports whether a name is fresh enough.
func recent[V any](f fact[V]) bool {
	return time.Since(f.at) < nameLife || time.Since(f.failed) < nameFailLife
}

// meet prefetches a person's name unless it is cached.
func (d *directory) meet(id string) {
	if id == "" || recent(d.people.peek(id)) {
		return
	}
	d.jobs.add(d.api.installation+Name+" "+id, func(ctx context.Context) { d.look(ctx, id) })
}

// look returns a person from the cache or a lookup, unless lookups are paused.
func (d *directory) look(ctx context.Context, id string) account {
	if refused := d.nameless.Load(); refused != nil && time.Since(*refused) < namelessFor {
		return d.people.peek(id).value
	}
	return d.people.get(ctx, id, recent).value
}

// NameOf returns a person's display name, or "" if it cannot be looked up: the app lacks
// users:read, or ctx ended. It implements [platform.Namer].
func (c *Connector) NameOf(ctx context.Context, p ask.Person) string {
	w, err := c.at(ctx, "users.info", p.Installation)
	if err != nil {
		return ""
	}
	return w.directory.look(ctx, p.ID).name
}

// placeNames are the names of places, in the workspace that each one names.
type placeNames struct {
	workspace func(ctx context.Context, op, installation string) (*workspace, error)
}

// PlaceName returns the name of a channel, with a # in front, or of a person, as far as it was looked up in the last
// hour or so; it is looked up in the background then. Names of channels need [ScopeChannels] or, for private ones,
// [ScopePrivate]. It implements [platform.PlaceNamer].
func (n placeNames) PlaceName(ctx context.Context, at ask.Place) string {
	w, err := n.workspace(ctx, "conversations.info", at.Installation)
	if err != nil || checkTarget(at) != nil {
		return ""
	}
	d := w.directory
	if at.User != "" {
		d.meet(at.User)
		return d.people.peek(at.User).value.name
	}
	f := d.channels.peek(at.Channel)
	if !recent(f) {
		d.jobs.add(d.api.installation+Name+" "+at.Channel, func(ctx context.Context) { d.channels.get(ctx, at.Channel, recent) })
	}
	return f.value
}

// askChannel looks up the name of a channel; direct messages have none
// (https://docs.slack.dev/reference/methods/conversations.info).
func (d *directory) askChannel(ctx context.Context, id string) (string, error) {
	var reply struct {
		Channel struct {
			Name string `json:"name"`
		} `json:"channel"`
	}
	const method = "conversations.info"
	err := d.api.do(ctx, call{op: method}, func(ctx context.Context) error {
		return d.api.form(ctx, method, url.Values{"channel": {id}}, &reply)
	})
	name := render.Cut(render.Line(reply.Channel.Name), maxName, nil)
	if err != nil || name == "" {
		return "", err
	}
	return "#" + name, nil
}

// introduce completes what Slack sent about a person with the cached display name and language, and
// prefetches both for the next time.
func (d *directory) introduce(i *platform.Interaction) {
	known := d.people.peek(i.Person.ID).value
	i.Person.Name, i.Language = cmp.Or(known.name, i.Person.Name), known.locale
	d.meet(i.Person.ID)
}

// MembershipOf returns a person's membership from a lookup less than a minute old. It
// implements [platform.MembershipFinder].
func (c *Connector) MembershipOf(ctx context.Context, i platform.Interaction) (ask.Membership, error) {
	w, err := c.at(ctx, "users.info", i.Person.Installation)
	if err != nil {
		return ask.Unknown, err
	}
	return w.directory.membershipOf(ctx, i.Person.ID)
}

func (d *directory) membershipOf(ctx context.Context, id string) (ask.Membership, error) {
	if d.self.home().team == "" {
		if err := d.self.check(ctx); err != nil {
			return ask.Unknown, err
		}
	}
	f := d.people.get(ctx, id, func(f fact[account]) bool {
		return time.Since(f.at) < memberLife || time.Since(f.failed) < memberFailLife
	})
	if time.Since(f.at) >= memberLife {
		return ask.Unknown, fmt.Errorf("slack: look up %s: %w", id, f.err)
	}
	return f.value.membership(d.self.home()), nil
}

// membership returns the person's membership. In an organization people have a home workspace
// and may belong to others (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs).
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

// languageOf returns the language for messages to a person, from the cache.
func (d *directory) languageOf(id string) string {
	return cmp.Or(words.Known(d.people.peek(id).value.locale), d.language)
}

// askAccount looks up a person.
func (d *directory) askAccount(ctx context.Context, id string) (account, error) {
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
			Zone     string `json:"tz"`
			Name     string `json:"name"`
			RealName string `json:"real_name"`
			Profile  struct {
				DisplayName string `json:"display_name"`
				RealName    string `json:"real_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	const method = "users.info"
	err := d.api.do(ctx, call{op: method}, func(ctx context.Context) error {
		return d.api.form(ctx, method, url.Values{"user": {id}, "include_locale": {"true"}}, &reply)
	})
	if e, ok := errors.AsType[*platform.Error](err); ok && e.Code == "missing_scope" {
		now := time.Now()
		d.nameless.Store(&now)
	}
	if err != nil {
		return account{}, err
	}
	u := reply.User
	a := account{
		team: u.TeamID, enterprise: u.Enterprise.ID, teams: u.Enterprise.Teams,
		locale: u.Locale, zone: u.Zone, guest: u.Restricted || u.UltraRestricted, gone: u.Deleted || u.Stranger || u.Bot,
	}
	for _, name := range []string{u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name} {
		// People can enter anything there.
		if a.name = render.Cut(render.Line(name), maxName, nil); a.name != "" {
			break
		}
	}
	return a, nil
}
