package slack

import (
	"context"
	"log/slog"

	slackapi "github.com/slack-go/slack"
)

// workspace is the app in one installation: a workspace, or an organization with its workspaces.
// The token, the rate limits and everything that was looked up belong to it and are never shared
// with another one.
type workspace struct {
	api       *webAPI
	self      *identity
	directory *directory
	places    *places
	search    *search
}

// newWorkspace returns the installation of the configured bot token.
func newWorkspace(cfg Config, log *slog.Logger, jobs *jobs) *workspace {
	api := &webAPI{
		url: cfg.APIURL, token: cfg.BotToken, client: cfg.HTTPClient, log: log,
		sdk: slackapi.New(cfg.BotToken, slackapi.OptionAPIURL(cfg.APIURL), slackapi.OptionHTTPClient(cfg.HTTPClient)),
	}
	self := &identity{api: api, log: log, us: home{guests: cfg.Guests != GuestsRefuse}, checked: errNotChecked}
	directory := newDirectory(api, self, cfg.Language, jobs)
	return &workspace{
		api: api, self: self, directory: directory, places: newPlaces(api, directory),
		search: &search{api: api, self: self},
	}
}

// at returns the workspace that an installation of a place or message names.
func (c *Connector) at(context.Context, string, string) (*workspace, error) { return c.only, nil }
