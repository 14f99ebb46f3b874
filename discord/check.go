package discord

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/askbridge/askbridge/platform"
)

// The codes for settings that do not match the application.
const (
	codeOtherApplication = "application_id of another application"
	codeOtherKey         = "public_key of another application"
	codeEndpointSet      = "interactions endpoint url is set"
)

var errNotChecked = errors.New("discord: bot identity not known yet")

// home is the bot's identity; empty members are not known yet.
type home struct{ application, bot string }

// identity is the application that the bot token belongs to.
type identity struct {
	cfg Config
	log *slog.Logger
	key ed25519.PublicKey // nil without one
	api *restAPI

	mu      sync.Mutex
	us      home
	checked error // error of the last check; nil after success
}

// home returns what is known of the application.
func (i *identity) home() home {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.us
}

// learn takes the identity from the gateway if no check has succeeded and no setting names it.
func (i *identity) learn(us home) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.checked != nil && i.cfg.ApplicationID == "" {
		i.us = us
	}
}

// verified returns nil once a check has succeeded, and the error of the last one before.
func (i *identity) verified() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.checked
}

// Check verifies the token, learns the bot's identity, and compares the settings with the
// application's. It also runs while the token is rejected. Repeated checks log a settings error
// once.
func (c *Connector) Check(ctx context.Context) error { return c.self.check(ctx) }

func (i *identity) check(ctx context.Context) error {
	err := i.ask(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	if e, ok := errors.AsType[*platform.Error](err); ok && slices.Contains(misfits, e.Code) && !sameCode(i.checked, e) {
		i.log.Error("discord settings do not match the application", "code", e.Code, "error", e.Err)
	}
	// A failed check does not invalidate an earlier success: the next call will report the
	// failure.
	if err == nil || i.checked != nil {
		if err == nil && i.checked != nil {
			i.log.Info("connected to discord", "application", i.us.application, "bot", i.us.bot)
		}
		i.checked = err
	}
	return err
}

// misfits are the codes of settings errors.
var misfits = []string{codeOtherApplication, codeOtherKey, codeEndpointSet}

// sameCode reports whether an error repeats the previous one.
func sameCode(before error, e *platform.Error) bool {
	b, ok := errors.AsType[*platform.Error](before)
	return ok && b.Code == e.Code
}

// ask fetches the application and the bot and compares them with the settings.
func (i *identity) ask(ctx context.Context) error {
	var app struct {
		ID        string `json:"id"`
		VerifyKey string `json:"verify_key"`
		Endpoint  string `json:"interactions_endpoint_url"`
	}
	k := call{op: opApplication}
	if err := i.api.do(ctx, k, route{method: http.MethodGet, path: "applications/@me"}, &app); err != nil {
		return err
	}
	var bot user
	if err := i.api.do(ctx, call{op: opUser}, route{method: http.MethodGet, path: "users/@me"}, &bot); err != nil {
		return err
	}
	if !snowflake.MatchString(app.ID) || !snowflake.MatchString(bot.ID) {
		return classify(k, nil, fmt.Errorf("%w: no application", errUnreadable), true)
	}
	setup := func(code, format string, args ...any) error {
		return &platform.Error{Platform: Name, Op: k.op, Kind: platform.Misconfigured, Code: code, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case i.cfg.ApplicationID != "" && i.cfg.ApplicationID != app.ID:
		return setup(codeOtherApplication, "discord: the bot token belongs to application %s", app.ID)
	case i.key != nil && app.VerifyKey != "" && !strings.EqualFold(i.cfg.PublicKey, app.VerifyKey):
		return setup(codeOtherKey, "discord: the application's public key is %s", app.VerifyKey)
	case i.cfg.Mode == ModeGateway && app.Endpoint != "" && i.key == nil:
		return setup(codeEndpointSet, "discord: interactions go to %s and not over the gateway: "+
			"take the Interactions Endpoint URL out under General Information, or use mode http", app.Endpoint)
	case i.cfg.Mode == ModeGateway && app.Endpoint != "":
		i.log.Warn("discord sends interactions to the endpoint url and not over the gateway", "url", app.Endpoint)
	case i.cfg.Mode == ModeHTTP && app.Endpoint == "":
		i.log.Warn("discord sends no interactions yet: set the interactions endpoint url under general information")
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.us = home{application: app.ID, bot: bot.ID}
	return nil
}
