package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// Shown is what an operator can see of a fault, who sees neither cards nor wires.
type Shown struct {
	// Metrics are conditions such as
	//
	//
	//	askbridge_acts_total{verdict="unsaved"} > 0
	//
	//
	// Each must hold for the sum of a replica's series at some moment before the world ends. A counter starts at 0
	// with its process, so a value above 0 means that it has increased.
	Metrics []string
	// Unaudited worlds keep no audit trail, because older versions reject records with one.
	Unaudited bool
}

// watched maps names of tests to what their worlds must show.
var watched sync.Map

// Watch requires every world of the test and its subtests to show a fault.
func Watch(tb testing.TB, s Shown) {
	tb.Helper()
	watched.Store(tb.Name(), s)
}

// shownBy returns what the worlds of a test must show, or nil.
func shownBy(tb testing.TB) *Shown {
	tb.Helper()
	for name := tb.Name(); name != ""; name = name[:max(strings.LastIndex(name, "/"), 0)] {
		if s, ok := watched.Load(name); ok {
			s := s.(Shown) //nolint:forcetypeassert // Only values of this type are stored.
			return &s
		}
	}
	return nil
}

const (
	// operatorToken may read the audit trail.
	operatorToken = "the-token-of-the-operator"
	// auditKey signs the audit trail.
	auditKey = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	// scrapeEvery is how often the metrics are read. What a killed replica counted since the last read is lost.
	scrapeEvery = 250 * time.Millisecond
	scrapeTime  = 2 * time.Second
)

// watchConfig returns the settings of a watched replica.
func (w *World) watchConfig() string {
	if w.shown == nil || w.Build != nil && w.Build.Commit != "" {
		return "" // An older program may not have these settings.
	}
	text := "metrics: {listen: 127.0.0.1:0}\n"
	if !w.shown.Unaudited {
		text += "audit: {key: " + auditKey + "}\n"
	}
	return text
}

// gauges are the conditions that have held so far.
type gauges struct {
	mu   sync.Mutex
	held map[string]bool
}

// watch reads a replica's metrics until the replica ends.
func (w *World) watch(r *Replica) {
	if w.shown == nil {
		return
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(scrapeEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.look(r)
			case <-r.exited:
				return
			case <-stop:
				return
			}
		}
	}()
	// Cleanups run in reverse order, so this runs before the process is killed.
	w.Cleanup(func() {
		w.judging.Do(w.judge)
		close(stop)
		<-done
	})
}

var metricsListen = regexp.MustCompile(`"metrics":"([^"]+)"`)

// look records the conditions that hold for a replica now.
func (w *World) look(r *Replica) {
	at := metricsListen.FindStringSubmatch(r.log.String())
	if at == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), scrapeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at[1]+"/metrics", http.NoBody)
	if err != nil {
		return
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return // The replica is paused or has ended.
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	w.gauges.mu.Lock()
	defer w.gauges.mu.Unlock()
	for _, condition := range w.shown.Metrics {
		if !w.gauges.held[condition] && holds(w.TB, string(text), condition) {
			w.gauges.held[condition] = true
		}
	}
}

var (
	conditionForm = regexp.MustCompile(`^(\w+)(?:\{(.*)\})? (>|==) (\d+)$`)
	labelForm     = regexp.MustCompile(`^(\w+)(=|!=)"([^"]*)"$`)
	seriesForm    = regexp.MustCompile(`^(\w+)(?:\{(.*)\})? (\S+)$`)
)

// holds reports whether a condition holds for the sum of the series that match it. Without a matching series it
// does not.
func holds(tb testing.TB, text, condition string) bool {
	tb.Helper()
	c := conditionForm.FindStringSubmatch(condition)
	if c == nil {
		tb.Errorf("invalid condition %q", condition)
		return false
	}
	sum, found := 0.0, false
	for line := range strings.Lines(text) {
		s := seriesForm.FindStringSubmatch(strings.TrimSpace(line))
		if s == nil || s[1] != c[1] || !fits(tb, s[2], c[2]) {
			continue
		}
		v, err := strconv.ParseFloat(s[3], 64)
		if err != nil {
			continue
		}
		sum, found = sum+v, true
	}
	bound, _ := strconv.ParseFloat(c[4], 64) // The pattern matches only digits.
	return found && (c[3] == ">" && sum > bound || c[3] == "==" && sum == bound)
}

// fits reports whether the labels of a series match a condition.
func fits(tb testing.TB, series, want string) bool {
	tb.Helper()
	if want == "" {
		return true
	}
	labels := map[string]string{}
	for pair := range strings.SplitSeq(series, ",") {
		if l := labelForm.FindStringSubmatch(pair); l != nil {
			labels[l[1]] = l[3]
		}
	}
	for pair := range strings.SplitSeq(want, ",") {
		l := labelForm.FindStringSubmatch(pair)
		if l == nil {
			tb.Errorf("invalid label %q in a condition", pair)
			return false
		}
		if (labels[l[1]] == l[3]) != (l[2] == "=") {
			return false
		}
	}
	return true
}

