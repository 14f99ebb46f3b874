package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Scenario is a named group of figures.
type Scenario struct {
	Name string
	Run  func(*Suite, context.Context) ([]Figure, error)
}

// Scenarios lists all scenarios in the order of the report.
var Scenarios = []Scenario{
	{"redis", (*Suite).Cost},
	{"latency", (*Suite).Latency},
	{"processor", (*Suite).Processor},
	{"waiting", (*Suite).Waiting},
	{"pending", (*Suite).Pending},
}

// Command returns the command that measures only this scenario.
func (s Scenario) Command() string { return "make bench BENCH=" + s.Name }

// Section formats the report of a scenario.
func Section(ctx context.Context, s Scenario, figures []Figure, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s, in %s, on %s.\n\n", s.Command(), time.Now().UTC().Format(time.DateOnly), took.Round(time.Second), machine(ctx))
	b.WriteString("| figure | measured | asked for | | how it came about |\n|---|---|---|---|---|\n")
	for _, f := range figures {
		b.WriteString(f.Row() + "\n")
	}
	for _, c := range Charts(figures) {
		fmt.Fprintf(&b, "\n![%s: the figures above](%s)\n", c.Name, c.File())
	}
	b.WriteString("\n")
	return b.String()
}

// machine describes the machine that runs the benchmark.
func machine(ctx context.Context) string {
	model, memory := "an unknown processor", ""
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
			}
		}
	}
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb int64
		if _, err := fmt.Sscanf(string(data), "MemTotal: %d", &kb); err == nil {
			memory = fmt.Sprintf(", %d GiB", (kb+(1<<19))>>20)
		}
	}
	redis := "an unknown Redis"
	if out, err := exec.CommandContext(ctx, "redis-server", "--version").Output(); err == nil {
		for word := range strings.FieldsSeq(string(out)) {
			if v, ok := strings.CutPrefix(word, "v="); ok {
				redis = "Redis " + v
			}
		}
	}
	load := ""
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(data), " ")
		load = "; load average at the end " + load
	}
	return fmt.Sprintf("%d × %s%s, %s %s, %s without persistence%s", runtime.NumCPU(), model, memory, runtime.Version(), runtime.GOOS, redis, load)
}
