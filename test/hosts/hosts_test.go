//go:build hosts

package hosts

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// part picks a part of the hosts, as in 2/3. Claude Code runs in every part.
var part = flag.String("part", "1/1", "run a part of the hosts, as in 2/3; Claude Code is in every part")

// isolatedVariable is set in the process that runs in a network namespace of its own.
const isolatedVariable = "ASKBRIDGE_HOSTS_ISOLATED"

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
	{"claude", slices.Concat(claudeScenarios, claudeQuestionScenarios, claudePermissionScenarios, claudeHeadlessScenarios, claudeFailScenarios, claudePluginScenarios)},
	{"claude-sdk", claudeSDKScenarios},
	{"codex", codexScenarios},
	{"opencode", openCodeScenarios},
	{"gemini", geminiScenarios},
	{"qwen", qwenScenarios},
	{"kimi", kimiScenarios},
	{"copilot", copilotScenarios},
	{"cline", clineScenarios},
	{"mcp", mcpScenarios},
	{"frameworks", frameworkScenarios},
	{"ai5", aiSDK("ai5")},
	{"ai6", aiSDK("ai6")},
}

// picked reports whether a host is in the part that runs.
func picked(n int) bool { return hosts[n].name == "claude" || n%parts == this-1 }

var this, parts int

// TestMain installs the hosts while there is a network, and runs them without one.
func TestMain(m *testing.M) {
	flag.Parse()
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func prepare(m *testing.M) (code int, err error) {
	if _, err := fmt.Sscanf(*part, "%d/%d", &this, &parts); err != nil || this < 1 || this > parts {
		return 0, fmt.Errorf("-part %s: want two numbers, as in 2/3", *part)
	}
	for n, host := range hosts {
		if !picked(n) {
			continue
		}
		folder, err := install(context.Background(), host.name)
		if err != nil {
			return 0, fmt.Errorf("install %s: %w", host.name, err)
		}
		installed[host.name] = folder
		if err := equip(context.Background(), host.name, folder); err != nil {
			return 0, fmt.Errorf("install %s: %w", host.name, err)
		}
	}
	if _, err := built(); err != nil {
		return 0, err
	}
	code, done, err := isolated()
	if err != nil || done {
		return code, err
	}
	code = m.Run()
	if left := leftProcesses(); len(left) > 0 {
		return 1, fmt.Errorf("processes are left after the tests:\n%s", strings.Join(left, "\n"))
	}
	if *latest {
		return code, compare()
	}
	return code, nil
}

// failed are the scenarios that failed, by host.
var failed = struct {
	sync.Mutex

	names map[string][]string
}{names: map[string][]string{}}

// compare prints the versions of each host and the scenarios in which the newest differs from the pinned one, which holds
// in all of them.
func compare() error {
	all, err := pins()
	if err != nil {
		return err
	}
	for n, host := range hosts {
		if !picked(n) {
			continue
		}
		fmt.Printf("%s: %s\n", host.name, versions(installed[host.name], all[host.name]))
		for _, name := range failed.names[host.name] {
			fmt.Printf("  differs: %s\n", name)
		}
	}
	return nil
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for n, host := range hosts {
		if !picked(n) {
			continue
		}
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range host.scenarios {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					t.Cleanup(func() {
						if t.Failed() {
							failed.Lock()
							defer failed.Unlock()
							failed.names[host.name] = append(failed.names[host.name], s.name)
						}
					})
					s.run(t)
				})
			}
		})
	}
}
