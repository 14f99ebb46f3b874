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
func (s *Server) Subscribe(kinds ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribed = slices.Clone(kinds)
}

// Unsubscribe stops all events and waits until none is in flight, so that an app stopped
// afterwards refuses none. It returns the error of ctx, or an error after a minute. Failed
// events are not redelivered.
func (s *Server) Unsubscribe(ctx context.Context) error {
	s.Subscribe()
	return s.Await(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.underWay == 0
	})
}

// depart marks an event as in flight and reports false if the app is no longer subscribed to
// its kind.
func (s *Server) depart(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := slices.Contains(s.subscribed, kind)
	if wanted {
		s.underWay++
	}
	return wanted
}

// arrive ends what depart began.
func (s *Server) arrive() {
	s.mu.Lock()
	s.underWay--
	s.mu.Unlock()
	s.changed.Notify()
}

// EventsTo delivers events to a URL as signed HTTP requests once the URL has answered a
// url_verification; "" sends them over Socket Mode.
// https://docs.slack.dev/reference/events/url_verification
func (s *Server) EventsTo(ctx context.Context, url string) error {
	if url != "" {
		if err := s.challenge(ctx, url); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eventsURL = url
	return nil
}

// EventsURL returns the URL events are posted to, or "" for Socket Mode.
func (s *Server) EventsURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.eventsURL
}

func (s *Server) challenge(ctx context.Context, url string) error {
	ctx, stop := context.WithTimeoutCause(ctx, s.opts.Patience, errLate)
	defer stop()
	s.mu.Lock()
	word := s.secretFor(s.newID("challenge"))
	s.mu.Unlock()
	body := mustJSON(object{"type": "url_verification", "token": verificationToken, "challenge": word})
	status, answer, err := s.postEvent(ctx, url, body, nil)
	if err != nil {
		return fmt.Errorf("slacksim: url_verification: %w", err)
	}
	var said struct{ Challenge string }
	_ = json.Unmarshal(answer, &said) // The challenge may also be returned as plain text.
	if plain := strings.TrimPrefix(strings.TrimSpace(string(answer)), "challenge="); status != http.StatusOK || said.Challenge != word && plain != word {
		s.violate(ruleChallenge, "url_verification", "answered with HTTP status %d and %.100q", status, answer)
		return fmt.Errorf("slacksim: url_verification: %w", errChallenge)
	}
	return nil
}

// postEvent posts the body of an event, signed.
func (s *Server) postEvent(ctx context.Context, url string, body []byte, more map[string]string) (int, []byte, error) {
	s.mu.Lock()
	strict := *s.requests
	s.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fmt.Errorf("slacksim: post an event: %w", err)
	}
	req.Header = Sign(s.opts.SigningSecret, time.Now(), body)
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
	if bot := s.tokens[s.opts.BotToken]; bot == nil || bot.state != "" || !slices.Contains(bot.scopes, scope) {
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
	kind := text(event, "type")
	id := s.newID("Ev")
	enterprise := any(nil)
	if s.opts.Enterprise != "" {
		enterprise = s.opts.Enterprise
	}
	body := object{
		"token": verificationToken, "team_id": s.opts.Team, "api_app_id": s.opts.AppID, "type": "event_callback",
		"event": event, "event_id": id, "event_time": s.clock.Now().Unix(), "event_context": "4-" + id,
		"is_ext_shared_channel": partner != "", "context_team_id": s.opts.Team, "context_enterprise_id": enterprise,
		"authorizations": []any{object{
			"enterprise_id": enterprise, "team_id": s.opts.Team, "user_id": s.opts.BotUser, "is_bot": true, "is_enterprise_install": s.opts.OrgInstall,
		}},
	}
	if partner != "" {
		body["context_team_id"], body["context_enterprise_id"] = partner, nil
		if kind == EventAppMention {
			body["team_id"] = partner
		}
	}
	raw := mustJSON(body)
	if !s.service.Begin() {
		return
	}
	go func() {
		defer s.service.End()
		s.deliverEvent(kind, raw)
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
	fault := s.cues.Take(kind, Events)
	if fault.Name() != "" {
		s.record(chatsim.Event{Kind: chatsim.Faulted, Where: kind, Text: fault.Name()})
	}
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
