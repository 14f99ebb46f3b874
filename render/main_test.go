package render_test

import (
	"flag"
	"log"
	"os"
	"testing"
)

// TestMain lets properties be tried on fewer requests under the race detector,
// where each takes ten times as long: what they look for is no race. Whoever
// passes -rapid.checks has that many.
func TestMain(m *testing.M) {
	if underRace {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}
