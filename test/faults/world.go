package faults

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// Setup configures a world.
type Setup struct {
	// Slack and Discord select the transport of interactions: "http", or "socket" and "gateway". Empty leaves out
	// the platform.
	Slack, Discord string
	// Redis is the address of a single server, reached through a wire. If it is empty, Store is used, and without
	// Store a file.
	Redis string
	// Prefix is the key prefix, for worlds that share a server.
	Prefix string
	// Store is the setting "store", in YAML.
	Store string
	// Config has further settings, in YAML.
	Config string
	// Clocks lists by how many seconds the replicas' clocks are ahead, used in turn. Empty means correct clocks.
	Clocks []int
	// Quiet turns off debug logs of the replicas.
	Quiet bool
	// Files limits the open files of each replica; zero means no limit.
	Files int
	// SlackOptions and DiscordOptions configure the doubles.
	SlackOptions   *slacksim.Options
	DiscordOptions *discordsim.Options
}

// World consists of doubles, a load balancer, and the replicas started so far.
type World struct {
	testing.TB

	Slack    *slacksim.Server
	Discord  *discordsim.Server
	Balancer *Balancer
	// Agent calls the replicas through the load balancer and keeps retrying.
	Agent *client.Client
	// OnMessage is the hook of all wires of future replicas.
	OnMessage Hook
	// Build is the variant for future replicas; nil means the unchanged program.
	Build *Variant

	setup  Setup
	dir    string
	http   *http.Transport
	count  atomic.Int64
	probed atomic.Bool

	shown   *Shown
	gauges  gauges
	judging sync.Once

	mu       sync.Mutex
	replicas []*Replica
	forgiven []string
}

// NewWorld creates a world without replicas.
func NewWorld(tb testing.TB, s Setup) *World {
	tb.Helper()
	w := &World{TB: tb, setup: s, dir: tb.TempDir(), http: &http.Transport{MaxIdleConnsPerHost: 256}, shown: shownBy(tb), gauges: gauges{held: map[string]bool{}}}
	tb.Cleanup(func() {
		if tb.Failed() {
			w.dump()
		}
	})
	if s.Slack != "" {
		w.Slack = slacksim.New(s.SlackOptions)
		w.guard(w.Slack)
		if _, err := w.Slack.Listen("127.0.0.1:0"); err != nil {
			tb.Fatal(err)
		}
	}
	if s.Discord != "" {
		w.Discord = discordsim.New(s.DiscordOptions)
		w.guard(w.Discord)
		if _, err := w.Discord.Listen("127.0.0.1:0"); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(w.http.CloseIdleConnections)
	w.Balancer = newBalancer(tb)
	w.deliver(w.Balancer.URL)
	agent, err := client.New(w.Balancer.URL, &client.Options{HTTP: &http.Client{Transport: w.http}, Token: agentToken, Tries: 1000})
	if err != nil {
		tb.Fatal(err)
	}
	w.Agent = agent
	return w
}

// unheard lists the rules that are violated when no replica can respond.
var unheard = []string{"ack.status", "ack.in_time", "endpoint.status"}

// Forgive allows violations of rules. Killing a replica implicitly forgives violations for interactions that only
// it could have answered.
func (w *World) Forgive(rules ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgiven = append(w.forgiven, rules...)
}

// guard closes a double at the end of the test, and fails the test for every violation that is not forgiven.
func (w *World) guard(sim chatsim.Sim) {
	w.Cleanup(func() {
		_ = sim.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, v := range sim.Ledger().All() {
			if !slices.Contains(w.forgiven, v.Rule) {
				w.Errorf("%s double: rule violated: %v", sim.Platform(), v)
			}
		}
	})
}

// dump logs what happened if the test failed.
func (w *World) dump() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.replicas {
		w.Logf("replica %d:\n%s", r.number, last(r.log.String(), 6000))
	}
	for _, sim := range w.sims() {
		w.Logf("%s:\n%s", sim.Platform(), last(sim.Timeline().String(), 6000))
	}
}

// Lines returns the log lines of all replicas that contain a text, by time.
func (w *World) Lines(text string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, r := range w.replicas {
		for line := range strings.Lines(r.log.String()) {
			if strings.Contains(line, text) {
				all = append(all, strings.TrimSpace(line))
			}
		}
	}
	slices.Sort(all) // Each line begins with its time.
	return all
}

func last(text string, most int) string { return text[max(0, len(text)-most):] }

func (w *World) sims() []chatsim.Sim {
	var all []chatsim.Sim
	if w.Slack != nil {
		all = append(all, w.Slack)
	}
	if w.Discord != nil {
		all = append(all, w.Discord)
	}
	return all
}

