package claude_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/hosts/claude"
	"github.com/askbridge/askbridge/test/golden"
)

const others = `{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done <now>"
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "lint"
          }
        ]
      }
    ]
  },
  "cleanupPeriodDays": 30
}
`

func install() *claude.Install {
	return &claude.Install{Command: "/usr/bin/askbridge hook claude --to=slack:C0000001", Wait: 12 * time.Hour}
}

func TestInstallingTwiceIsInstallingOnce(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"no file": "", "empty": "{}\n", "others' hooks": others} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once, err := install().Apply([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			twice, err := install().Apply(once)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(once), string(twice)); diff != "" {
				t.Error(diff)
			}
			all := &claude.Install{Command: "/opt/askbridge hook claude", Wait: time.Hour, Permissions: true, Plans: true, Elicitations: true}
			more, err := all.Apply(twice)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(more), "/usr/bin/askbridge") || strings.Count(string(more), "/opt/askbridge") != 3 {
				t.Errorf("installed anew:\n%s", more)
			}
			gone, err := claude.Remove(more)
			if err != nil {
				t.Fatal(err)
			}
			if before == "" {
				before = "{}\n"
			}
			if diff := cmp.Diff(before, string(gone)); diff != "" {
				t.Errorf("after uninstalling (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTheHostWaitsLongerThanTheHook(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{time.Second, time.Hour, 240 * time.Hour} {
		i := install()
		i.Wait = wait
		settings, err := i.Apply(nil)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Hooks struct {
				PreToolUse []struct {
					Matcher string
					Hooks   []struct {
						Type, Command string
						Timeout       int64
					}
				}
			}
		}
		if err := json.Unmarshal(settings, &read); err != nil {
			t.Fatal(err)
		}
		entry := read.Hooks.PreToolUse[0]
		if entry.Matcher != "AskUserQuestion" || entry.Hooks[0].Type != "command" || entry.Hooks[0].Command != i.Command {
			t.Errorf("got %+v", entry)
		}
		if got := time.Duration(entry.Hooks[0].Timeout) * time.Second; got < wait+time.Minute {
			t.Errorf("the host waits %s, the hook %s", got, wait)
		}
	}
	i := install()
	i.Wait = claude.MaxTimeout * time.Second
	if _, err := i.Apply(nil); err == nil {
		t.Error("a timeout that the host cannot hold is taken")
	}
}

func TestSettingsThatAreNoneAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[]", "{", `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"Stop":[1]}}`, `{"hooks":{"Stop":[{"hooks":{}}]}}`, "{} {}"} {
		if got, err := install().Apply([]byte(text)); err == nil {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

func TestADiffShowsWhatChanges(t *testing.T) {
	t.Parallel()
	after, err := install().Apply([]byte(others))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/install.diff", []byte(claude.Diff([]byte(others), after)))
	if got := claude.Diff(after, after); got != "" {
		t.Errorf("no change is shown as %s", got)
	}
}

// Whatever stands in the settings, what comes out is settings without our
// hooks, or an error; and what others wrote is still there.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(others))
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"command":"askbridge hook claude"},{"command":"x"}]}]},"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, before []byte) {
		with, err := install().Apply(before)
		if err != nil {
			return
		}
		again, err := install().Apply(with)
		if err != nil || string(again) != string(with) {
			t.Fatalf("again: %s, %v", again, err)
		}
		gone, err := claude.Remove(with)
		if err != nil || !json.Valid(gone) {
			t.Fatalf("removed: %s, %v", gone, err)
		}
		if once, err := claude.Remove(gone); err != nil || string(once) != string(gone) {
			t.Fatalf("removed twice: %s, %v", once, err)
		}
	})
}
