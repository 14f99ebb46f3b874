package redis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/test/redistest"
)

// calls returns how often each command has run on a server, from commandstats.
func calls(server *redistest.Server) map[string]int {
	each := map[string]int{}
	for line := range strings.Lines(server.Do("INFO", "commandstats")) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		var n int
		if _, err := fmt.Sscanf(rest, "calls=%d", &n); err == nil && name != "info" {
			each[name] = n
		}
	}
	return each
}

// BenchmarkIdle reports the load of two idle bridges on Redis, with a hundred open requests whose deadlines are
// far away. An iteration takes one minute.
func BenchmarkIdle(b *testing.B) {
	server := redistest.Start(b)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 2)
	var last *bridge.Bridge
	for range cap(ended) {
		s, err := redis.Open(ctx, redis.Options{Addrs: []string{server.Addr}})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = s.Close() }() // The bridge has ended.
		if last, err = bridge.New(s, []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, nil); err != nil {
			b.Fatal(err)
		}
		go func() { ended <- last.Run(ctx) }()
	}
	for n := range 100 {
		_, err := last.Submit(ctx, ask.Request{
			Key: fmt.Sprint(n), To: []ask.Place{{Platform: "slack", Channel: "C1"}},
			Questions: []ask.Question{{Text: "Which?", Options: []ask.Option{{Label: "a"}, {Label: "b"}}}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	<-minute.C // They have finished starting by then.
	before := calls(server)
	b.ResetTimer()
	n := 0
	for b.Loop() {
		<-minute.C
		n++
	}
	b.StopTimer()
	total, each := 0, ""
	for name, calls := range calls(server) {
		if more := calls - before[name]; more > 0 {
			total += more
			each += fmt.Sprintf(" %s %d", name, more)
		}
	}
	b.ReportMetric(float64(total)/float64(n)/60, "commands/s")
	b.Logf("in %d minutes:%s", n, each)
	cancel()
	for range cap(ended) {
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}