// deliver makes the platforms send interactions to an address.
func (w *World) deliver(url string) {
	client := &http.Client{Transport: w.http}
	if w.setup.Slack == "http" {
		w.Slack.DeliverTo(url+provider.Callback("slack"), client)
	}
	if w.setup.Discord == "http" {
		w.Discord.DeliverTo(url+provider.Callback("discord"), client)
	}
}

// Enter registers Discord's endpoint again if Discord has removed it: Discord also sends forged clicks, and a
// replica that is killed during one has not rejected it.
func (w *World) Enter() {
	if w.setup.Discord == "http" && w.Discord.Endpoint() == "" {
		w.Forgive("endpoint.signature", "endpoint.ping")
		w.deliver(w.Balancer.URL)
	}
}

// Replica is one process of askbridge serve.
type Replica struct {
	*process

	// URL is the address of this replica only; Agent is its client.
	URL   string
	Agent *client.Client
	// Address is where the process listens, without a wire in between.
	Address string
	// Wires of the replica; nil for connections that it does not have.
	In, ToRedis, ToSlack, ToDiscord *Wire

	w      *World
	number int64
}

// outage is how long a replica may be without its store at the start: on a busy machine Sentinels may need several
// attempts to elect a master.
const outage = 3 * time.Minute

// Start runs a replica and waits until it is ready. If it exits because it cannot reach its store, Start runs it
// again after a pause, as a process supervisor does.
func (w *World) Start() *Replica {
	w.Helper()
	late := time.Now().Add(outage)
	r, output := w.Launch()
	for r == nil {
		if !strings.Contains(output, "store unavailable") || time.Now().After(late) {
			w.Fatalf("askbridge serve ended:\n%s", output)
		}
		rest(w.Context(), time.Second)
		r, output = w.Launch()
	}
	r.AwaitReady()
	w.probe()
	return r
}

// probe lets Discord verify the endpoint now, as on registration, and not before the first click.
func (w *World) probe() {
	w.Helper()
	if w.setup.Discord != "http" || w.probed.Swap(true) {
		return
	}
	if err := w.Discord.Verify(w.Context()); err != nil {
		w.Fatalf("discord rejects the endpoint: %v", err)
	}
}

// Launch runs a replica until it listens. If it exits before that, it returns nil and the output.
func (w *World) Launch() (r *Replica, output string) {
	w.Helper()
	number := w.count.Add(1)
	r = &Replica{w: w, number: number}
	dir := filepath.Join(w.dir, fmt.Sprint(number))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.Fatal(err)
	}
	file := filepath.Join(dir, "askbridge.yaml")
	if err := os.WriteFile(file, []byte(w.config(r)), 0o600); err != nil {
		w.Fatal(err)
	}
	address := make(chan string, 1)
	build, ahead := w.Build, 0
	if clocks := w.setup.Clocks; len(clocks) > 0 {
		build, ahead = clocked(w), clocks[int(number)%len(clocks)]
	}
	command := []string{Program(w, build), "serve", "--config", file}
	if w.setup.Files > 0 {
		command = slices.Concat([]string{"/bin/sh", "-c", `ulimit -n "$0" && exec "$@"`, fmt.Sprint(w.setup.Files)}, command)
	}
	cmd := exec.CommandContext(context.WithoutCancel(w.Context()), command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprint(aheadBy, "=", ahead))
	r.process = run(w, cmd, func(line []byte) {
		if at, by := listening(line); at != "" {
			if off := by - time.Duration(ahead)*time.Second; build != w.Build && off.Abs() > 10*time.Second {
				w.Errorf("the clock of replica %d is off by %s, want %d seconds", number, by, ahead)
			}
			address <- at
		}
	})
	var at string
	select {
	case at = <-address:
	case <-r.exited:
		return nil, r.log.String()
	case <-time.After(patience):
		w.Fatalf("askbridge serve does not listen:\n%s", r.log.String())
	}
	r.Address = at
	r.In = w.wire("replica", func() string { return at })
	r.URL = "http://" + r.In.Addr
	agent, err := client.New(r.URL, &client.Options{HTTP: &http.Client{Transport: w.http}, Token: agentToken, Tries: 1})
	if err != nil {
		w.Fatal(err)
	}
	r.Agent = agent
	w.watch(r)
	w.mu.Lock()
	w.replicas = append(w.replicas, r)
	w.mu.Unlock()
	w.Balancer.add(r.In.Addr)
	return r, ""
}

func (w *World) wire(name string, to func() string) *Wire {
	wire := NewWire(w, name, to)
	if w.OnMessage != nil {
		wire.On(w.OnMessage)
	}
	return wire
}

// agentToken is the token of all agents of a world.
const agentToken = "the-token-of-all-agents"

