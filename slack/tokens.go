package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/platform"
)

// ErrNotInstalled means that the app is not installed in a workspace or organization.
var ErrNotInstalled = errors.New("slack: the app is not installed there")

// Installation is the app in one workspace, or in a whole organization.
type Installation struct {
	// ID is the workspace's id (T…), or the organization's (E…) if the app is installed
	// organization-wide. Places, messages and people name it.
	ID string
	// Enterprise is the organization of the workspace; empty if there is none.
	Enterprise string
	// App, BotUser and BotID identify the app and its bot.
	App, BotUser, BotID string
	// Address is the URL of the workspace, such as "https://acme.slack.com/".
	Address string
	// Token is the bot token. It expires at Expires; zero means never.
	Token   string
	Expires time.Time
}

// Wide reports whether the installation is organization-wide.
func (i Installation) Wide() bool { return strings.HasPrefix(i.ID, "E") }

// Installations are the workspaces and organizations that have installed the app; package
// slack/install implements it. It is used by any number of goroutines.
type Installations interface {
	// Get returns an installation with a token that is valid for a while, or [ErrNotInstalled].
	Get(ctx context.Context, id string) (Installation, error)
	// Refused reports that Slack refused a token with an error code. It returns the
	// installation, with another token if that was replaced in the meantime, or
	// [ErrNotInstalled].
	Refused(ctx context.Context, id, token, code string) (Installation, error)
	// Identify asks Slack again to which organization an installed workspace belongs, and returns the
	// installation with that.
	Identify(ctx context.Context, id string) (Installation, error)
	// Removed reports that an installation was removed at a time, and why.
	Removed(ctx context.Context, id, reason string, at time.Time) error
}

// readAgain is how long an installation is used before it is read again, so that a removal on another
// replica is noticed.
const readAgain = time.Minute

// unread converts an error of [Installations].
func unread(op, id string, err error) *platform.Error {
	if e, ok := errors.AsType[*platform.Error](err); ok {
		return e
	}
	e := &platform.Error{Platform: Name, Op: op, Kind: platform.Transient, Code: "installation_unread", Err: err}
	if errors.Is(err, ErrNotInstalled) {
		e.Kind, e.Code = platform.Unreachable, "app_not_installed"
		e.Err = fmt.Errorf("%w: %s; an organization-wide installation is named by its organization, such as slack@E0123ABCD", err, id)
	}
	return e
}

// tokens keeps the token of an installation current.
type tokens struct {
	source Installations
	id     string
	api    *webAPI
	self   *identity

	mu   sync.Mutex
	now  Installation
	read time.Time

	identifying sync.Mutex
	identified  time.Time // the last Identify
}

// set takes over an installation that was read.
func (t *tokens) set(i Installation) {
	t.mu.Lock()
	changed := t.now.Token != i.Token
	t.now, t.read = i, time.Now()
	t.mu.Unlock()
	t.self.installedAs(i)
	if changed {
		t.api.use(i.Token)
		t.api.limiter.rest.Accepted()
	}
}

// renew reads the installation again if its token is old or was read long ago. Without the store the
// token is used until it expires.
func (t *tokens) renew(ctx context.Context, op string) error {
	now := time.Now()
	t.mu.Lock()
	i, read := t.now, t.read
	t.mu.Unlock()
	if now.Sub(read) < readAgain {
		return nil
	}
	next, err := t.source.Get(ctx, t.id)
	switch {
	case err == nil:
		t.set(next)
		return nil
	case errors.Is(err, ErrNotInstalled), !i.Expires.IsZero() && !now.Before(i.Expires):
		return unread(op, t.id, err)
	}
	return nil
}

// replaced reports a refused token, and whether there is another one to try. Slack does nothing with
// a refused token, so a call can be repeated.
func (t *tokens) replaced(ctx context.Context, token, code string) bool {
	next, err := t.source.Refused(ctx, t.id, token, code)
	if err != nil || next.Token == token {
		return false
	}
	t.set(next)
	return true
}

// credential is a token and the client that uses it.
type credential struct {
	token string
	sdk   *slackapi.Client
}

// use replaces the token.
func (a *webAPI) use(token string) {
	a.held.Store(&credential{token: token, sdk: slackapi.New(token, slackapi.OptionAPIURL(a.url), slackapi.OptionHTTPClient(a.client))})
}

// sdk returns the client with the current token.
func (a *webAPI) sdk() *slackapi.Client { return a.held.Load().sdk }

// installedAs takes over the identity of an installation, which needs no auth.test.
func (i *identity) installedAs(of Installation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.us = home{
		id: of.ID, team: of.ID, enterprise: of.Enterprise, wide: of.Wide(), guests: i.us.guests,
		app: of.App, botUser: of.BotUser, botID: of.BotID, address: of.Address,
	}
	if of.Wide() {
		i.us.enterprise = of.ID
	}
	i.checked = nil
}
