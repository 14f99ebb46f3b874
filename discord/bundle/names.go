package bundle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/internal/app/config"
)

var _ config.Namer = (*Section)(nil)

// SampleID implements [config.Namer].
func (s *Section) SampleID(_ config.NameKind, n int) string {
	return strconv.Itoa(900000000000000000 + n)
}

// FindNames implements [config.Namer]. It looks in every server of the bot that the section allows.
func (s *Section) FindNames(ctx context.Context, names []config.Name) (map[config.Name]config.Found, error) {
	x := newExam(s)
	servers, err := x.servers(ctx)
	if err != nil {
		return nil, err
	}
	found := map[config.Name]config.Found{}
	for _, server := range servers {
		if !s.serves(server.ID) {
			continue
		}
		at := "/guilds/" + url.PathEscape(server.ID)
		var channels []chat
		var roles []role
		for _, name := range names {
			f := found[name]
			switch {
			case name.Mail():
				f.Err = errors.New("Discord has no e-mail addresses for bots") //nolint:staticcheck // A name begins the sentence.
			case name.Kind == config.ChannelName:
				if channels == nil {
					f.Err = x.list(ctx, at+"/channels", &channels)
				}
				for _, c := range channels {
					if slices.Contains(writable, c.Type) {
						f.Add(name, c.ID, c.Name)
					}
				}
			case name.Kind == config.GroupName:
				if roles == nil {
					f.Err = x.list(ctx, at+"/roles", &roles)
				}
				for _, r := range roles {
					f.Add(name, r.ID, r.Name)
				}
			default:
				f = x.members(ctx, at, name, f)
			}
			found[name] = f
		}
	}
	return found, nil
}

// members searches a server for people whose username or nickname begins with a name
// (https://docs.discord.com/developers/resources/guild#search-guild-members).
func (x *exam) members(ctx context.Context, at string, name config.Name, f config.Found) config.Found {
	var members []struct {
		Nick *string `json:"nick"`
		User struct {
			ID     string  `json:"id"`
			Name   string  `json:"username"`
			Global *string `json:"global_name"`
			Bot    bool    `json:"bot"`
		} `json:"user"`
	}
	if err := x.list(ctx, at+"/members/search?"+url.Values{"query": {name.Text}, "limit": {"100"}}.Encode(), &members); err != nil {
		f.Err = err
	}
	for _, m := range members {
		if m.User.Bot {
			continue
		}
		names := []string{m.User.Name}
		for _, other := range []*string{m.Nick, m.User.Global} {
			if other != nil {
				names = append(names, *other)
			}
		}
		f.Add(name, m.User.ID, names...)
	}
	return f
}

var errNoServer = errors.New("the bot is in no server yet")

// server is a server of the bot.
type server struct{ ID, Name string }

// serversPerPage is the number of servers that Discord lists at once
// (https://docs.discord.com/developers/resources/user#get-current-user-guilds).
const serversPerPage = 200

// servers lists the servers of the bot.
func (x *exam) servers(ctx context.Context) (all []server, err error) {
	for path := "/users/@me/guilds"; path != ""; {
		var page []server
		if err := x.list(ctx, path, &page); err != nil {
			return nil, fmt.Errorf("the servers cannot be listed: %w", err)
		}
		all, path = append(all, page...), ""
		if len(page) == serversPerPage {
			path = "/users/@me/guilds?after=" + url.QueryEscape(page[len(page)-1].ID)
		}
	}
	if len(all) == 0 {
		return nil, errNoServer
	}
	return all, nil
}

// list fetches a resource, with an error that says why not.
func (x *exam) list(ctx context.Context, path string, out any) error {
	_, no, err := x.api.get(ctx, path, out)
	switch {
	case err != nil:
		return err
	case no == nil:
		return nil
	case no.status == http.StatusForbidden && strings.Contains(path, "/members/"):
		return errors.New("the bot needs the Server Members Intent (portal, Bot)")
	}
	return errors.New(no.String())
}
