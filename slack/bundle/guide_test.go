package bundle_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/test/doctortest"
)

// Every finding must be in the guide.
func TestFindingsAreDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/platforms/slack.md")
	if err != nil {
		t.Fatal(err)
	}
	doctortest.Explained(t, "slack", string(guide), 8)
	for _, s := range slices.Concat(slack.Scopes(), slack.SetupScopes()) {
		if !strings.Contains(string(guide), "`"+s.Name+"`") {
			t.Errorf("the guide does not explain %s", s.Name)
		}
	}
	for _, f := range slack.Features() {
		if f.Switch != "" && !strings.Contains(string(guide), "`--"+f.Switch+"`") {
			t.Errorf("the guide does not explain --%s", f.Switch)
		}
	}
}
