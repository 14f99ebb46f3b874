package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

const (
	// pauseSetup parts tries when the gateway itself refuses us, each of which is
	// one of the 1,000 a day
	// (https://docs.discord.com/developers/events/gateway#identifying).
	pauseSetup = 5 * time.Minute
	// pauseMost is the longest pause while Discord cannot be reached. With jitter
	// it keeps a day of broken connections below those 1,000.
	pauseMost = 3 * time.Minute
	// steady is how long a connection has to last to be called good.
	steady = time.Minute
	// handshakeTime bounds opening the websocket.
	handshakeTime = 10 * time.Second
	// identifySpace parts two sessions that identify
	// (https://docs.discord.com/developers/events/gateway#rate-limiting).
	identifySpace = 5 * time.Second
)

const opConnect = "Gateway"

// refusals are the gateway's words for what will not get better by itself; see
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
var refusals = map[int]string{
	4004: "authentication failed",
	4010: "invalid shard",
	4011: "sharding required: set shard_count",
	4012: "invalid api version",
	4013: "invalid intents",
	4014: "disallowed intents",
}

// entrance is what Discord says about its gateway.
type entrance struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  struct {
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // in milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// gateway keeps one shard connected until ctx ends.
func (c *Connector) gateway(ctx context.Context, shard int) {
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for tries := 0; ctx.Err() == nil; tries++ {
		began := time.Now()
		lasted, err := c.connect(ctx, shard, &sessions)
		if ctx.Err() != nil {
			return
		}
		c.lost(shard, err)
		if lasted >= steady {
			tries = -1 // The next one comes at once.
			continue
		}
		connector.Wait(ctx, nil, pauseAfter(err, tries)-time.Since(began))
	}
}

// pauseAfter is how long two tries are apart.
func pauseAfter(err error, tries int) time.Duration {
	pause := connector.Backoff(tries, pauseMost)
	e, ok := errors.AsType[*bridge.PlatformError](err)
	switch {
	case !ok:
	case e.Kind == bridge.Setup && e.Op == opConnect:
		pause = pauseSetup
	case e.Kind == bridge.Setup:
		pause = connector.PauseRefused
	case e.Kind == bridge.Patience:
		pause = max(pause, e.RetryAfter)
	}
	return pause
}

// connect opens one connection, carries it to its end, and returns how long it
// was good and why it ended.
func (c *Connector) connect(ctx context.Context, shard int, sessions *sync.WaitGroup) (time.Duration, error) {
	var at entrance
	if err := c.do(ctx, call{op: opGateway}, route{method: http.MethodGet, path: "gateway/bot"}, &at); err != nil {
		return 0, err
	}
	address, err := gatewayURL(at.URL)
	if err != nil {
		return 0, &bridge.PlatformError{Platform: Name, Op: opGateway, Kind: bridge.Setup, Code: "no gateway address", Err: err}
	}
	if at.Shards > c.cfg.ShardCount {
		c.log.Warn("discord recommends more shards", "recommended", at.Shards, "configured", c.cfg.ShardCount)
	}
	if reset := time.Duration(at.Limit.ResetAfter) * time.Millisecond; at.Limit.Remaining <= 0 && reset > 0 {
		return 0, &bridge.PlatformError{
			Platform: Name, Op: opConnect, Kind: bridge.Patience, Code: "no sessions left today", RetryAfter: reset, Err: errNotAsked,
		}
	}
	if !c.pace.turn(ctx, shard%max(at.Limit.Concurrency, 1)) {
		return 0, ctx.Err()
	}
	remote, err := c.dial(ctx, address)
	if err != nil {
		return 0, fmt.Errorf("discord: gateway: %w", plain(err))
	}
	w := newWire(remote, func() {
		c.log.Info("discord gateway is open", "shard", shard)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.down, shard)
	})
	session, err := c.session(shard)
	if err != nil {
		_ = remote.Close() // Nothing has been said over it.
		return 0, err
	}
	return w.carry(ctx, session, sessions)
}

func (c *Connector) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	dialer := &websocket.Dialer{HandshakeTimeout: handshakeTime, NetDialContext: c.cfg.NetDialContext}
	if dialer.NetDialContext == nil {
		dialer.Proxy = http.ProxyFromEnvironment
	}
	remote, resp, err := dialer.DialContext(ctx, address, http.Header{"User-Agent": {userAgent}})
	if err != nil && resp != nil {
		_ = resp.Body.Close() // The status says enough.
	}
	return remote, err
}

// gatewayURL adds the version to the gateway's address.
func gatewayURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "wss" && u.Scheme != "ws") {
		return "", errors.New("discord: not a websocket address")
	}
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = url.Values{"v": {dgo.APIVersion}, "encoding": {"json"}}.Encode()
	return u.String(), nil
}

// session returns a fresh discordgo session for a shard.
func (c *Connector) session(shard int) (*dgo.Session, error) {
	s, err := newSession(c.cfg.BotToken)
	if err != nil {
		return nil, err
	}
	s.ShardID, s.ShardCount = shard, c.cfg.ShardCount
	// discordgo's own types fail on a component they do not know, so only the raw
	// event is used.
	s.AddHandler(func(_ *dgo.Session, e *dgo.Event) {
		if e.Type == "INTERACTION_CREATE" {
			c.heard(e.RawData)
		}
	})
	return s, nil
}

// heard deals with an interaction from the gateway. What is not ours may belong
// to another program of the same bot, so it is left alone.
func (c *Connector) heard(raw []byte) {
	received := time.Now()
	p, err := decode(raw)
	if err != nil {
		c.log.Warn("unreadable discord interaction", "bytes", len(raw))
		return
	}
	c.take(p, received, c.callback(p), 0)
}

// lost takes note that a shard is not connected.
func (c *Connector) lost(shard int, err error) {
	c.mu.Lock()
	c.down[shard] = errNoLink
	if e, ok := errors.AsType[*bridge.PlatformError](err); ok {
		c.down[shard] = e
	}
	c.mu.Unlock()
	log := c.log.Warn
	if e, ok := errors.AsType[*bridge.PlatformError](err); ok && e.Kind == bridge.Setup {
		log = c.log.Error
	}
	log("discord gateway is closed", "shard", shard, "error", err)
}

// pace parts sessions that identify. Those in different slots need not wait for
// each other.
type pace struct {
	mu   sync.Mutex
	next map[int]time.Time
}

// turn waits until a session may identify, and reports whether it came to that.
func (p *pace) turn(ctx context.Context, slot int) bool {
	p.mu.Lock()
	now := time.Now()
	at := now
	if p.next[slot].After(now) {
		at = p.next[slot]
	}
	if p.next == nil {
		p.next = map[int]time.Time{}
	}
	p.next[slot] = at.Add(identifySpace)
	p.mu.Unlock()
	if at.After(now) {
		connector.Wait(ctx, nil, at.Sub(now))
	}
	return ctx.Err() == nil
}
