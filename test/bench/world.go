package bench

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// Suite runs scenarios. Create one with [Open].
type Suite struct {
	*programs

	// Profiles is a folder for CPU profiles of the product, or empty.
	Profiles string

	size Size
	made int
	log  func(format string, args ...any)
}

// Size sets how much a scenario does; see [Full] and [Tiny].
type Size struct {
	Rounds    int // Of floor and product each.
	Lives     int // In each round, at Rate per second.
	Rate      int
	Crowd     int // Concurrent life-cycles for processor time.
	CrowdLife int // Life-cycles of such a round.
	Warm      int // Uncounted life-cycles of a peer.
	Requests  int // Pending requests for the memory per request.
	Idle      time.Duration
	Waiters   []int // Numbers of waiting agents.
	Pending   []int // Numbers of pending requests.
}

// Full is the size for docs/performance.md; Tiny only shows that a scenario runs.
var (
	Full = Size{
		Rounds: 5, Lives: 500, Rate: 100, Crowd: 64, CrowdLife: 3000, Warm: 10_000, Requests: 4000, Idle: 25 * time.Second,
		Waiters: []int{1000, 10_000}, Pending: []int{1, 1000, 100_000, 1_000_000},
	}
	Tiny = Size{
		Rounds: 1, Lives: 10, Rate: 100, Crowd: 4, CrowdLife: 20, Warm: 20, Requests: 50, Idle: 100 * time.Millisecond,
		Waiters: []int{10, 20}, Pending: []int{1, 40},
	}
)

// Open builds the programs. Log receives progress messages and may be nil.
func Open(ctx context.Context, size Size, log func(format string, args ...any)) (*Suite, error) {
	if log == nil {
		log = func(string, ...any) {}
	}
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..")
	if err := peersInstalled(root); err != nil {
		return nil, err
	}
	p, err := build(ctx, root)
	if err != nil {
		return nil, err
	}
	return &Suite{programs: p, size: size, log: log}, nil
}

// Close removes the built programs.
func (s *Suite) Close() { s.remove() }

// fixture is one bridge, floor or product, with Redis, platforms and a person.
type fixture struct {
	*process

	kind   string
	redis  *database
	chat   *fastchat.Server
	person *person
	agent  *http.Client
	url    string
	args   []string
	// gateway is set if clicks arrive over Discord's gateway.
	gateway bool

	marks    atomic.Int64
	mu       sync.Mutex
	expected map[int]chan fastchat.Post
	ends     []func()
}

// setting is what differs between fixtures.
type setting struct {
	program string
	kind    string
	redis   *database // Of another fixture; nil starts a new one.
	proxy   func(ctx context.Context, addr string) (string, func(), error)
	args    []string
	gateway bool
}

// world starts a fixture. The caller must close it.
func (s *Suite) world(ctx context.Context, o setting) (w *fixture, err error) {
	w = &fixture{
		kind: o.kind, gateway: o.gateway,
		person: newPerson(o.kind), agent: newClient(), expected: map[int]chan fastchat.Post{},
	}
	made := w // On errors w is nil.
	defer func() {
		if err != nil {
			made.close()
		}
	}()
	if w.redis = o.redis; w.redis == nil {
		if w.redis, err = startRedis(ctx); err != nil {
			return nil, err
		}
		w.ends = append(w.ends, w.redis.close)
	}
	if w.chat, err = fastchat.Start(ctx, fastchat.Options{
		Posted: w.posted, Key: w.person.public(),
	}); err != nil {
		return nil, err
	}
	w.ends = append(w.ends, w.chat.Close)
	redis := w.redis.addr
	if o.proxy != nil {
		addr, stop, err := o.proxy(ctx, redis)
		if err != nil {
			return nil, err
		}
		redis = addr
		w.ends = append(w.ends, stop)
	}
	w.args = append([]string{"--platform", o.kind, "--redis", redis, "--url", w.api(), "--key", w.person.public()}, o.args...)
	if s.Profiles != "" && o.program == s.unpaced {
		s.made++
		w.args = append(w.args, "-cpuprofile", filepath.Join(s.Profiles, fmt.Sprintf("%02d-%s.pprof", s.made, o.kind)))
	}
	if w.process, err = start(ctx, nil, o.program, w.args...); err != nil {
		return nil, err
	}
	w.ends = append(w.ends, w.stop)
	addr, err := w.listening(ctx)
	w.url = "http://" + addr
	return w, err
}

func (w *fixture) api() string {
	if w.kind == "discord" {
		return w.chat.Discord()
	}
	return w.chat.Slack()
}

func (w *fixture) close() {
	for _, end := range slices.Backward(w.ends) {
		end()
	}
	w.ends = nil
	w.agent.CloseIdleConnections()
	w.person.http.CloseIdleConnections()
}

// expect returns a new mark for a question and a channel that receives its card.
func (w *fixture) expect() (int, <-chan fastchat.Post) {
	mark, c := int(w.marks.Add(1)), make(chan fastchat.Post, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected[mark] = c
	return mark, c
}

func (w *fixture) posted(p fastchat.Post) {
	w.mu.Lock()
	c := w.expected[p.Mark]
	delete(w.expected, p.Mark)
	w.mu.Unlock()
	if c != nil {
		c <- p
	}
}
