//go:build hosts

package hosts

import (
	"flag"
	"fmt"
	"testing"
)

// part picks a part of the hosts, as in 2/3. Claude Code runs in every part.
var part = flag.String("part", "1/1", "run a part of the hosts, as in 2/3; Claude Code is in every part")

// scenario is one thing that happens between a host and askbridge.
type scenario struct {
	name string
	run  func(*testing.T)
}

// hosts are all hosts with their scenarios.
var hosts = []struct {
	name      string
	scenarios []scenario
}{
	{"claude", claudeScenarios},
	{"codex", codexScenarios},
}

func TestHosts(t *testing.T) {
	t.Parallel()
	var this, parts int
	if _, err := fmt.Sscanf(*part, "%d/%d", &this, &parts); err != nil || this < 1 || this > parts {
		t.Fatalf("-part %s: want two numbers, as in 2/3", *part)
	}
	for n, host := range hosts {
		if host.name != "claude" && n%parts != this-1 {
			continue
		}
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range host.scenarios {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					s.run(t)
				})
			}
		})
	}
}
