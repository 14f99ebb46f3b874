package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/platform"
)

// The codes for settings that do not match the application.
const (
	codeOtherApplication = "application_id of another application"
	codeOtherKey         = "public_key of another application"
	codeEndpointSet      = "interactions endpoint url is set"
)

// Check verifies the token, learns the bot's identity, and compares the settings with the
// application's. It also runs while the token is rejected. Repeated checks log a settings error
// once.
func (c *Connector) Check(ctx context.Context) error {
	err := c.check(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := errors.AsType[*platform.Error](err); ok && slices.Contains(misfits, e.Code) && !sameCode(c.checked, e) {
		c.log.Error("discord settings do not match the application", "code", e.Code, "error", e.Err)
	}
	// A failed check does not invalidate an earlier success: the next call will report the
	// failure.
	if err == nil || c.checked != nil {
		if err == nil && c.checked != nil {
			c.log.Info("connected to discord", "application", c.us.application, "bot", c.us.bot)
		}
		c.checked = err
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

func (c *Connector) check(ctx context.Context) error {
	var app struct {
		ID        string `json:"id"`
		VerifyKey string `json:"verify_key"`
		Endpoint  string `json:"interactions_endpoint_url"`
	}
	k := call{op: opApplication}
	if err := c.do(ctx, k, route{method: http.MethodGet, path: "applications/@me"}, &app); err != nil {
		return err
	}
	var bot user
	if err := c.do(ctx, call{op: opUser}, route{method: http.MethodGet, path: "users/@me"}, &bot); err != nil {
		return err
	}
	if !snowflake.MatchString(app.ID) || !snowflake.MatchString(bot.ID) {
		return classify(k, nil, fmt.Errorf("%w: no application", errUnreadable), true)
	}
	setup := func(code, format string, args ...any) error {
		return &platform.Error{Platform: Name, Op: k.op, Kind: platform.Misconfigured, Code: code, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case c.cfg.ApplicationID != "" && c.cfg.ApplicationID != app.ID:
		return setup(codeOtherApplication, "discord: the bot token belongs to application %s", app.ID)
	case c.key != nil && app.VerifyKey != "" && !strings.EqualFold(c.cfg.PublicKey, app.VerifyKey):
		return setup(codeOtherKey, "discord: the application's public key is %s", app.VerifyKey)
	case c.cfg.Mode == ModeGateway && app.Endpoint != "" && c.key == nil:
		return setup(codeEndpointSet, "discord: interactions go to %s and not over the gateway: "+
			"take the Interactions Endpoint URL out under General Information, or use mode http", app.Endpoint)
	case c.cfg.Mode == ModeGateway && app.Endpoint != "":
		c.log.Warn("discord sends interactions to the endpoint url and not over the gateway", "url", app.Endpoint)
	case c.cfg.Mode == ModeHTTP && app.Endpoint == "":
		c.log.Warn("discord sends no interactions yet: set the interactions endpoint url under general information")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.us = home{application: app.ID, bot: bot.ID}
	return nil
}
