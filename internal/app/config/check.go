package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/tokentext"
)

// maxReplicaWait leaves time for the rest of an acknowledgement.
const maxReplicaWait = 1500 * time.Millisecond

// How long a program that is shutting down still accepts calls.
const (
	shutdownDelay    = time.Second
	maxShutdownDelay = 10 * time.Second
)

// minToken is the minimum length of an agent's token: 128 bits in base64.
const minToken = 22

func (c *Config) fill() {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8080"
	}
	if c.ShutdownDelay == 0 {
		c.ShutdownDelay = Span(shutdownDelay)
	}
	if c.Log.Level == "" {
		c.Log.Level = "info"
	}
	if c.Log.Format == "" {
		c.Log.Format = "auto"
	}
	if c.Store.Type == "" {
		c.Store.Type = StoreFile
	}
	if c.Store.Path == "" && c.Store.Type == StoreFile {
		c.Store.Path = "askbridge.db"
	}
}

// check validates values. The bridge validates who may answer where, and each connector its platform's
// section.
func (c *Config) check(p *problems) {
	say := func(path, format string, args ...any) {
		// A setting that could not be read is empty here; that is not a second mistake.
		if !slices.ContainsFunc(*p, func(known Problem) bool { return known.Path == path }) {
			p.add(c.place(path), path, format, args...)
		}
	}

	c.checkRotas(say)
	checkAddress(say, "listen", c.Listen)
	if c.set("callbacks.listen") {
		checkAddress(say, "callbacks.listen", c.Callbacks.Listen)
		if c.Callbacks.Listen == c.Listen && !strings.HasSuffix(c.Listen, ":0") {
			say("callbacks.listen", "is the same as listen; leave it out to have one address for both")
		}
	}
	if c.set("metrics.listen") {
		checkAddress(say, "metrics.listen", c.Metrics.Listen)
		if !strings.HasSuffix(c.Metrics.Listen, ":0") && (c.Metrics.Listen == c.Listen || c.Metrics.Listen == c.Callbacks.Listen) {
			say("metrics.listen", "is the same as listen or callbacks.listen; metrics need their own address, which requires no token")
		}
	}
	if delay := time.Duration(c.ShutdownDelay); delay > maxShutdownDelay {
		say("shutdown_delay", "is %s; it may be at most %s", delay, maxShutdownDelay)
	}
	for n, host := range c.Hosts {
		if u, err := url.Parse("http://" + host); err != nil || host == "" || u.Host != host || u.Port() != "" {
			say(fmt.Sprintf("hosts[%d]", n), "must be a name without a port, such as askbridge.example.com")
		}
	}
	for n, proxy := range c.TrustedProxies {
		if _, err := prefixOf(proxy); err != nil {
			say(fmt.Sprintf("trusted_proxies[%d]", n), "must be an address or a network, such as 10.0.0.7 or 10.0.0.0/8")
		}
	}
	oneOf(say, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(say, "log.format", c.Log.Format, "auto", "text", "json")
	if c.MaxQuestions != 0 && (c.MaxQuestions < 1 || c.MaxQuestions > ask.MaxQuestions) {
		say("max_questions", "must be between 1 and %d", ask.MaxQuestions)
	}
	if c.MaxOptions != 0 && (c.MaxOptions < ask.DefaultMinOptions || c.MaxOptions > ask.MaxOptions) {
		say("max_options", "must be between %d and %d", ask.DefaultMinOptions, ask.MaxOptions)
	}
	if c.set("id_secret") && len(c.IDSecret.Reveal()) < minToken {
		say("id_secret", "must have at least %d characters; create one with: openssl rand -base64 32", minToken)
	}
	c.checkWebhooks(say)
	c.checkAudit(say)
	c.checkStore(say)
	c.checkEncryption(say)
	c.checkConsole(say)
	c.checkAgents(say)
}

func checkAddress(say func(path, format string, args ...any), path, address string) {
	if _, port, err := net.SplitHostPort(address); err != nil {
		say(path, "must be an address and a port, such as 127.0.0.1:8080")
	} else if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		say(path, "has no valid port; it must look like 127.0.0.1:8080")
	}
}

