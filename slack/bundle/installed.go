package bundle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/install"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// installedApp is an app that workspaces install themselves.
type installedApp struct {
	*slack.Connector

	service *install.Service
}

var (
	_ provider.Installer = (*installedApp)(nil)
	_ provider.Remover   = (*installedApp)(nil)
)

// Pages returns the pages by which the app is installed.
func (a *installedApp) Pages() map[string]http.Handler { return a.service.Pages() }

// FinishRemovals ends the requests of removed installations until ctx ends.
func (a *installedApp) FinishRemovals(ctx context.Context, end func(ctx context.Context, installation, reason string) error) {
	a.service.Run(ctx, end)
}

// Counts returns the numbers of installations and refreshes.
func (a *installedApp) Counts() provider.Counts { return provider.Counts(a.service.Counts()) }

// installed returns the connector of an app that workspaces install themselves, or all problems.
func (s *Section) installed(cfg slack.Config, o provider.Outside) (provider.Connector, error) {
	all := &connector.SettingsError{Platform: slack.Name}
	if !o.Sealed {
		all.Add("client_id", "needs encryption: the store holds the bot token of every workspace, so set encryption.keys or encryption.command")
	}
	scopes, unknown := scopesOf(s.Install.Features)
	for _, name := range unknown {
		all.Add("install.features", "has %q: the features are %s", name, strings.Join(switches(), ", "))
	}
	service, err := install.New(s.service(scopes, o))
	collect(all, err)
	cfg.Installations = service
	c, err := slack.New(cfg)
	collect(all, err)
	if len(all.Problems) > 0 {
		return nil, all
	}
	return &installedApp{c, service}, nil
}

// service returns the options of the service that keeps the installations.
func (s *Section) service(scopes []string, o provider.Outside) install.Options {
	return install.Options{
		ClientID: s.ClientID, ClientSecret: s.ClientSecret.Reveal(), Address: s.Install.Address, Allow: s.Install.Allow, Invitations: s.Install.Invitations, Anyone: s.Install.Anyone,
		Scopes: scopes, APIURL: s.APIURL, HTTPClient: o.HTTPClient, Values: o.Values, Logger: o.Logger,
	}
}

var invite = provider.Command{
	Name:  "invite",
	Short: "Print a link with which one workspace can install the app",
	Long: `invite prints a link with which one workspace or organization can install the app of the configuration, once. Give it
to the person who installs; anyone who has the link can use it. slack.install.invitations must be true.`,
	Example:    "  askbridge slack invite --config askbridge.yaml\n  askbridge slack invite --valid 24h",
	Configured: true,
	Flags: func(flags *flag.FlagSet) provider.Print {
		valid := flags.String("valid", "7d", "how long the link works: a `time` such as 24h or 7d, at most 30d")
		return func(configured func() (provider.Section, error)) (string, error) {
			section, err := configured()
			if err != nil {
				return "", err
			}
			s, _ := section.(*Section)
			works, err := ask.ParseSpan(*valid)
			switch {
			case s == nil || !s.Install.Invitations:
				return "", errors.New("the configuration has no slack.install.invitations: true")
			case err != nil || works < time.Minute || works > install.MaxInvitation:
				return "", fmt.Errorf("--valid %q is no time from 1m to 30d, such as 24h or 7d", *valid)
			}
			service, err := install.New(s.service(nil, provider.Outside{}))
			if err != nil {
				return "", err
			}
			return service.Invite(works, time.Now()) + "\n", nil
		}
	},
}

// installations lists the workspaces and organizations that have installed the app.
func installations(ctx context.Context, values keyvalue.Store) ([]provider.Installation, error) {
	listed, err := install.List(ctx, values)
	all := make([]provider.Installation, len(listed))
	for n, i := range listed {
		all[n] = provider.Installation{ID: i.ID, Name: i.Name, By: i.By, At: i.Installed, Scopes: i.Scopes}
		switch {
		case i.Dead != "":
			all[n].Problem = "Slack refuses its token (" + i.Dead + "): install the app again"
		case i.Stuck != "":
			all[n].Problem = "works until " + i.Expires.Format("2006-01-02 15:04 MST") + ", Slack refuses to refresh it (" + i.Stuck + "): install the app again"
		}
	}
	return all, err
}

// collect adds the problems of an error.
func collect(all *connector.SettingsError, err error) {
	if wrong, ok := errors.AsType[*connector.SettingsError](err); ok {
		all.Problems = append(all.Problems, wrong.Problems...)
	} else if err != nil {
		all.Add("", "%s", fmt.Sprint(err))
	}
}

// switches returns the names of the optional features.
func switches() []string {
	var all []string
	for _, f := range slack.Features() {
		if f.Switch != "" {
			all = append(all, f.Switch)
		}
	}
	return all
}

// scopesOf returns the scopes of the features that every app has and of those with these switches, and
// the unknown switches.
func scopesOf(with []string) (scopes, unknown []string) {
	names, _ := (&ManifestOptions{With: with}).grants()
	for _, scope := range names {
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	for _, name := range with {
		if !slices.Contains(switches(), name) {
			unknown = append(unknown, name)
		}
	}
	return scopes, unknown
}
