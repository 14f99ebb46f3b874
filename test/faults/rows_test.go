//go:build faults

package faults

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/test/golden"
)

func TestMain(m *testing.M) {
	code := m.Run()
	Remove()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// row is one fault and its expected effects.
type row struct {
	number              int
	name                string
	person, agent, kept string
	// do is what an operator should do; empty means nothing.
	do string
	// shown lists the metrics that show the fault. note adds to them.
	shown Shown
	note  string
	// builds are the variants of the program that run next to the program itself.
	builds []*Variant
	play   func(t *testing.T, c *claims)
}

// claims are the three columns of a row. Its test asserts each inside the function of that name; one that omits a
// column fails.
type claims struct {
	t *testing.T

	mu   sync.Mutex
	seen map[string]bool
}

func (c *claims) person(assert func()) { c.claim("what the person sees", assert) }
func (c *claims) agent(assert func())  { c.claim("what the agent sees", assert) }
func (c *claims) kept(assert func())   { c.claim("what is kept", assert) }

func (c *claims) claim(column string, assert func()) {
	assert()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[column] = true
}

// on runs the same on both platforms, each in its own test.
func (c *claims) on(f func(t *testing.T, platform string)) {
	for _, platform := range []string{Slack, Discord} {
		c.t.Run(platform, func(t *testing.T) {
			t.Parallel()
			f(t, platform)
		})
	}
}

// rows is the table, by number.
func rows() []row {
	all := slices.Concat(crashes(), outages(), failovers(), storeTroubles(), refusals(), platformTroubles(), repeats(), people(), oddities(), takeovers(), schedules(), changes(), filings(), floods())
	slices.SortFunc(all, func(a, b row) int { return a.number - b.number })
	return all
}

func TestFault(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		t.Run(fmt.Sprintf("row/%02d_%s", r.number, r.name), func(t *testing.T) {
			// Build before the first row runs: a compiler would slow down rows that must respond within three
			// seconds.
			for _, v := range append(r.builds, nil) {
				Program(t, v)
			}
			t.Parallel()
			c := &claims{t: t, seen: map[string]bool{}}
			t.Cleanup(func() { // After its subtests.
				if len(c.seen) != 3 && !t.Failed() {
					t.Errorf("the test asserts %d of the three columns", len(c.seen))
				}
			})
			Watch(t, r.shown)
			r.play(t, c)
		})
	}
}

const (
	page      = "../../docs/reliability.md"
	reference = "../../docs/reference/faults.md"

	tableStart = "<!-- Written by go test -tags faults -run TestPages ./test/faults -update -->\n"
	tableEnd   = "<!-- End of generated table -->\n"
)

func TestPagesListEveryFault(t *testing.T) {
	t.Parallel()
	for path, table := range map[string]string{page: effects(rows()), reference: evidence(rows())} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, started := strings.Cut(string(data), tableStart)
		_, after, ended := strings.Cut(rest, tableEnd)
		if !started || !ended {
			t.Fatalf("%s has no markers for the table", path)
		}
		golden.Check(t, path, before+tableStart+table+tableEnd+after)
	}
}

// effects is the table for readers: what breaks, what happens, what to do.
func effects(all []row) string {
	var b strings.Builder
	b.WriteString("| | What breaks | People see | The agent gets | What you should do |\n|---|---|---|---|---|\n")
	for _, r := range all {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", r.number, r.name, r.person, r.agent, cmp.Or(r.do, "nothing"))
	}
	return b.String()
}

// evidence is the table of what else each test asserts.
func evidence(all []row) string {
	var b strings.Builder
	b.WriteString("| | Kept | Metrics |\n|---|---|---|\n")
	for _, r := range all {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", r.number, r.kept, r.metrics())
	}
	return b.String()
}

// metrics is the cell with what an operator sees in the metrics.
func (r row) metrics() string {
	var all []string
	for _, condition := range r.shown.Metrics {
		all = append(all, "`"+strings.TrimPrefix(strings.TrimSuffix(condition, " > 0"), "askbridge_")+"`")
	}
	if r.note != "" {
		all = append(all, r.note)
	}
	return strings.Join(all, ", ")
}

func TestRowsAreNumberedAndWhole(t *testing.T) {
	t.Parallel()
	for n, r := range rows() {
		if r.number != n+1 || r.name == "" || r.person == "" || r.agent == "" || r.kept == "" || r.metrics() == "" || r.play == nil {
			t.Errorf("row %d is %+v", n+1, r)
		}
	}
}
