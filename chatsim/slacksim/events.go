package slacksim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// The kinds of events that the double can send. The app receives an event if it has the scope
// and is a member of the conversation. https://docs.slack.dev/reference/events
const (
	EventMessage    = "message"
	EventAppMention = "app_mention"
)

// eventScopes are the scopes required for messages, by kind of conversation.
var eventScopes = map[string]string{"channel": "channels:history", "group": "groups:history", "im": "im:history", "mpim": "mpim:history"}

// redeliverAfter are the delays before redelivering an event that was not acknowledged.
// https://docs.slack.dev/apis/events-api/#error-handling
var redeliverAfter = []time.Duration{0, time.Minute, 5 * time.Minute}

var errChallenge = errors.New("the address did not answer the url_verification with its challenge")

// Subscribe sets the kinds of events that the app receives.
func (a *App) Subscribe(kinds ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subscribed = slices.Clone(kinds)
}

// Unsubscribe stops all events and waits until none is in flight, so that an app stopped
// afterwards refuses none. It returns the error of ctx, or an error after a minute. Failed
// events are not redelivered.
func (a *App) Unsubscribe(ctx context.Context) error {
	a.Subscribe()
	return a.Await(ctx, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.underWay == 0
	})
}

// depart marks an event as in flight and reports false if the app is no longer subscribed to
// its kind.
func (a *App) depart(kind string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	wanted := slices.Contains(a.subscribed, kind)
	if wanted {
		a.underWay++
	}
	return wanted
}

// arrive ends what depart began.
func (a *App) arrive() {
	a.mu.Lock()
	a.underWay--
	a.mu.Unlock()
	a.home.notify()
}

