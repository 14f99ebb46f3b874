package bundle

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
)

// The pages of the methods that list, which allow 20 calls a minute.
const (
	pageSize = "200"
	maxPages = 20
)

// errTooMany means that a list has more pages than are read.
var errTooMany = errors.New("there are too many to look through; use the ID")

var _ config.Namer = (*Section)(nil)

// SampleID implements [config.Namer].
func (s *Section) SampleID(kind config.NameKind, n int) string {
	letter := map[config.NameKind]string{config.ChannelName: "C", config.PersonName: "U", config.GroupName: "S"}[kind]
	return fmt.Sprintf("%s0SAMPLE%04d", letter, n)
}

// FindNames implements [config.Namer]. It lists channels, people and groups at most once, and asks for each e-mail
// address. Names of channels and groups are unique in a workspace; several people can have the same display name.
func (s *Section) FindNames(ctx context.Context, names []config.Name) (map[config.Name]config.Found, error) {
	if s.ClientID != "" {
		return nil, errors.New("names can be looked up in one workspace only; use IDs with their workspace, such as slack@T0123ABCD:C0123ABCD")
	}
	x := newExam(s)
	if err := x.reach(ctx); err != nil {
		return nil, err
	}
	found := map[config.Name]config.Found{}
	lists := map[config.NameKind]func(context.Context) ([]known, error){
		config.ChannelName: x.knownChannels, config.PersonName: x.knownPeople, config.GroupName: x.knownGroups,
	}
	for kind, list := range lists {
		some := slices.DeleteFunc(slices.Clone(names), func(n config.Name) bool { return n.Kind != kind || n.Mail() })
		if len(some) == 0 {
			continue
		}
		all, err := list(ctx)
		for _, name := range some {
			f := config.Found{Err: err}
			for _, k := range all {
				f.Add(name, k.id, k.names...)
			}
			found[name] = f
		}
	}
	for _, name := range names {
		if name.Mail() {
			found[name] = x.byMail(ctx, name.Text)
		}
	}
	return found, nil
}

// reach learns the workspaces and scopes of the bot token.
func (x *exam) reach(ctx context.Context) error {
	var us struct {
		Wide bool `json:"is_enterprise_install"`
	}
	r, word, err := x.api.call(ctx, x.api.bot, "auth.test", nil, &us)
	switch {
	case err != nil:
		return err
	case word != "":
		return fmt.Errorf("Slack does not accept slack.bot_token: %s", word) //nolint:staticcheck // A name begins the sentence.
	}
	x.scopesIn(r)
	x.teams = []string{""}
	if us.Wide {
		x.teams, word, err = x.workspaces(ctx)
		if err == nil && word != "" {
			err = wordError(word)
		}
	}
	return err
}

// known is a channel, person or group with its names.
type known struct {
	id    string
	names []string
}

func (x *exam) knownChannels(ctx context.Context) ([]known, error) {
	joined, others, err := x.conversations(ctx)
	var all []known
	for _, c := range slices.Concat(joined, others) {
		all = append(all, known{c.ID, []string{c.Name}})
	}
	return all, err
}

// knownPeople lists the members, with users.list. It leaves out bots, deactivated accounts and strangers.
// https://docs.slack.dev/reference/methods/users.list
func (x *exam) knownPeople(ctx context.Context) ([]known, error) {
	var all []known
	err := x.pages(ctx, "users.list", url.Values{"limit": {pageSize}}, func(read func(any)) {
		var reply struct {
			Members []struct {
				ID      string `json:"id"`
				Name    string `json:"name"`
				Deleted bool   `json:"deleted"`
				Bot     bool   `json:"is_bot"`
				Strange bool   `json:"is_stranger"`
				Profile struct {
					Display string `json:"display_name"`
				} `json:"profile"`
			} `json:"members"`
		}
		read(&reply)
		for _, m := range reply.Members {
			if !m.Deleted && !m.Bot && !m.Strange {
				all = append(all, known{m.ID, slices.Compact([]string{m.Name, m.Profile.Display})})
			}
		}
	})
	return all, scoped(err, "users:read")
}

// knownGroups lists the user groups by handle (https://docs.slack.dev/reference/methods/usergroups.list).
func (x *exam) knownGroups(ctx context.Context) ([]known, error) {
	var all []known
	err := x.pages(ctx, "usergroups.list", url.Values{}, func(read func(any)) {
		var reply struct {
			Groups []struct {
				ID     string `json:"id"`
				Handle string `json:"handle"`
			} `json:"usergroups"`
		}
		read(&reply)
		for _, g := range reply.Groups {
			all = append(all, known{g.ID, []string{g.Handle}})
		}
	})
	return all, scoped(err, "usergroups:read")
}

// byMail finds a person by e-mail address (https://docs.slack.dev/reference/methods/users.lookupByEmail).
func (x *exam) byMail(ctx context.Context, address string) config.Found {
	var reply struct {
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	_, word, err := x.api.call(ctx, x.api.bot, "users.lookupByEmail", url.Values{"email": {address}}, &reply)
	switch {
	case err != nil:
		return config.Found{Err: err}
	case word == "users_not_found":
		return config.Found{}
	case word != "":
		return config.Found{Err: scoped(wordError(word), "users:read.email")}
	}
	return config.Found{IDs: []string{reply.User.ID}}
}

// wordError is an error code of Slack.
type wordError string

func (e wordError) Error() string { return string(e) }

// scoped names the scope that a call lacked.
func scoped(err error, scope string) error {
	if word, ok := errors.AsType[wordError](err); ok && word == "missing_scope" {
		return fmt.Errorf("the bot lacks the scope %s", scope)
	}
	return err
}

// pages calls a method in each workspace, page by page.
func (x *exam) pages(ctx context.Context, method string, args url.Values, page func(read func(any))) error {
	for _, team := range x.teams {
		args.Del("cursor")
		if team != "" {
			args.Set("team_id", team)
		}
		for range maxPages {
			var more struct {
				More struct {
					Cursor string `json:"next_cursor"`
				} `json:"response_metadata"`
			}
			r, word, err := x.api.call(ctx, x.api.bot, method, args, &more)
			switch {
			case err != nil:
				return err
			case word != "":
				return wordError(word)
			}
			page(func(out any) { r.Into(out) })
			args.Set("cursor", more.More.Cursor)
			if more.More.Cursor == "" {
				break
			}
		}
		if args.Get("cursor") != "" {
			return errTooMany
		}
	}
	return nil
}

// conversations lists the channels that the bot is in, and the other public ones, with conversations.list
// (https://docs.slack.dev/reference/methods/conversations.list).
func (x *exam) conversations(ctx context.Context) (joined, others []*provider.Channel, err error) {
	types := "public_channel"
	if slices.Contains(x.scopes, slack.ScopePrivate) {
		types += ",private_channel"
	}
	err = x.pages(ctx, "conversations.list", url.Values{"types": {types}, "exclude_archived": {"true"}, "limit": {pageSize}}, func(read func(any)) {
		var reply struct {
			Channels []struct {
				provider.Channel

				Member bool `json:"is_member"`
			} `json:"channels"`
		}
		read(&reply)
		for _, c := range reply.Channels {
			if c.Member {
				joined = append(joined, &c.Channel)
			} else {
				others = append(others, &c.Channel)
			}
		}
	})
	return joined, others, scoped(err, slack.ScopeChannels)
}
