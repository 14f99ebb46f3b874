package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// GroupPrefix is the prefix of a responder that is a user group: "slack-group:S0123ABCD".
const GroupPrefix = "slack-group"

// Lifetimes of group lookups. A removed member can answer for at most a minute longer,
// including the processing after the lookup; an added member waits for at most groupNoLife.
const (
	groupLife     = 55 * time.Second
	groupNoLife   = 30 * time.Second
	groupFailLife = 10 * time.Second
)

// maxNamed is the number of group members whose names are prefetched.
const maxNamed = 50

// groupID matches a user group's id; see
// https://docs.slack.dev/reference/methods/usergroups.list.
var groupID = regexp.MustCompile(`^S[A-Z0-9]{2,}$`)

// members are the ids of the people in a group.
type members map[string]bool

// Prefixes returns the prefix for user groups.
func (c *Connector) Prefixes() []string { return []string{GroupPrefix} }

// groupOf parses "slack-group:S…".
func groupOf(who string) (string, error) {
	e, _ := ask.ParseEntry(who)
	if e.Prefix() != GroupPrefix || !groupID.MatchString(e.ID) {
		return "", fmt.Errorf("slack: %q is no user group; those look like %s:S0123ABCD (the group's page, three dots, copy group ID)", who, GroupPrefix)
	}
	return e.ID, nil
}

// GroupsOf returns the groups among those given that the person belongs to, from member lists
// less than a minute old. A group that cannot be looked up is omitted and reported in the
// error.
func (c *Connector) GroupsOf(ctx context.Context, p ask.Person, among []string) ([]string, error) {
	if p.Platform != Name || p.ID == "" {
		return nil, nil
	}
	w, err := c.at(ctx, "usergroups.users.list", p.Installation)
	if err != nil {
		return nil, err
	}
	var (
		mine   []string
		failed error
	)
	for _, who := range among {
		if e, _ := ask.ParseEntry(who); e.Installation != p.Installation {
			continue // A group of another workspace has none of our members.
		}
		id, err := groupOf(who)
		if err == nil {
			var in bool
			if in, err = w.directory.inGroup(ctx, id, p.ID); in {
				mine = append(mine, who)
			}
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("members of %s: %w", who, err))
		}
	}
	return mine, failed
}

func (d *directory) inGroup(ctx context.Context, group, person string) (bool, error) {
	belongs := func(f fact[members]) bool { return time.Since(f.at) < groupLife && f.value[person] }
	f := d.groups.get(ctx, group, func(f fact[members]) bool {
		return belongs(f) || time.Since(f.at) < groupNoLife || time.Since(f.failed) < groupFailLife
	})
	switch {
	case belongs(f):
		return true, nil
	case time.Since(f.at) < groupNoLife:
		return false, nil
	}
	return false, f.err
}

// askGroup fetches the members of a group.
func (d *directory) askGroup(ctx context.Context, id string) (members, error) {
	var reply struct {
		Users []string `json:"users"`
	}
	const method = "usergroups.users.list"
	err := d.inEach(ctx, method, url.Values{"usergroup": {id}}, &reply, func() bool { return true })
	if err != nil {
		return nil, err
	}
	in := make(members, len(reply.Users))
	for i, person := range reply.Users {
		in[person] = true
		if i < maxNamed {
			d.meet(person)
		}
	}
	return in, nil
}

// warm prefetches the members of a group.
func (d *directory) warm(id string) {
	fresh := func(f fact[members]) bool {
		return time.Since(f.at) < groupLife/2 || time.Since(f.failed) < groupFailLife
	}
	if fresh(d.groups.peek(id)) {
		return
	}
	d.jobs.add(d.api.installation+GroupPrefix+" "+id, func(ctx context.Context) {
		d.groups.get(ctx, id, fresh)
		d.handles.get(ctx, allGroups, recent)
	})
}