// EventsTo delivers events to a URL as signed HTTP requests once the URL has answered a
// url_verification; "" sends them over Socket Mode.
// https://docs.slack.dev/reference/events/url_verification
func (a *App) EventsTo(ctx context.Context, url string) error {
	if url != "" {
		if err := a.challenge(ctx, url); err != nil {
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.eventsURL = url
	return nil
}

// EventsURL returns the URL events are posted to, or "" for Socket Mode.
func (a *App) EventsURL() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.eventsURL
}

func (a *App) challenge(ctx context.Context, url string) error {
	ctx, stop := context.WithTimeoutCause(ctx, a.opts.Patience, errLate)
	defer stop()
	a.mu.Lock()
	word := a.secretFor(a.newID("challenge"))
	a.mu.Unlock()
	body := mustJSON(object{"type": "url_verification", "token": verificationToken, "challenge": word})
	status, answer, err := a.postEvent(ctx, url, body, nil)
	if err != nil {
		return fmt.Errorf("slacksim: url_verification: %w", err)
	}
	var reply struct{ Challenge string }
	_ = json.Unmarshal(answer, &reply) // The challenge may also be returned as plain text.
	if plain := strings.TrimPrefix(strings.TrimSpace(string(answer)), "challenge="); status != http.StatusOK || reply.Challenge != word && plain != word {
		a.violate(ruleChallenge, "url_verification", "answered with HTTP status %d and %.100q", status, answer)
		return fmt.Errorf("slacksim: url_verification: %w", errChallenge)
	}
	return nil
}

// postEvent posts the body of an event, signed.
func (a *App) postEvent(ctx context.Context, url string, body []byte, more map[string]string) (int, []byte, error) {
	a.mu.Lock()
	strict := *a.requests
	a.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fmt.Errorf("slacksim: post an event: %w", err)
	}
	req.Header = Sign(a.opts.SigningSecret, time.Now(), body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	for name, value := range more {
		req.Header.Set(name, value)
	}
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := strict.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("slacksim: post an event: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// emit sends the app an event of a conversation if the app is subscribed, has the scope and is
// a member. The caller holds the lock; the event is delivered after it is released.
func (s *Server) emit(conv *conversation, event object) {
	kind := text(event, "type")
	if !slices.Contains(s.subscribed, kind) || !conv.member(s.opts.BotUser) {
		return
	}
	scope := eventScopes[conv.kind()]
	switch kind {
	case EventAppMention:
		scope = "app_mentions:read"
	case EventFileShared:
		scope = "files:read"
	default:
		event["channel_type"] = conv.kind()
	}
	if i := s.installed(); !i.live() || !slices.Contains(i.scopes, scope) {
		return
	}
	event["channel"], event["event_ts"] = conv.ID, s.newTS()
	s.dispatch(event, s.partner(conv))
}

// dispatch sends an event. partner is the other company's workspace that the conversation is
// shared with, or "". For a shared conversation only authorizations names the event's
// installation: the context is the other workspace, and so is the team of a mention. The caller
// holds the lock; the event is delivered after it is released.
// https://github.com/slackapi/bolt-js/issues/935
func (s *Server) dispatch(event object, partner string) {
	body := s.envelope(s.installed(), event)
	body["team_id"], body["context_team_id"] = s.opts.Team, s.opts.Team
	if partner != "" {
		body["is_ext_shared_channel"], body["context_team_id"], body["context_enterprise_id"] = true, partner, nil
		if text(event, "type") == EventAppMention {
			body["team_id"] = partner
		}
	}
	s.sendEvents(body)
}

// envelope wraps an event of an installation. That of an organization names no workspace.
// https://docs.slack.dev/apis/events-api/#event-type-structure
func (a *App) envelope(i *installation, event object) object {
	id := a.newID("Ev")
	org, team, enterprise := i.org, any(nil), any(nil)
	if i.team != nil {
		org, team = i.team.org, i.team.opts.Team
	}
	if org != nil {
		enterprise = org.id
	}
	body := object{
		"token": verificationToken, "team_id": team, "api_app_id": a.opts.AppID, "type": "event_callback",
		"event": event, "event_id": id, "event_time": a.clock.Now().Unix(), "event_context": "4-" + id,
		"is_ext_shared_channel": false, "context_team_id": team, "context_enterprise_id": enterprise,
		"authorizations": []any{object{
			"enterprise_id": enterprise, "team_id": team, "user_id": i.botUser, "is_bot": true, "is_enterprise_install": i.wide(),
		}},
	}
	if org != nil {
		body["enterprise_id"] = org.id
	}
	return body
}

// sendEvents sends events, each when the one before it was acknowledged or given up. The caller
// holds the lock; they are delivered after it is released.
func (s *Server) sendEvents(bodies ...object) {
	raws := make([][]byte, 0, len(bodies))
	kinds := make([]string, 0, len(bodies))
	for _, body := range bodies {
		raws, kinds = append(raws, mustJSON(body)), append(kinds, text(child(body, "event"), "type"))
	}
	if !s.service.Begin() {
		return
	}
	go func() {
		defer s.service.End()
		for i, raw := range raws {
			s.deliverEvent(kinds[i], raw)
		}
	}()
}

// deliverEvent sends an event until it is acknowledged, at most four times.
func (s *Server) deliverEvent(kind string, body []byte) {
	reason := ""
	for attempt := range len(redeliverAfter) + 1 {
		if attempt > 0 {
			s.service.Pause(s.service.Life(), redeliverAfter[attempt-1])
		}
		if s.service.Closed() || !s.depart(kind) {
			return
		}
		if reason = s.deliverEventOnce(kind, body, attempt, reason); reason == "" {
			s.record(chatsim.Event{Kind: chatsim.Acknowledged, Where: kind})
			return
		}
		s.record(chatsim.Event{Kind: chatsim.Unacknowledged, Where: kind, Text: reason})
	}
}

// deliverEventOnce sends an event marked by depart and returns Slack's code for why it was not
// acknowledged, or "".
func (s *Server) deliverEventOnce(kind string, body []byte, attempt int, before string) (reason string) {
	defer s.arrive()
	ctx, stop := context.WithTimeoutCause(s.service.Life(), s.opts.Patience, errLate)
	defer stop()
	fault := s.fault(kind, Events)
	if fault.Drops() {
		return "connection_failed"
	}
	var answer []byte
	var err error
	end := s.traffic.Begin(chatsim.Exchange{From: "Slack", To: "app", Name: kind, Request: string(body)})
	defer func() { end(func(e *chatsim.Exchange) { e.Acknowledge(answer, err) }) }()
	to := s.EventsURL()
	if to == "" {
		_, err = s.deliverEnvelope(ctx, kind, object{
			"type": "events_api", "payload": json.RawMessage(body), "accepts_response_payload": false,
			"retry_attempt": attempt, "retry_reason": before,
		})
		if errors.Is(err, errNoApp) {
			return "" // Slack may drop events while no connection is open.
		}
	} else {
		headers := map[string]string{}
		if attempt > 0 {
			headers["X-Slack-Retry-Num"], headers["X-Slack-Retry-Reason"] = strconv.Itoa(attempt), before
		}
		var status int
		if status, answer, err = s.postEvent(ctx, to, body, headers); err == nil && (status < 200 || status > 299) {
			s.violate(ackStatus, kind, "answered with HTTP status %d", status)
			return "http_error"
		}
		if err != nil && errors.Is(context.Cause(ctx), errLate) {
			s.violate(ackInTime, kind, "no acknowledgement within %v", s.opts.Patience)
		}
	}
	switch {
	case errors.Is(context.Cause(ctx), errLate) || fault.LosesReply():
		return "http_timeout"
	case err != nil:
		return "connection_failed"
	default:
		return ""
	}
}

// kind returns the conversation's type in events.
func (c *conversation) kind() string {
	switch {
	case c.with != "":
		return "im"
	case c.Together:
		return "mpim"
	case c.Private:
		return "group"
	default:
		return "channel"
	}
}