// judge fails the test for every condition that never held, and for an invalid audit trail. It runs before any
// replica is killed.
func (w *World) judge() {
	if w.shown == nil || w.Failed() {
		return
	}
	alive := w.mend()
	for late := time.Now().Add(patience); ; rest(context.WithoutCancel(w.Context()), scrapeEvery) {
		for _, r := range alive {
			w.look(r) // Effects of the end of the test.
		}
		if w.shownAll() || time.Now().After(late) {
			break
		}
	}
	w.gauges.mu.Lock()
	for _, condition := range w.shown.Metrics {
		if !w.gauges.held[condition] {
			w.Errorf("no metric of any replica showed the fault: %s", condition)
		}
	}
	w.gauges.mu.Unlock()
	if !w.shown.Unaudited {
		w.audit()
	}
}

// shownAll reports whether every condition has held.
func (w *World) shownAll() bool {
	w.gauges.mu.Lock()
	defer w.gauges.mu.Unlock()
	return !slices.ContainsFunc(w.shown.Metrics, func(condition string) bool { return !w.gauges.held[condition] })
}

// mend repairs what the test broke, and returns the running replicas, at least one.
func (w *World) mend() []*Replica {
	w.mu.Lock()
	all := slices.Clone(w.replicas)
	w.mu.Unlock()
	var alive []*Replica
	for _, r := range all {
		if r.Gone() {
			continue
		}
		r.Resume()
		for _, wire := range []*Wire{r.In, r.ToRedis, r.ToSlack, r.ToDiscord} {
			if wire != nil {
				wire.Heal()
			}
		}
		w.Balancer.remove(r.In.Addr)
		w.Balancer.add(r.In.Addr)
		alive = append(alive, r)
	}
	for late := time.Now().Add(patience); len(alive) == 0 && time.Now().Before(late); {
		if r, _ := w.Launch(); r != nil {
			alive = append(alive, r)
		}
	}
	return alive
}

// audit waits until the audit trail has every end exactly once, no matter which replica exported it, and verifies
// the trail.
func (w *World) audit() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), 2*patience)
	defer cancel()
	operator, err := client.New(w.Balancer.URL, &client.Options{HTTP: &http.Client{Transport: w.http}, Token: operatorToken, Tries: 1000})
	if err != nil {
		w.Error(err)
		return
	}
	ended, err := allEnded(ctx, operator)
	if err != nil {
		w.Errorf("list ended requests: %v", err)
		return
	}
	file := w.dir + "/trail.jsonl"
	var missing string
	for missing = "everything"; missing != "" && ctx.Err() == nil; {
		lines, err := trail(ctx, operator)
		if err == nil {
			err = os.WriteFile(file, lines, 0o600)
		}
		if err != nil {
			missing = err.Error()
		} else if missing = unlike(lines, ended); missing == "" && len(lines) > 0 { // After a flush of Redis the trail is empty.
			missing = w.verify(ctx, file) // The trail may have been read in the middle of a write.
		}
		if missing != "" {
			rest(ctx, 500*time.Millisecond)
		}
	}
	if missing != "" {
		w.Errorf("audit trail: %s", missing)
	}
}

// verify runs askbridge audit verify on a copy of the trail and returns its complaints, or an empty string.
func (w *World) verify(ctx context.Context, file string) string {
	out, err := exec.CommandContext(ctx, Program(w, nil), "audit", "verify", file).CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("askbridge audit verify: %v\n%s", err, out)
}

// allEnded returns the states of all ended requests by ID.
func allEnded(ctx context.Context, c *client.Client) (map[string]ask.State, error) {
	all := map[string]ask.State{}
	for cursor := ""; ; {
		page, err := c.List(ctx, client.ListQuery{State: "ended", Limit: 200, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, r := range page.Requests {
			all[r.ID] = r.State
		}
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// trail returns the whole audit trail.
func trail(ctx context.Context, c *client.Client) ([]byte, error) {
	var all []byte
	for cursor := ""; ; {
		page, err := c.Audit(ctx, client.AuditQuery{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		all = append(all, page.Trail...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// unlike describes the first difference between the ends in a trail and those of the requests, or returns an empty
// string.
func unlike(trail []byte, ended map[string]ask.State) string {
	ends := map[string][]ask.State{}
	lines := bufio.NewScanner(bytes.NewReader(trail))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Request, Kind string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			return "invalid JSON in a line: " + lines.Text()
		}
		switch state := ask.State(line.Kind); state {
		case ask.Answered, ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed:
			ends[line.Request] = append(ends[line.Request], state)
		}
	}
	for id, state := range ended {
		if got := ends[id]; len(got) != 1 || got[0] != state {
			return fmt.Sprintf("request %s ended as %s, audit trail has %q", id, state, got)
		}
	}
	return ""
}