// A user group is shown by name, since a mention would notify all its members.
const (
	allGroups  = "all"
	handleLife = time.Minute // while the group's name is unknown
	handleTime = 2 * time.Second
)

// askHandles fetches the names of the user groups.
func (d *directory) askHandles(ctx context.Context, _ string) (map[string]string, error) {
	var reply struct {
		Groups []struct {
			ID     string `json:"id"`
			Handle string `json:"handle"`
			Name   string `json:"name"`
		} `json:"usergroups"`
	}
	const method = "usergroups.list"
	handles := map[string]string{}
	err := d.inEach(ctx, method, url.Values{}, &reply, func() bool {
		for _, g := range reply.Groups {
			handles[g.ID] = render.Cut(render.Line(cmp.Or(g.Handle, g.Name)), maxName, nil)
		}
		reply.Groups = nil // Decoding must not overwrite the previous ones.
		return false
	})
	if err != nil {
		return nil, err
	}
	return handles, nil
}

// nameless reports whether a span names a user group or a person only by id.
func nameless(s render.Span) bool {
	known := s.Person.Platform == GroupPrefix || s.Person.Platform == Name && strings.Contains(s.Text, s.Person.ID)
	return s.Style == render.Plain && s.Person.ID != "" && known
}

// naming looks up the names of the user groups and people that a card mentions as plain text.
func (d *directory) naming(ctx context.Context, card render.Card) render.Card {
	card = d.local(card)
	if !slices.ContainsFunc(card.Sections, func(s render.Section) bool { return slices.ContainsFunc(s.Text, nameless) }) {
		return card
	}
	ctx, cancel := context.WithTimeoutCause(ctx, handleTime, errCallTimeout)
	defer cancel()
	card.Sections = slices.Clone(card.Sections)
	for n := range card.Sections {
		s := &card.Sections[n]
		for _, span := range s.Text {
			switch {
			case !nameless(span):
			case span.Person.Platform == Name:
				d.look(ctx, span.Person.ID)
			default:
				d.handles.get(ctx, allGroups, func(f fact[map[string]string]) bool {
					return time.Since(f.at) < handleLife || time.Since(f.failed) < handleLife || f.value[span.Person.ID] != "" && recent(f)
				})
			}
		}
		s.Text = d.named(s.Text)
	}
	card.Summary = d.named(card.Summary)
	return card
}

// local replaces mentions of people and groups of other installations by their names: there an id
// means someone else.
func (d *directory) local(card render.Card) render.Card {
	if d.api.installation == "" {
		return card
	}
	other := func(s render.Span) bool {
		return s.Person.ID != "" && s.Person.Installation != d.api.installation && (s.Person.Platform == Name || s.Person.Platform == GroupPrefix)
	}
	named := func(spans []render.Span) []render.Span {
		if !slices.ContainsFunc(spans, other) {
			return spans
		}
		spans = slices.Clone(spans)
		for n, s := range spans {
			if other(s) {
				spans[n] = render.Span{Text: cmp.Or(s.Text, s.Person.Name, s.Person.Key())}
			}
		}
		return spans
	}
	card.Sections = slices.Clone(card.Sections)
	for n := range card.Sections {
		card.Sections[n].Text = named(card.Sections[n].Text)
	}
	card.Summary = named(card.Summary)
	card.Tells = slices.DeleteFunc(slices.Clone(card.Tells), func(p ask.Person) bool { return other(render.Span{Person: p}) })
	return card
}

// named fills in the known names of user groups and people.
func (d *directory) named(spans []render.Span) []render.Span {
	handles := d.handles.peek(allGroups).value
	for n, s := range spans {
		if !nameless(s) {
			continue
		}
		handle := handles[s.Person.ID]
		if s.Person.Platform == Name {
			handle = d.people.peek(s.Person.ID).value.name
		}
		if handle != "" {
			spans = slices.Clone(spans)
			spans[n].Text = "@" + handle
		}
	}
	return spans
}
