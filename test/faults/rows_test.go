//go:build faults

package faults

import (
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

// row is one fault, and what has to come of it.
type row struct {
	number              int
	name                string
	person, agent, kept string
	// shown is what of it an operator sees, who looks at metrics. Note says what else there
	// is to see, or why there is nothing.
	shown Shown
	note  string
	// also says what of it another test tries.
	also string
	// builds are the variants of the program that run beside the program itself.
	builds []*Variant
	play   func(t *testing.T, c *claims)
}

// claims are the three columns of a row. Its test asserts each inside the
// function of that name; one that leaves a column out fails.
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

// on plays the same on both platforms, each in its own test.
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

// doc is where the table stands for people.
const doc = "../../docs/reliability.md"

func TestFault(t *testing.T) {
	t.Parallel()
	var (
		mu    sync.Mutex
		holds = map[int]bool{}
	)
	t.Run("row", func(t *testing.T) {
		for _, r := range rows() {
			t.Run(fmt.Sprintf("%02d_%s", r.number, r.name), func(t *testing.T) {
				// All is built before the first row goes on: a compiler takes the time of
				// those who have three seconds to answer.
				for _, v := range append(r.builds, nil) {
					Program(t, v)
				}
				t.Parallel()
				c := &claims{t: t, seen: map[string]bool{}}
				t.Cleanup(func() { // After its subtests.
					if len(c.seen) != 3 && !t.Failed() {
						t.Errorf("the test asserts %d of the three columns", len(c.seen))
					}
					mu.Lock()
					defer mu.Unlock()
					holds[r.number] = !t.Failed()
				})
				Watch(t, r.shown)
				r.play(t, c)
			})
		}
	})
	if len(holds) < len(rows()) {
		return // Somebody runs a part only.
	}
	golden.Check(t, doc, withTable(t, holds))
}

const (
	tableBegins = "<!-- Written by go test ./test/faults -update -->\n"
	tableEnds   = "<!-- End of what is written -->\n"
)

// withTable is the document with the table as it is now.
func withTable(t *testing.T, holds map[int]bool) string {
	t.Helper()
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), tableBegins)
	_, after, ended := strings.Cut(rest, tableEnds)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table", doc)
	}
	return before + tableBegins + table(rows(), holds) + tableEnds + after
}

// operator is the column of whoever looks at metrics.
func (r row) operator() string {
	var all []string
	for _, condition := range r.shown.Metrics {
		all = append(all, "`"+strings.TrimPrefix(strings.TrimSuffix(condition, " > 0"), "askbridge_")+"`")
	}
	if r.note != "" {
		all = append(all, r.note)
	}
	return strings.Join(all, ", ")
}

// table writes the rows as Markdown.
func table(all []row, holds map[int]bool) string {
	var b strings.Builder
	b.WriteString("| # | What breaks | The person sees | The agent sees | What is kept | The operator sees | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range all {
		result := "holds"
		switch {
		case !holds[r.number]:
			result = "**fails**"
		case r.also != "":
			result = "holds; " + r.also
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s |\n", r.number, r.name, r.person, r.agent, r.kept, r.operator(), result)
	}
	return b.String()
}

func TestRowsAreNumberedAndWhole(t *testing.T) {
	t.Parallel()
	for n, r := range rows() {
		if r.number != n+1 || r.name == "" || r.person == "" || r.agent == "" || r.kept == "" || r.operator() == "" || r.play == nil {
			t.Errorf("row %d is %+v", n+1, r)
		}
	}
}

func TestTheTableSaysWhatFailed(t *testing.T) {
	t.Parallel()
	got := table([]row{
		{number: 1, name: "one", person: "p", agent: "a", kept: "k", shown: Shown{Metrics: []string{`askbridge_x_total{a="b"} > 0`, "askbridge_up == 0"}}, note: "n"},
		{number: 2, name: "two", person: "p", agent: "a", kept: "k"},
		{number: 4, name: "four", person: "p", agent: "a", kept: "k", also: "elsewhere"},
	}, map[int]bool{1: true, 4: true})
	want := "| # | What breaks | The person sees | The agent sees | What is kept | The operator sees | |\n|---|---|---|---|---|---|---|\n" +
		"| 1 | one | p | a | k | `x_total{a=\"b\"}`, `up == 0`, n | holds |\n| 2 | two | p | a | k |  | **fails** |\n" +
		"| 4 | four | p | a | k |  | holds; elsewhere |\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
