package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	slackapi "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

const (
	// pauseMost is the longest pause while Slack cannot be reached.
	pauseMost = 30 * time.Second
	// steady is how long a connection has to last to be called good.
	steady = time.Minute
	// handshakeTime bounds opening the websocket.
	handshakeTime = 10 * time.Second
	// maxFrame bounds what is read at once; see maxBody.
	maxFrame = 2 << 20
	// writeBuffer holds any acknowledgement: Slack does not put continuation
	// frames together
	// (https://github.com/slack-go/slack/blob/v0.34.0/socketmode/socketmode.go).
	writeBuffer = 32 << 10
)

const openSocket = "apps.connections.open"

// link is the Socket Mode connection while Listen runs.
type link struct {
	c      *Connector
	client *socketmode.Client
	pace   *pacer
	acks   sync.WaitGroup
}

// socket keeps a Socket Mode connection until ctx ends. slack-go reconnects by
// itself and would do so for ever and at any speed; the pacer holds it back,
// and every failure ends its loop so that ours decides.
func (c *Connector) socket(ctx context.Context) {
	dialer := &websocket.Dialer{
		HandshakeTimeout: handshakeTime, WriteBufferSize: writeBuffer, NetDialContext: c.cfg.NetDialContext,
	}
	if dialer.NetDialContext == nil {
		dialer.Proxy = http.ProxyFromEnvironment
	}
	l := &link{c: c, pace: &pacer{next: c.cfg.HTTPClient}}
	l.client = socketmode.New(
		slackapi.New(c.cfg.BotToken, slackapi.OptionAppLevelToken(c.cfg.AppToken),
			slackapi.OptionAPIURL(c.cfg.APIURL), slackapi.OptionHTTPClient(l.pace)),
		socketmode.OptionDialer(dialer),
		socketmode.OptionReadLimit(maxFrame),
		socketmode.OptionLog(log.New(io.Discard, "", 0)),
	)
	for ctx.Err() == nil {
		err := l.run(ctx)
		c.down(errNoLink)
		if ctx.Err() == nil && err != nil {
			l.stumbled(err)
		}
	}
	l.acks.Wait()
}

// run lets slack-go connect and reconnect until that fails, and hands on what
// arrives.
func (l *link) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for len(l.client.Events) > 0 {
		_ = l.event(<-l.client.Events) // Left from before: an act counts, a failure was dealt with.
	}
	ended := make(chan error, 1)
	go func() { ended <- l.client.RunContext(ctx) }()
	var failed error
	for {
		select {
		case event := <-l.client.Events:
			if err := l.event(event); err != nil {
				failed = err
				stop()
			}
		case err := <-ended:
			if failed != nil {
				return failed
			}
			return err
		}
	}
}

// event deals with one of slack-go's events. It never blocks, since slack-go
// reads no further while its events wait. An error means that the connection
// could not be made.
func (l *link) event(event socketmode.Event) error {
	switch event.Type {
	case socketmode.EventTypeConnecting:
		l.c.down(errNoLink)
	case socketmode.EventTypeHello:
		l.pace.met(time.Now())
		l.c.up(event.Request)
	case socketmode.EventTypeConnectionError:
		if e, ok := event.Data.(*slackapi.ConnectionErrorEvent); ok && e.ErrorObj != nil {
			return e.ErrorObj
		}
		return errNoLink
	case socketmode.EventTypeInteractive:
		l.envelope(event.Request.EnvelopeID, event.Request.Payload)
	case socketmode.EventTypeErrorBadMessage:
		// slack-go could not read it, often for a block it does not know. We need
		// less of it.
		if bad, ok := event.Data.(*socketmode.ErrorBadMessage); ok {
			l.unread(bad.Message)
		}
	case socketmode.EventTypeErrorWriteFailed:
		l.c.log.Warn("slack acknowledgement not written")
	case socketmode.EventTypeEventsAPI, socketmode.EventTypeSlashCommand:
		l.ack(event.Request.EnvelopeID)
	}
	return nil
}

func (l *link) unread(raw json.RawMessage) {
	var envelope struct {
		Type       string          `json:"type"`
		EnvelopeID string          `json:"envelope_id"`
		Payload    json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(raw, &envelope) != nil || envelope.EnvelopeID == "" {
		l.c.log.Info("unreadable slack message", "bytes", len(raw))
		return
	}
	if envelope.Type != socketmode.RequestTypeInteractive {
		l.ack(envelope.EnvelopeID)
		return
	}
	l.envelope(envelope.EnvelopeID, envelope.Payload)
}

func (l *link) envelope(id string, payload json.RawMessage) {
	reply := func(ctx context.Context, body any) error { return l.client.AckCtx(ctx, id, body) }
	if l.c.take(payload, arrival{at: time.Now()}, reply) == dropped {
		l.ack(id)
	}
	// What nobody could take stays unacknowledged: the person sees a warning and
	// tries again.
}

// ack acknowledges what needs no answer.
func (l *link) ack(id string) {
	l.acks.Go(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), connector.AckTime, connector.ErrAckTime)
		defer cancel()
		if err := l.client.AckCtx(ctx, id, nil); err != nil {
			l.c.log.Warn("slack acknowledgement failed", "error", err)
		}
	})
}

// stumbled decides what a failure means for the next try.
func (l *link) stumbled(err error) {
	e := classify(openSocket, false, err, true)
	l.pace.failed(e, time.Now())
	l.c.down(e)
	if e.Kind == bridge.Setup {
		l.c.log.Error("slack refuses socket mode", "code", e.Code, "error", e.Err)
		return
	}
	l.c.log.Warn("slack socket could not be opened", "code", e.Code, "error", e.Err)
}

func (c *Connector) up(hello *socketmode.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.linkDown = nil
	if hello == nil {
		return
	}
	if hello.ConnectionInfo.AppID != "" {
		c.us.app = hello.ConnectionInfo.AppID
	}
	c.log.Info("slack socket is open", "connections", hello.NumConnections)
}

func (c *Connector) down(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.linkDown == nil || !errors.Is(why, errNoLink) {
		c.linkDown = why
	}
}

// pacer holds back the opening of connections. It stands below slack-go, whose
// only calls through it are those of apps.connections.open.
type pacer struct {
	next *http.Client

	mu      sync.Mutex
	tries   int       // since the last good connection
	hello   time.Time // of the present connection
	earlier time.Time // the previous try
	until   time.Time // not before, by Slack's own word
}

// Do waits its time and makes the call.
func (p *pacer) Do(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if pause := p.pause(time.Now()); pause > 0 {
		connector.Wait(ctx, nil, pause)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.next.Do(r)
}

// pause counts a try and says how long to wait before it.
func (p *pacer) pause(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hello.IsZero() && now.Sub(p.hello) >= steady {
		p.tries = 0
	}
	p.hello = time.Time{}
	at := now
	if p.tries > 0 {
		at = p.earlier.Add(connector.Backoff(p.tries-1, pauseMost))
	}
	if at.Before(p.until) {
		at = p.until
	}
	if at.Before(now) {
		at = now
	}
	p.tries++
	p.earlier = at
	return at.Sub(now)
}

func (p *pacer) met(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hello = now
}

func (p *pacer) failed(e *bridge.PlatformError, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case bridge.Setup:
		p.until = now.Add(connector.PauseRefused)
	case bridge.Patience:
		p.until = now.Add(e.RetryAfter)
	}
}
