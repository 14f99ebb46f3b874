package claude_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/hosts/claude"
)

// TestPluginHasTheHooksOfInstall compares the plugin with the output of "askbridge hook claude install".
func TestPluginHasTheHooksOfInstall(t *testing.T) {
	t.Parallel()
	type hooks struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	var got, want hooks
	data, err := os.ReadFile("plugin/hooks/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	install := claude.Install{Command: "askbridge", Wait: claude.DefaultWait, Permissions: true, Plans: true, Beside: true}
	change, err := install.Apply([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(change.Text, &want); err != nil {
		t.Fatal(err)
	}
	// Claude Code replaces the options in each argument and runs the program without a shell.
	args := []string{
		"hook", "claude", "plugin", "--to=${user_config.to}", "--decide=${user_config.decide}",
		"--token-file=${user_config.token_file}", "--url=${user_config.url}", "--data=${CLAUDE_PLUGIN_DATA}",
	}
	for _, entries := range want.Hooks {
		for _, entry := range entries {
			for n := range entry.Hooks {
				entry.Hooks[n].Args = args
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plugin/hooks/hooks.json (-want +got):\n%s", diff)
	}
}
