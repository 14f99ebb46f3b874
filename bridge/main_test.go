package bridge_test

import (
	"flag"
	"log"
	"os"
	"testing"
)

// TestMain runs fewer random stories under the race detector, where each takes ten times as long. The flag
// -rapid.checks overrides the number.
func TestMain(m *testing.M) {
	if underRace {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}