func (c *Config) checkStore(say func(path, format string, args ...any)) {
	s := c.Store
	oneOf(say, "store.type", s.Type, StoreFile, StoreMemory, StoreRedis)
	if s.Type != StoreFile && c.set("store.path") {
		say("store.path", "is for a store of type file")
	}
	if s.Type != StoreFile && c.set("store.backup") {
		say("store.backup", "is for a store of type file")
	}
	if s.Type == StoreFile && s.Backup != "" && filepath.Clean(s.Backup) == filepath.Clean(s.Path) {
		say("store.backup", "is the store itself; name another file")
	}
	if s.Type == StoreMemory && c.set("store.retention") {
		say("store.retention", "is for a store of type file or redis")
	}
	if s.Type != StoreRedis {
		if c.set("store.redis") {
			say("store.redis", "is for a store of type redis")
		}
		return
	}
	if s.Redis == nil || len(s.Redis.Addrs) == 0 && !s.Redis.URL.Set() {
		where := "store.redis.addrs"
		if c.set("store.redis.url") {
			where = "store.redis.url" // It may be set but unreadable.
		}
		say(where, "is missing: name at least one server, such as localhost:6379")
	}
	if s.Redis == nil {
		return
	}
	if s.Redis.URL.Set() {
		for _, key := range []string{"addrs", "master", "cluster", "db", "username", "password", "tls", "sentinel_username", "sentinel_password"} {
			if path := "store.redis." + key; c.set(path) {
				say(path, "is part of the url; set one or the other")
			}
		}
	}
	unread := c.set("store.redis.url") && !s.Redis.URL.Set()
	if s.Redis.TLSCA != "" && !s.Redis.TLS && !unread && !strings.HasPrefix(s.Redis.URL.Reveal(), "rediss:") {
		say("store.redis.tls_ca", "needs an encrypted connection: set tls, or a url with rediss")
	}
	if s.Redis.Replicas < 0 {
		say("store.redis.replicas", "must not be negative")
	}
	if wait := time.Duration(s.Redis.ReplicaWait); wait > maxReplicaWait {
		say("store.redis.replica_wait", "must be at most %s: people wait for it, and platforms wait at most three seconds", maxReplicaWait)
	}
	if s.Redis.DB < 0 || s.Redis.DB > 0 && s.Redis.Cluster {
		say("store.redis.db", "must not be negative, and a Cluster has only 0")
	}
	if s.Redis.Master == "" {
		for _, key := range []string{"sentinel_username", "sentinel_password"} {
			if path := "store.redis." + key; c.set(path) {
				say(path, "needs the name of the master that the Sentinels monitor")
			}
		}
	}
}

func (c *Config) checkAgents(say func(path, format string, args ...any)) {
	for i, a := range c.Agents {
		path := fmt.Sprintf("agents[%d]", i)
		c.checkToken(say, path+".token", a.Token)
		c.checkToken(say, path+".next_token", a.NextToken)
		for n, route := range a.Routes {
			if _, ok := c.Routes[route]; !ok {
				say(fmt.Sprintf("%s.routes[%d]", path, n), "is not a route of this file")
			}
		}
	}
	for _, p := range access.CheckAgents(c.Access()) {
		say(p.Path, "%s", p.Detail)
	}
}

// checkToken reports tokens that could be guessed, and damaged ones, which our clients refuse to send.
func (c *Config) checkToken(say func(path, format string, args ...any), path string, token Secret) {
	switch text := token.Reveal(); {
	case c.set(path) && len(text) < minToken:
		say(path, "must have at least %d characters; create one with: openssl rand -base64 32", minToken)
	case tokentext.Is(text) && tokentext.Check(text) != nil:
		say(path, "looks like a token of askbridge token create with an invalid checksum: it was truncated or mistyped; copy it again")
	}
}

func oneOf(say func(path, format string, args ...any), path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		say(path, "must be one of %s", strings.Join(allowed, ", "))
	}
}

// set reports whether the file has the key with any value.
func (c *Config) set(path string) bool {
	_, ok := c.found[path]
	return ok
}

// place returns the position of a setting, or of the nearest one around it.
func (c *Config) place(path string) position {
	for {
		if at, ok := c.found[path]; ok {
			return at
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return position{}
		}
		path = path[:i]
	}
}
