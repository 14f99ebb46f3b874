package bridge_test

import (
	"flag"
	"log"
	"os"
	"testing"
)

// TestMain lets stories be played less often under the race detector, where each takes
// ten times as long. Whoever passes -rapid.checks has that many.
func TestMain(m *testing.M) {
	if underRace {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}
