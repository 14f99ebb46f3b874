package render_test

import (
	"flag"
	"log"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain bounds the time of the properties: each example is a whole request with all of its pages and
// forms. A run tries 40 of them, and 15 under the race detector, where each takes ten times as long and
// no data race is expected. A -rapid.checks on the command line takes precedence.
func TestMain(m *testing.M) {
	checks := "40"
	if underRace {
		checks = "15"
	}
	if err := flag.Set("rapid.checks", checks); err != nil {
		log.Fatal(err)
	}
	debug.SetGCPercent(400) // The heap is small, and examples leave much garbage.
	os.Exit(m.Run())
}
