package slack

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// allWorkspaces is the cache key of the workspaces.
const allWorkspaces = "all"

// maxWorkspaces is the number of workspaces looked up per organization
// (https://docs.slack.dev/reference/methods/auth.teams.list).
const maxWorkspaces = 1000

// teamsLife is how long the workspaces of an organization are considered known. Only one replica gets
// the event when they change.
const teamsLife = 5 * time.Minute

var errNoWorkspace = errors.New("slack: no workspace of the organisation has been given the app")

// askWorkspaces fetches the organization's workspaces that have the app. auth.test returns the
// organization itself, which methods that need a workspace reject.
func (d *directory) askWorkspaces(ctx context.Context, _ string) ([]string, error) {
	var reply struct {
		Teams []struct {
			ID string `json:"id"`
		} `json:"teams"`
	}
	const method = "auth.teams.list"
	err := d.api.do(ctx, call{op: method}, func(ctx context.Context) error {
		return d.api.form(ctx, method, url.Values{"limit": {strconv.Itoa(maxWorkspaces)}}, &reply)
	})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, team := range reply.Teams {
		all = append(all, team.ID)
	}
	if len(all) == 0 {
		return nil, &platform.Error{Platform: Name, Op: method, Kind: platform.Misconfigured, Code: "team_access_not_granted", Err: errNoWorkspace}
	}
	return all, nil
}

// regranted forgets the workspaces of the organization, and the groups that were or were not found in
// them.
func (d *directory) regranted() {
	d.teams.facts.Purge()
	d.handles.facts.Purge()
	d.groups.facts.Purge()
}

// workspaces returns the organization's workspaces that have the app, or "" for a single
// installation, which need not be specified.
func (d *directory) workspaces(ctx context.Context) ([]string, error) {
	if !d.self.home().wide {
		return []string{""}, nil
	}
	f := d.teams.get(ctx, allWorkspaces, func(f fact[[]string]) bool {
		return time.Since(f.at) < teamsLife || time.Since(f.failed) < nameFailLife
	})
	if f.at.IsZero() {
		return nil, f.err
	}
	return f.value, nil
}

// inEach calls a method in one workspace after another until done returns true, and decodes the
// responses into out. For an organization-wide app the user group methods need a workspace
// (https://docs.slack.dev/reference/methods/usergroups.users.list). It fails if all of them
// fail.
func (d *directory) inEach(ctx context.Context, method string, values url.Values, out any, done func() bool) error {
	teams, err := d.workspaces(ctx)
	if err != nil {
		return err
	}
	answered := false
	for _, team := range teams {
		if team != "" {
			values.Set("team_id", team)
		}
		err = d.api.do(ctx, call{op: method}, func(ctx context.Context) error { return d.api.form(ctx, method, values, out) })
		switch {
		case err == nil && done():
			return nil
		case err == nil:
			answered = true
		case !elsewhere(err):
			return err
		}
	}
	if answered {
		return nil
	}
	return err
}

// elsewhere reports whether another workspace may have what this one lacks.
func elsewhere(err error) bool {
	e, ok := errors.AsType[*platform.Error](err)
	return ok && slices.Contains([]string{"no_such_subteam", "team_access_not_granted"}, e.Code)
}

// installedIn returns nil if a place names no installation, the bot's own, which auth.test
// returned, or a workspace to which its organization added the app.
func (d *directory) installedIn(ctx context.Context, op, installation string) error {
	us := d.self.home()
	switch {
	case installation == "", installation == us.team, installation == us.enterprise:
		return nil
	case us.team == "":
		return &platform.Error{Platform: Name, Op: op, Kind: platform.Transient, Code: "not_checked", Err: errNotChecked}
	case us.wide && strings.HasPrefix(installation, "T"):
		teams, err := d.workspaces(ctx)
		if err != nil {
			return err
		}
		if slices.Contains(teams, installation) {
			return nil
		}
	}
	return &platform.Error{Platform: Name, Op: op, Kind: platform.Unreachable, Code: "other_installation", Err: errOtherInstallation}
}
