package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

var errNotChecked = errors.New("slack: auth.test has not succeeded yet")

// identity is the installation of the app that the bot token belongs to.
type identity struct {
	api *webAPI
	log *slog.Logger

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
	}
	i.us, i.checked = us, nil
	return nil
}
