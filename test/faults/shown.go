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

// Shown is what of a fault an operator can look at, who sees neither cards nor wires.
type Shown struct {
	// Metrics are conditions such as
	//
	//	askbridge_acts_total{verdict="unsaved"} > 0
	//
	// each of which has to hold for the sum of a replica's series at some moment before
	// the end of the world. A counter begins at 0 with its process, so above 0 is moved.
	Metrics []string
	// Unaudited worlds keep no trail, since older versions refuse records with one.
	Unaudited bool
}

// watched says by the name of a test what its worlds have to show.
var watched sync.Map

// Watch has every world that the test and its subtests make show something.
func Watch(tb testing.TB, s Shown) {
	tb.Helper()
	watched.Store(tb.Name(), s)
}

// shownBy is what the worlds of a test have to show; nil where nobody asked.
func shownBy(tb testing.TB) *Shown {
	tb.Helper()
	for name := tb.Name(); name != ""; name = name[:max(strings.LastIndex(name, "/"), 0)] {
		if s, ok := watched.Load(name); ok {
			s := s.(Shown) //nolint:forcetypeassert // Nothing else is stored.
			return &s
		}
	}
	return nil
}

const (
	// operatorToken is what reads the trail.
	operatorToken = "the-token-of-the-operator"
	// auditKey signs it.
	auditKey = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	// scrapeEvery is how often the metrics are looked at. A replica that is killed takes
	// with it what nobody has looked at.
	scrapeEvery = 250 * time.Millisecond
	scrapeTime  = 2 * time.Second
)

// watchConfig are the settings of a replica that is watched.
func (w *World) watchConfig() string {
	if w.shown == nil || w.Build != nil && w.Build.Commit != "" {
		return "" // An older program may not know them.
	}
	text := "metrics: {listen: 127.0.0.1:0}\n"
	if !w.shown.Unaudited {
		text += "audit: {key: " + auditKey + "}\n"
	}
	return text
}

// gauges are what a world has been seen to show.
type gauges struct {
	mu   sync.Mutex
	held map[string]bool
}

// watch looks at a replica's metrics until it is gone.
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
	// Before the process is killed, whose end was put off earlier.
	w.Cleanup(func() {
		w.judging.Do(w.judge)
		close(stop)
		<-done
	})
}

var metricsListen = regexp.MustCompile(`"metrics":"([^"]+)"`)

// look takes note of the conditions that hold for a replica now.
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
		return // It is paused, or gone.
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

// holds reports whether a condition holds for the sum of the series that fit it. One that
// no series fits does not.
func holds(tb testing.TB, text, condition string) bool {
	tb.Helper()
	c := conditionForm.FindStringSubmatch(condition)
	if c == nil {
		tb.Errorf("%q is no condition", condition)
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
	bound, _ := strconv.ParseFloat(c[4], 64) // The form has digits there.
	return found && (c[3] == ">" && sum > bound || c[3] == "==" && sum == bound)
}

// fits reports whether the labels of a series are as a condition wants them.
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
			tb.Errorf("%q is no label of a condition", pair)
			return false
		}
		if (labels[l[1]] == l[3]) != (l[2] == "=") {
			return false
		}
	}
	return true
}

// judge fails the test for every metric that did not show the fault, and for a trail that
// does not hold. It runs while what it asks still does, and before any replica is killed.
func (w *World) judge() {
	if w.shown == nil || w.Failed() {
		return
	}
	alive := w.mend()
	for late := time.Now().Add(patience); ; rest(context.WithoutCancel(w.Context()), scrapeEvery) {
		for _, r := range alive {
			w.look(r) // What came of the end.
		}
		if w.shownAll() || time.Now().After(late) {
			break
		}
	}
	w.gauges.mu.Lock()
	for _, condition := range w.shown.Metrics {
		if !w.gauges.held[condition] {
			w.Errorf("no replica showed it to an operator: %s", condition)
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

// mend ends what the test broke, and returns the replicas that live: one at least.
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

// audit waits until every end stands in the trail once, by the exporter of whichever
// replica lives, and has the program verify all of it.
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
		w.Errorf("the ended requests: %v", err)
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
		} else if missing = unlike(lines, ended); missing == "" && len(lines) > 0 { // A Redis that was flushed has none.
			missing = w.verify(ctx, file) // What is written meanwhile may be read in part.
		}
		if missing != "" {
			rest(ctx, 500*time.Millisecond)
		}
	}
	if missing != "" {
		w.Errorf("the trail: %s", missing)
	}
}

// verify says what the program finds wrong with a copy of the trail; empty for nothing.
func (w *World) verify(ctx context.Context, file string) string {
	out, err := exec.CommandContext(ctx, Program(w, nil), "audit", "verify", file).CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("askbridge audit verify: %v\n%s", err, out)
}

// allEnded are the ended requests by their id.
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

// trail reads all of it.
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

// unlike says how the ends in a trail differ from those of the requests; empty for not at all.
func unlike(trail []byte, ended map[string]ask.State) string {
	ends := map[string][]ask.State{}
	lines := bufio.NewScanner(bytes.NewReader(trail))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Request, Kind string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			return "a line is no JSON: " + lines.Text()
		}
		switch state := ask.State(line.Kind); state {
		case ask.Answered, ask.Cancelled, ask.Expired, ask.Superseded, ask.Failed:
			ends[line.Request] = append(ends[line.Request], state)
		}
	}
	for id, state := range ended {
		if got := ends[id]; len(got) != 1 || got[0] != state {
			return fmt.Sprintf("request %s ended as %s, and the trail says %q", id, state, got)
		}
	}
	return ""
}
