package audit

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

// The page once lacked the events of revisions, counter-questions and delegation.
func TestPageListsAllEventKinds(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operations/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../../bridge/record/trail.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{kindErased, KindCounted, KindWrote, string(ask.Answered), string(ask.Cancelled), string(ask.Expired), string(ask.Superseded), string(ask.Failed)}
	for _, found := range regexp.MustCompile(`EventKind += "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		kinds = append(kinds, found[1])
	}
	if len(kinds) < 20 {
		t.Fatalf("cannot find the kinds in the source: %q", kinds)
	}
	var rows strings.Builder
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `") {
			rows.WriteString(strings.SplitN(line, "|", 3)[1])
		}
	}
	for _, kind := range kinds {
		if !strings.Contains(rows.String(), "`"+kind+"`") {
			t.Errorf("audit page: no row for %s", kind)
		}
	}
}
