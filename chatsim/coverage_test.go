package chatsim_test

import (
	"flag"
	"os"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

var update = flag.Bool("update", false, "rewrite COVERAGE.md")

func TestCoveragePageIsUpToDate(t *testing.T) {
	t.Parallel()
	want := chatsim.Markdown(slacksim.Coverage(), discordsim.Coverage())
	if *update {
		if err := os.WriteFile("COVERAGE.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("COVERAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("COVERAGE.md is out of date: go test ./chatsim -run Coverage -update")
	}
}
