package metrics

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/platform"
)

// Label values for results.
const (
	resultOK      = "ok"
	resultError   = "error"
	resultTaken   = "taken"
	resultFailed  = "failed"
	resultStopped = "stopped"

	unsaved    = "unsaved"
	reasonPace = "pace"
	// nowhere is the platform of events that happened on none.
	nowhere = "none"
)

// kinds are the kinds of platform errors.
var kinds = []platform.Kind{
	platform.Transient, platform.Ambiguous, platform.RateLimited, platform.Misconfigured, platform.Unreachable, platform.Refused,
	platform.Gone, platform.Frozen, platform.Locked,
}

// Observe implements [bridge.Observer].
func (m *Metrics) Observe(o bridge.Observation) {
	switch o.What {
	case bridge.RequestAsked:
		m.asked.WithLabelValues(m.agent(o.Record.Agent)).Inc()
	case bridge.RequestEnded:
		m.observeEnd(o)
	case bridge.ActJudged:
		m.acts.WithLabelValues(o.Platform, verdictOf(o)).Inc()
	case bridge.ActAcknowledged:
		m.toAcknowledge.WithLabelValues(o.Platform).Observe(o.Took.Seconds())
	case bridge.PlatformCalled:
		m.calls.WithLabelValues(o.Platform, o.Op, kindOf(o.Err)).Inc()
		m.callTime.WithLabelValues(o.Platform, o.Op).Observe(o.Took.Seconds())
	case bridge.CardPosted:
		m.toPost.WithLabelValues(o.Platform).Observe(o.Took.Seconds())
	case bridge.DeliveryPutOff:
		m.observePutOff(o)
	case bridge.AgentCalled:
		m.observeWebhook(o)
	}
}

// agent returns the label of an agent: its name if known.
func (m *Metrics) agent(name string) string {
	if slices.Contains(*m.agents.Load(), name) {
		return name
	}
	if _, met := m.met.Load(name); met {
		return name
	}
	return Other
}

func (m *Metrics) observeEnd(o bridge.Observation) {
	platform := cmp.Or(o.Platform, nowhere)
	m.ended.WithLabelValues(string(o.Record.Outcome.State), platform).Inc()
	if o.Record.Outcome.State == ask.Answered {
		m.toAnswer.WithLabelValues(platform).Observe(max(o.Record.EndedAt.Sub(o.Record.Created), 0).Seconds())
	}
}

func verdictOf(o bridge.Observation) string {
	switch {
	case errors.Is(o.Err, bridge.ErrNotFound):
		return "unknown_request"
	case o.Err != nil && !errors.Is(o.Err, bridge.ErrNotReplicated):
		return unsaved
	}
	return string(o.Verdict)
}

// kindOf returns the result of a call to a platform.
func kindOf(err error) string {
	if err == nil {
		return resultOK
	}
	if pe, ok := errors.AsType[*platform.Error](err); ok && slices.Contains(kinds, pe.Kind) {
		return string(pe.Kind)
	}
	return resultError
}

func (m *Metrics) observePutOff(o bridge.Observation) {
	reason := reasonPace
	if o.Err != nil {
		reason = kindOf(o.Err)
	}
	m.putOff.WithLabelValues(o.Platform, o.Op, reason).Inc()
	if reason == reasonPace || reason == string(platform.RateLimited) {
		m.waited.WithLabelValues(o.Platform, reason).Observe(o.Wait.Seconds())
	}
}

func (m *Metrics) observeWebhook(o bridge.Observation) {
	result := resultTaken
	if o.Err != nil {
		result = resultFailed
		if ce, ok := errors.AsType[*bridge.CallError](o.Err); ok && ce.Stop {
			result = resultStopped
		}
	} else if !o.Record.Open() {
		m.toDeliver.Observe(max(time.Since(o.Record.EndedAt), o.Took).Seconds())
	}
	m.webhooks.WithLabelValues(result).Inc()
}
