package bundle_test

import (
	"os"
	"testing"

	"github.com/askbridge/askbridge/test/doctortest"
)

// Every finding must be in the guide.
func TestFindingsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/platforms/discord.md")
	if err != nil {
		t.Fatal(err)
	}
	doctortest.Explained(t, "discord", string(guide), 8)
}
