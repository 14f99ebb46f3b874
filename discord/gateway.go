package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

const (
	// pauseSetup is the delay after the gateway rejected the settings. Each attempt counts
	// against the 1,000 session starts per day
	// (https://docs.discord.com/developers/events/gateway#identifying).
	pauseSetup = 5 * time.Minute
	// pauseMost is the maximum backoff while Discord is unreachable. With jitter it keeps a day
	// of failed connections below that limit.
	pauseMost = 3 * time.Minute
	// pauseInvalid is the minimum delay after an invalid session: one to five seconds
	// (https://docs.discord.com/developers/events/gateway#resuming).
	pauseInvalid     = time.Second
	pauseInvalidMore = 4 * time.Second
	// steady is how long a connection must last to reset the backoff.
	steady = time.Minute
	// handshakeTime limits opening the WebSocket.
	handshakeTime = 10 * time.Second
	// identifySpace is the interval between two identifies: five seconds as measured by Discord
	// (https://docs.discord.com/developers/events/gateway#rate-limiting), plus a margin for
	// varying latency.
	identifySpace = 5*time.Second + 750*time.Millisecond
	// resumeTime is how long a session is considered resumable; Discord keeps it for a few
	// minutes (https://docs.discord.com/developers/events/gateway#initiating-a-disconnect).
	resumeTime = 2 * time.Minute
	// maxResumes is the number of consecutive failed resumes before a new session is started,
	// since presses fail meanwhile.
	maxResumes = 3
)

// gatewayVersion is the version of the gateway protocol
// (https://docs.discord.com/developers/reference#api-versioning).
const gatewayVersion = "10"

const opConnect = "Gateway"

// gateway keeps one shard connected until ctx ends.
func (c *Connector) gateway(ctx context.Context, id int) {
	s := &shard{
		id: id, count: c.cfg.ShardCount, token: c.cfg.BotToken, intents: c.cfg.intents(), log: c.log,
		open: func(data json.RawMessage) { c.opened(id, data) }, event: c.heard,
	}
	for tries := 0; ctx.Err() == nil; tries++ {
		began := time.Now()
		lasted, err := c.connect(ctx, s)
		if ctx.Err() != nil {
			return
		}
		c.lost(id, err)
		if lasted >= steady {
			tries = -1 // Reconnect immediately.
		}
		pause := pauseAfter(err, tries) - time.Since(began)
		if errors.Is(err, errInvalid) {
			pause = max(pause, pauseInvalid+rand.N(pauseInvalidMore)) //nolint:gosec // Jitter is no secret.
		}
		c.rest(ctx, pause)
	}
}

// pauseAfter returns the backoff after an error and a number of failed attempts.
func pauseAfter(err error, tries int) time.Duration {
	pause := time.Duration(0)
	if tries >= 0 {
		pause = connector.Backoff(tries, pauseMost)
	}
	e, ok := errors.AsType[*platform.Error](err)
	switch {
	case !ok:
	case e.Kind == platform.RateLimited:
		return max(pause, e.RetryAfter)
	case e.Kind == platform.Misconfigured && e.Op != opConnect:
		return connector.PauseRefused
	case e.Kind == platform.Misconfigured && e.Code != codeToken:
		return pauseSetup
	}
	return pause
}

// rest waits for the backoff, or until Discord accepts a rejected token again.
func (c *Connector) rest(ctx context.Context, pause time.Duration) {
	taken := c.limiter.rest.Over()
	if taken != nil {
		pause = pauseSetup
	}
	connector.Wait(ctx, taken, pause)
}

// connect runs one connection until it ends, and returns how long it was ready and why it
// ended. Resuming a session makes no API calls.
func (c *Connector) connect(ctx context.Context, s *shard) (time.Duration, error) {
	if s.resumable() {
		return c.carry(ctx, s, s.address, func() {})
	}
	s.forget()
	at, err := c.entrance(ctx)
	if err != nil {
		return 0, err
	}
	turn := c.starts.slot(s.id % max(at.Limit.Concurrency, 1))
	if err := turn.take(ctx); err != nil {
		return 0, err
	}
	free := sync.OnceFunc(turn.leave)
	defer free()
	return c.carry(ctx, s, at.URL, func() {
		turn.begun()
		free()
	})
}