// config writes the configuration of a replica and creates its wires.
func (w *World) config(r *Replica) string {
	var text strings.Builder
	level := "debug"
	if w.setup.Quiet {
		level = "info"
	}
	fmt.Fprintf(&text, "listen: 127.0.0.1:0\nlog: {level: %s, format: json}\nid_secret: one-secret-for-all-the-replicas\n", level)
	limits := ", calls_per_minute: 1000000, max_waits: 100000"
	if w.Build != nil {
		limits = "" // An older program may not have these settings.
	}
	watching := w.watchConfig()
	operator := ""
	if watching != "" {
		operator = ", {name: operator, tenant: deploy-bot, token: " + operatorToken + ", scopes: [admin]}"
	}
	fmt.Fprintf(&text, "agents: [{name: deploy-bot, token: %s%s}%s]\n%s", agentToken, limits, operator, watching)
	text.WriteString(w.setup.Config)
	behind := func(url string) func() string {
		host := strings.TrimPrefix(url, "http://")
		return func() string { return host }
	}
	if w.Slack != nil {
		r.ToSlack = w.wire("slack", behind(w.Slack.URL()))
		fmt.Fprintf(&text, "slack: {bot_token: xoxb-sim, app_token: xapp-sim, signing_secret: %q, mode: %s, api_url: %q}\n",
			w.Slack.SigningSecret(), w.setup.Slack, "http://"+r.ToSlack.Addr+"/api/")
	}
	if w.Discord != nil {
		r.ToDiscord = w.wire("discord", behind(w.Discord.URL()))
		fmt.Fprintf(&text, "discord: {bot_token: discord-sim-token, public_key: %q, mode: %s, api_url: %q}\n",
			w.Discord.PublicKey(), w.setup.Discord, "http://"+r.ToDiscord.Addr+"/api")
	}
	switch {
	case w.setup.Redis != "":
		r.ToRedis = w.wire("redis", func() string { return w.setup.Redis })
		fmt.Fprintf(&text, "store: {type: redis, redis: {addrs: [%q], prefix: %q}}\n", r.ToRedis.Addr, cmp.Or(w.setup.Prefix, "ab"))
	case w.setup.Store != "":
		fmt.Fprintf(&text, "store: %s\n", w.setup.Store)
	default:
		fmt.Fprintf(&text, "store: {type: file, path: %q}\n", filepath.Join(w.dir, "askbridge.db"))
	}
	return text.String()
}

// AwaitReady waits until the replica is ready.
func (r *Replica) AwaitReady() {
	r.w.Helper()
	late := time.Now().Add(outage)
	for status, output := r.asks(); status != http.StatusOK; status, output = r.asks() {
		if r.Gone() {
			r.w.Fatalf("askbridge serve ended:\n%s", r.log.String())
		}
		if time.Now().After(late) {
			r.w.Fatalf("the replica does not become ready: %d %s", status, output)
		}
		rest(r.w.Context(), 20*time.Millisecond)
	}
}

// Ready returns the status of the readiness check, or zero without a response.
func (r *Replica) Ready() int {
	status, _ := r.asks()
	return status
}

func (r *Replica) asks() (status int, body string) {
	req, err := http.NewRequestWithContext(r.w.Context(), http.MethodGet, r.URL+"/readyz", nil)
	if err != nil {
		return 0, err.Error()
	}
	resp, err := r.w.http.RoundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body) // Only used in messages.
	return resp.StatusCode, string(data)
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Kill sends SIGKILL and waits until the process has ended.
func (r *Replica) Kill() {
	r.Strike()
	<-r.exited
}

// Strike sends SIGKILL from within a hook, which must not wait.
func (r *Replica) Strike() {
	r.w.Forgive(unheard...)
	r.w.Balancer.remove(r.In.Addr)
	r.signal(syscall.SIGKILL)
}

// Terminate stops the process as a deployment does: the load balancer removes it first. It returns the exit code
// and how long it took.
func (r *Replica) Terminate() (int, time.Duration) {
	if r.w.shown != nil {
		r.w.look(r) // The replica may have ended before the first scrape.
	}
	began := time.Now()
	r.w.Balancer.remove(r.In.Addr)
	r.end(syscall.SIGTERM)
	return r.cmd.ProcessState.ExitCode(), time.Since(began)
}

// Gone reports whether the process has ended.
func (r *Replica) Gone() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// Dies waits until the process has ended.
func (r *Replica) Dies() {
	r.w.Helper()
	Await(r.w, "the replica to be killed", r.Gone)
}

// Pause stops the process.
func (r *Replica) Pause() {
	r.w.Forgive(unheard...)
	r.signal(syscall.SIGSTOP)
}

// Resume continues a paused process.
func (r *Replica) Resume() { r.signal(syscall.SIGCONT) }

// Logged reports whether the replica's log contains the text.
func (r *Replica) Logged(text string) bool { return strings.Contains(r.log.String(), text) }

// TakesClicks routes the interactions of both platforms to this replica.
func (r *Replica) TakesClicks() {
	r.w.Helper()
	r.w.deliver(r.URL)
	r.w.probed.Store(false)
	r.w.probe()
}
