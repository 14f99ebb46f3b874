package slack

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

// The statuses of an agent session that the connector sets
// (https://docs.slack.dev/reference/methods/agents.sessions.setStatus).
const (
	statusWaiting = "suspended"
	statusActive  = "active"
)

// statusOff are the errors that concern the app and not a thread. Slack documents feature_disabled
// for an app that is no agent, and has been seen to return not_authorized.
var statusOff = []string{"feature_disabled", "missing_scope", "not_allowed_token_type", "not_authorized", "unknown_method"}

// statusRest is how long no status is set after such an error.
const statusRest = time.Hour

// ShowsStatus reports whether [Config.AgentStatus] is set.
func (c *Connector) ShowsStatus() bool { return c.cfg.AgentStatus }

// ShowWaiting sets the status of the agent session in a thread, and begins one if there is none. It
// returns nil without a call for an hour after Slack has refused it for the whole app. It implements
// [platform.StatusShower].
func (c *Connector) ShowWaiting(ctx context.Context, thread ask.Place, waiting bool) error {
	const method = "agents.sessions.setStatus"
	w, err := c.at(ctx, method, thread.Installation)
	if err != nil {
		return err
	}
	if until := w.noStatusUntil.Load(); until != nil && time.Now().Before(*until) {
		return nil
	}
	status := statusActive
	if waiting {
		status = statusWaiting
	}
	err = w.api.do(ctx, call{op: method}, func(ctx context.Context) error {
		return w.api.form(ctx, method, url.Values{"channel_id": {thread.Channel}, "thread_ts": {thread.Thread}, "status": {status}}, &struct{}{})
	})
	if e, ok := errors.AsType[*platform.Error](err); ok && slices.Contains(statusOff, e.Code) {
		w.noStatusUntil.Store(new(time.Now().Add(statusRest)))
		w.api.log.Warn("agent status off for an hour", "code", e.Code, "hint", "declare the app an agent: askbridge slack manifest --agent")
		return nil
	}
	return err
}
