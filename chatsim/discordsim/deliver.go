package discordsim

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/askbridge/askbridge/chatsim"
)

var (
	errLate    = errors.New("the three seconds are over")
	errClosing = errors.New("the guild is closed")
	errNoApp   = errors.New("no gateway session and no interactions endpoint")
	errOnCue   = errors.New("lost on cue")
)

// deliver sends an interaction to the app and waits for its first response. The three seconds
// start when the person acts. The lock is not held.
// https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction
func (s *Server) deliver(ctx context.Context, name string, i *interaction, payload object) (err error) {
	raw := mustJSON(payload)
	end := s.traffic.Begin(chatsim.Exchange{From: "Discord", To: "app", Name: name, Request: string(raw)})
	defer func() {
		s.mu.Lock()
		answer := i.response
		s.mu.Unlock()
		end(func(e *chatsim.Exchange) { e.Acknowledge(answer, err) })
	}()
	failed := func(err error) error {
		return fmt.Errorf("discordsim: deliver %s: %w: %w", name, chatsim.ErrUnacknowledged, err)
	}
	if !s.service.Begin() {
		return failed(errClosing)
	}
	defer s.service.End()
	fault := s.cues.Take(name, Interactions)
	if fault.Name() != "" {
		s.record(chatsim.Event{Kind: chatsim.Faulted, Where: name, Text: fault.Name()})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.service.Life(), func() { cancel(errClosing) })()
	if fault.Delay() > 0 {
		s.service.Pause(ctx, fault.Delay())
	}
	ctx, stop := context.WithDeadlineCause(ctx, i.born.Add(s.opts.Patience), errLate)
	defer stop()
	if fault.Doubles() {
		defer i.ways.Wait() // The interaction ends when both of its deliveries have ended.
	}
	var results chan error
	waiting := 1 // deliveries that can fail before the deadline
	if !fault.Drops() {
		results, waiting = s.send(name, i, raw, fault)
	}
	for waiting > 0 {
		select {
		case <-i.done:
			return nil
		case err := <-results:
			if err == nil {
				results = nil // Accepted; the response arrives through the callback route.
			} else if waiting--; waiting == 0 {
				return failed(err)
			}
		case <-ctx.Done():
			cause := context.Cause(ctx)
			switch {
			case fault.Drops(), fault.LosesReply():
				cause = errOnCue
			case errors.Is(cause, errLate) && fault.Delay() == 0:
				s.violate(ruleAck, name, "interaction %s was not answered within %v", i.id, s.opts.Patience)
			}
			return failed(cause)
		}
	}
	return failed(errNoApp)
}

// send sends an interaction: over HTTP if there is an endpoint, else over the gateway. It
// returns a channel with the result of each delivery and the number of deliveries. Gateway
// deliveries report no result.
func (s *Server) send(name string, i *interaction, raw []byte, fault chatsim.Fault) (results chan error, ways int) {
	times := 1
	if fault.Doubles() {
		times = 2
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i.deaf = fault.LosesReply()
	if s.endpoint == "" {
		for range times {
			i.delivered += s.dispatchTo(i.channel, "INTERACTION_CREATE", raw)
		}
		return nil, min(i.delivered, 1)
	}
	i.delivered, i.replied = times, make(chan struct{})
	over := sync.OnceFunc(func() { close(i.replied) })
	results = make(chan error, times)
	for range times {
		i.ways.Add(1)
		s.service.Go(func() {
			defer i.ways.Done()
			defer over()
			results <- s.deliverHTTP(name, i, raw)
		})
	}
	return results, times
}
