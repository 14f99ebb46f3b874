package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

var errNotChecked = errors.New("slack: auth.test has not succeeded yet")

// identity is the installation of the app that the bot token belongs to.
type identity struct {
	api *webAPI
	log *slog.Logger
	// agent is [Config.AgentStatus].
	agent bool

	mu      sync.Mutex
	us      home
	checked error // error of the last auth.test; nil after success
}

// home returns what is known of the installation.
func (i *identity) home() home {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.us
}

// setApp records the app's id, which Slack's hello contains.
func (i *identity) setApp(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.us.app = id
}

// verified returns nil once auth.test has succeeded, and the error of the last attempt before.
func (i *identity) verified() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.checked
}

// check verifies the bot token and learns the app's identity.
func (i *identity) check(ctx context.Context) error {
	k := call{op: "auth.test"}
	var who struct {
		TeamID       string `json:"team_id"`
		EnterpriseID string `json:"enterprise_id"`
		Wide         bool   `json:"is_enterprise_install"`
		UserID       string `json:"user_id"`
		BotID        string `json:"bot_id"`
		URL          string `json:"url"`
	}
	e := i.api.attempt(ctx, k, func(ctx context.Context) error {
		err := i.api.form(ctx, k.op, url.Values{}, &who)
		if who.Wide {
			who.TeamID = cmp.Or(who.TeamID, who.EnterpriseID) // Slack may omit the workspace then.
		}
		if err == nil && (who.TeamID == "" || who.UserID == "") {
			return fmt.Errorf("%w: no team", errUnreadable)
		}
		return err
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	if e != nil {
		i.api.limiter.failed(k, e, time.Now())
		if i.checked != nil {
			i.checked = e
		}
		return e
	}
	i.api.limiter.rest.Accepted()
	us := home{
		team: who.TeamID, enterprise: who.EnterpriseID, wide: who.Wide, guests: i.us.guests,
		app: i.us.app, botUser: who.UserID, botID: who.BotID, address: who.URL,
	}
	if i.checked != nil {
		i.log.Info("connected to slack", "team", us.team, "bot_user", us.botUser)
		i.logLacking()
	}
	i.us, i.checked = us, nil
	return nil
}

// logLacking logs which features do not work because Slack did not grant their scopes.
func (i *identity) logLacking() {
	granted := i.api.granted.Load()
	if granted == nil {
		return
	}
	if !slices.Contains(*granted, "chat:write") {
		i.log.Warn("slack app cannot post cards", "lacks", "chat:write")
	}
	var features []string
	for _, f := range Lacking(*granted, i.agent) {
		features = append(features, f.String())
	}
	if len(features) > 0 {
		i.log.Info("slack features off without their scopes", "features", strings.Join(features, "; "))
	}
}

// scopesOf parses the header in which every reply lists the scopes of the token
// (https://docs.slack.dev/authentication/installing-with-oauth); nil if there is none.
func scopesOf(h http.Header) *[]string {
	if len(h["X-Oauth-Scopes"]) == 0 {
		return nil
	}
	scopes := []string{}
	for scope := range strings.SplitSeq(h.Get("X-Oauth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			scopes = append(scopes, scope)
		}
	}
	return &scopes
}
