package slacksim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/chatsim"
)

var (
	errLate        = errors.New("the three seconds are over")
	errClosing     = errors.New("the workspace is closed")
	errUninstalled = errors.New("the app is not installed in the workspace")
	errNoApp       = errors.New("no Socket Mode connection and no request URL")
)

// deliver sends a payload to the app and returns the body of its acknowledgement. An
// acknowledged payload is not sent again. The lock is not held.
// https://docs.slack.dev/interactivity/handling-user-interaction/#acknowledgment_response
func (s *Server) deliver(ctx context.Context, payload object) ([]byte, error) {
	return s.deliverAs(ctx, text(payload, "type"), payload)
}

func (s *Server) deliverAs(ctx context.Context, kind string, payload object) ([]byte, error) {
	if !s.service.Begin() {
		return nil, fmt.Errorf("slacksim: deliver: %w", errClosing)
	}
	defer s.service.End()
	if !s.Installed() {
		return nil, fmt.Errorf("slacksim: deliver %s: %w: %w", kind, chatsim.ErrUnacknowledged, errUninstalled)
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("slacksim: deliver %s: %w", kind, err)
	}
	fault := s.fault(kind, Interactions)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.service.Life(), func() { cancel(errClosing) })()
	if fault.Delay() > 0 {
		s.service.Pause(ctx, fault.Delay())
	}
	if fault.Drops() {
		s.service.Pause(ctx, s.opts.Patience)
		return nil, fmt.Errorf("slacksim: deliver %s: lost on cue: %w", kind, chatsim.ErrUnacknowledged)
	}
	ctx, stop := context.WithTimeoutCause(ctx, s.opts.Patience, errLate)
	defer stop()
	answer, err := s.deliverTimes(ctx, kind, raw, fault.Doubles())
	if err == nil && fault.LosesReply() {
		s.service.Pause(ctx, s.opts.Patience)
		return nil, fmt.Errorf("slacksim: deliver %s: acknowledgement lost on cue: %w", kind, chatsim.ErrUnacknowledged)
	}
	return answer, err
}

// deliverTimes delivers once, or twice concurrently, in which case the first response counts.
func (s *Server) deliverTimes(ctx context.Context, kind string, raw []byte, twice bool) ([]byte, error) {
	if !twice {
		return s.deliverOnce(ctx, kind, raw)
	}
	type result struct {
		answer []byte
		err    error
	}
	results := make(chan result, 2)
	for range cap(results) {
		go func() {
			answer, err := s.deliverOnce(ctx, kind, raw)
			results <- result{answer, err}
		}()
	}
	first, second := <-results, <-results
	if first.err != nil {
		return second.answer, second.err
	}
	return first.answer, nil
}

func (s *Server) deliverOnce(ctx context.Context, kind string, raw []byte) (answer []byte, err error) {
	end := s.traffic.Begin(chatsim.Exchange{From: "Slack", To: "app", Name: kind, Request: string(raw)})
	defer func() { end(func(e *chatsim.Exchange) { e.Acknowledge(answer, err) }) }()
	if s.overSocket() {
		return s.deliverSocket(ctx, kind, raw)
	}
	return s.deliverHTTP(ctx, kind, raw)
}

// overSocket reports whether Socket Mode is on. Then the app receives nothing over HTTP.
// https://docs.slack.dev/apis/events-api/using-socket-mode/
func (a *App) overSocket() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opts.SocketMode || a.requestURL == ""
}
