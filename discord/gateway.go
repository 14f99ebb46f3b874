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

// gateway keeps the shards connected.
type gateway struct {
	cfg    Config
	log    *slog.Logger
	api    *restAPI
	self   *identity
	event  func(kind string, data json.RawMessage)
	begun  func(shard int, servers []string) // takes the servers of a new session
	starts starts

	mu    sync.Mutex
	down  map[int]error // errors of disconnected shards
	links int64         // number of connections that became ready, over all shards
}

func newGateway(cfg Config, log *slog.Logger, api *restAPI, self *identity, event func(string, json.RawMessage), begun func(int, []string)) *gateway {
	g := &gateway{cfg: cfg, log: log, api: api, self: self, event: event, begun: begun, down: map[int]error{}}
	if cfg.Mode == ModeGateway {
		for _, id := range cfg.ShardIDs {
			g.down[id] = errNoLink
		}
	}
	return g
}

// connections returns the number of connections that became ready.
func (g *gateway) connections() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.links
}

// ready returns nil if all shards are connected.
func (g *gateway) ready() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	shards := sortedKeys(g.down)
	switch {
	case len(shards) == 0:
		return nil
	case len(g.cfg.ShardIDs) == 1:
		return g.down[shards[0]]
	}
	return fmt.Errorf("discord: shards %v: %w", shards, g.down[shards[0]])
}

// keep keeps one shard connected until ctx ends.
func (g *gateway) keep(ctx context.Context, id int) {
	s := &shard{
		id: id, count: g.cfg.ShardCount, token: g.cfg.BotToken, intents: g.cfg.intents(), log: g.log,
		open: func(data json.RawMessage) { g.opened(id, data) }, event: g.event,
	}
	for tries := 0; ctx.Err() == nil; tries++ {
		began := time.Now()
		lasted, err := g.connect(ctx, s)
		if ctx.Err() != nil {
			return
		}
		g.lost(id, err)
		if lasted >= steady {
			tries = -1 // Reconnect immediately.
		}
		pause := pauseAfter(err, tries) - time.Since(began)
		if errors.Is(err, errInvalid) {
			pause = max(pause, pauseInvalid+rand.N(pauseInvalidMore)) //nolint:gosec // Jitter is no secret.
		}
		g.rest(ctx, pause)
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
func (g *gateway) rest(ctx context.Context, pause time.Duration) {
	taken := g.api.limiter.rest.Over()
	if taken != nil {
		pause = pauseSetup
	}
	connector.Wait(ctx, taken, pause)
}

// connect runs one connection until it ends, and returns how long it was ready and why it
// ended. Resuming a session makes no API calls.
func (g *gateway) connect(ctx context.Context, s *shard) (time.Duration, error) {
	if s.resumable() {
		return g.carry(ctx, s, s.address, func() {})
	}
	s.forget()
	at, err := g.entrance(ctx)
	if err != nil {
		return 0, err
	}
	turn := g.starts.slot(s.id % max(at.Limit.Concurrency, 1))
	if err := turn.take(ctx); err != nil {
		return 0, err
	}
	free := sync.OnceFunc(turn.leave)
	defer free()
	return g.carry(ctx, s, at.URL, func() {
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
func (g *gateway) entrance(ctx context.Context) (at entrance, err error) {
	if err := g.api.do(ctx, call{op: opGateway}, route{method: http.MethodGet, path: "gateway/bot"}, &at); err != nil {
		return at, err
	}
	if at.Shards > g.cfg.ShardCount {
		g.log.Warn("discord recommends more shards", "recommended", at.Shards, "configured", g.cfg.ShardCount)
	}
	if reset := time.Duration(at.Limit.ResetAfter) * time.Millisecond; at.Limit.Remaining <= 0 && reset > 0 {
		return at, &platform.Error{
			Platform: Name, Op: opConnect, Kind: platform.RateLimited, Code: "no sessions left today", RetryAfter: reset, Err: errNotAsked,
		}
	}
	return at, nil
}

// carry dials the gateway and runs the connection until it ends.
func (g *gateway) carry(ctx context.Context, s *shard, address string, identified func()) (time.Duration, error) {
	address, err := gatewayURL(address)
	if err != nil {
		return 0, &platform.Error{Platform: Name, Op: opConnect, Kind: platform.Misconfigured, Code: "no gateway address", Err: err}
	}
	conn, err := g.dial(ctx, address)
	if err != nil {
		return 0, fmt.Errorf("discord: gateway: %w", plain(err))
	}
	return s.carry(ctx, conn, identified)
}

func (g *gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	dialer := &websocket.Dialer{HandshakeTimeout: handshakeTime, NetDialContext: g.cfg.NetDialContext}
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
func (g *gateway) opened(shard int, ready json.RawMessage) {
	var d struct {
		User        user `json:"user"`
		Application struct {
			ID string `json:"id"`
		} `json:"application"`
		Guilds []struct {
			ID string `json:"id"`
		} `json:"guilds"`
	}
	known := connector.ReadLoosely(ready, &d) == nil && snowflake.MatchString(d.User.ID) && snowflake.MatchString(d.Application.ID)
	if known {
		g.self.learn(home{application: d.Application.ID, bot: d.User.ID})
		var servers []string
		for _, in := range d.Guilds {
			servers = append(servers, in.ID)
		}
		g.begun(shard, servers)
	}
	g.mu.Lock()
	delete(g.down, shard)
	g.links++
	g.mu.Unlock()
	g.log.Info("discord gateway is open", "shard", shard, "resumed", !known)
}

// lost records that a shard is disconnected.
func (g *gateway) lost(shard int, err error) {
	e, refused := errors.AsType[*platform.Error](err)
	g.mu.Lock()
	g.down[shard] = errNoLink
	if refused {
		g.down[shard] = e
	}
	g.mu.Unlock()
	level := slog.LevelWarn
	switch {
	case errors.Is(err, errReconnect):
		level = slog.LevelInfo // Discord requests this occasionally, and the session continues.
	case refused && e.Kind == platform.Misconfigured:
		level = slog.LevelError
	}
	g.log.Log(context.Background(), level, "discord gateway is closed", "shard", shard, "error", err)
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
