package bundle_test

import (
	"os"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/test/doctortest"
)

// Whoever looks for a finding in the guide finds it there.
func TestFindingsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/platforms/slack.md")
	if err != nil {
		t.Fatal(err)
	}
	doctortest.Explained(t, "slack", string(guide), 8)
	for _, s := range slack.Scopes() {
		if !strings.Contains(string(guide), "`"+s.Name+"`") {
			t.Errorf("the guide does not explain %s", s.Name)
		}
	}
}