// entrance is Discord's gateway information
// (https://docs.discord.com/developers/events/gateway#get-gateway-bot).
type entrance struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  struct {
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // in milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// entrance fetches the gateway's URL and checks that a session may be started.
func (c *Connector) entrance(ctx context.Context) (at entrance, err error) {
	if err := c.do(ctx, call{op: opGateway}, route{method: http.MethodGet, path: "gateway/bot"}, &at); err != nil {
		return at, err
	}
	if at.Shards > c.cfg.ShardCount {
		c.log.Warn("discord recommends more shards", "recommended", at.Shards, "configured", c.cfg.ShardCount)
	}
	if reset := time.Duration(at.Limit.ResetAfter) * time.Millisecond; at.Limit.Remaining <= 0 && reset > 0 {
		return at, &platform.Error{
			Platform: Name, Op: opConnect, Kind: platform.RateLimited, Code: "no sessions left today", RetryAfter: reset, Err: errNotAsked,
		}
	}
	return at, nil
}

// carry dials the gateway and runs the connection until it ends.
func (c *Connector) carry(ctx context.Context, s *shard, address string, identified func()) (time.Duration, error) {
	address, err := gatewayURL(address)
	if err != nil {
		return 0, &platform.Error{Platform: Name, Op: opConnect, Kind: platform.Misconfigured, Code: "no gateway address", Err: err}
	}
	conn, err := c.dial(ctx, address)
	if err != nil {
		return 0, fmt.Errorf("discord: gateway: %w", plain(err))
	}
	return s.carry(ctx, conn, identified)
}

func (c *Connector) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	dialer := &websocket.Dialer{HandshakeTimeout: handshakeTime, NetDialContext: c.cfg.NetDialContext}
	if dialer.NetDialContext == nil {
		dialer.Proxy = http.ProxyFromEnvironment
	}
	conn, resp, err := dialer.DialContext(ctx, address, http.Header{"User-Agent": {userAgent}})
	if err != nil && resp != nil {
		_ = resp.Body.Close() // The status is sufficient.
	}
	return conn, err
}

// gatewayURL adds the version to the gateway's URL.
func gatewayURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "wss" && u.Scheme != "ws") {
		return "", errors.New("discord: not a websocket address")
	}
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = url.Values{"v": {gatewayVersion}, "encoding": {"json"}}.Encode()
	return u.String(), nil
}

// opened records that a shard is ready, and the bot's identity from the READY event.
func (c *Connector) opened(shard int, ready json.RawMessage) {
	var d struct {
		User        user `json:"user"`
		Application struct {
			ID string `json:"id"`
		} `json:"application"`
	}
	known := connector.ReadLoosely(ready, &d) == nil && snowflake.MatchString(d.User.ID) && snowflake.MatchString(d.Application.ID)
	c.mu.Lock()
	delete(c.down, shard)
	c.links++
	if known && c.checked != nil && c.cfg.ApplicationID == "" {
		c.us = home{application: d.Application.ID, bot: d.User.ID}
	}
	c.mu.Unlock()
	c.log.Info("discord gateway is open", "shard", shard, "resumed", !known)
}

// heard handles a gateway event. An interaction of another application may belong to another
// program with the same bot, so it is ignored.
func (c *Connector) heard(kind string, raw json.RawMessage) {
	switch kind {
	case "INTERACTION_CREATE":
	case eventCreated, eventChanged, eventDeleted:
		c.overheard(kind, raw)
		return
	case eventPurged:
		c.purged(raw)
		return
	default:
		return
	}
	received := time.Now()
	p, err := decode(raw)
	if err != nil {
		c.log.Warn("unreadable discord interaction", "bytes", len(raw))
		return
	}
	switch reply := c.callback(p); c.take(p, received, reply, 0) {
	case busy:
		c.turnAway(p, reply)
	case deaf, dropped, begun:
	}
}

// lost records that a shard is disconnected.
func (c *Connector) lost(shard int, err error) {
	e, refused := errors.AsType[*platform.Error](err)
	c.mu.Lock()
	c.down[shard] = errNoLink
	if refused {
		c.down[shard] = e
	}
	c.mu.Unlock()
	level := slog.LevelWarn
	switch {
	case errors.Is(err, errReconnect):
		level = slog.LevelInfo // Discord requests this occasionally, and the session continues.
	case refused && e.Kind == platform.Misconfigured:
		level = slog.LevelError
	}
	c.log.Log(context.Background(), level, "discord gateway is closed", "shard", shard, "error", err)
}

// starts serializes session starts: each of Discord's concurrency slots accepts one at a time.
type starts struct {
	mu    sync.Mutex
	slots map[int]*slot
}

// slot is a concurrency slot, held by one shard until it has sent IDENTIFY.
type slot struct {
	held chan struct{}
	next time.Time // guarded by held
}

func (s *starts) slot(n int) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil {
		s.slots = map[int]*slot{}
	}
	if s.slots[n] == nil {
		s.slots[n] = &slot{held: make(chan struct{}, 1)}
	}
	return s.slots[n]
}

// take waits until a session may be started.
func (s *slot) take(ctx context.Context) error {
	select {
	case s.held <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	_ = wait.For(ctx, time.Until(s.next))
	if ctx.Err() != nil {
		s.leave()
		return context.Cause(ctx)
	}
	return nil
}

// begun records that IDENTIFY was sent.
func (s *slot) begun() { s.next = time.Now().Add(identifySpace) }

// leave releases the slot.
func (s *slot) leave() { <-s.held }
