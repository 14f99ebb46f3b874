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

// written are settings as people and programs write them.
var written = map[string]string{
	"empty":                 "{}\n",
	"others' hooks":         others,
	"tabs":                  "{\n\t\"env\" : { \"A\":\"b\" } ,\n\t\"hooks\":{\n\t\t\"PreToolUse\": [ {\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"lint\"}]} ]\n\t}\n}",
	"one line":              `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say \u0064one"}]}]}}`,
	"lines of another kind": "{\r\n    \"model\": \"opus\"\r\n}\r\n",
	"no hooks":              "{\n  \"permissions\": {\"allow\": [\"Bash(go test:*)\"]},  \n  \"x\": 1.50e3\n}\n\n",
	"comments in a text":    "{ \"a\": \"/* \\\" } ] */\", \"hooks\": {\"Stop\": []} }",
}

func all() *claude.Install {
	return &claude.Install{Command: "/opt/askbridge hook claude", Wait: time.Hour, Permissions: true, Plans: true, Elicitations: true}
}

func TestWhatOthersWroteKeepsEveryByte(t *testing.T) {
	t.Parallel()
	for name, before := range written {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with, err := all().Apply([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(with.Text) || strings.Count(string(with.Text), "/opt/askbridge") != 3 {
				t.Errorf("installed:\n%s", with.Text)
			}
			rest := string(with.Text)
			for n := range len(before) { // Existing entries stay in order.
				at := strings.IndexByte(rest, before[n])
				if at < 0 {
					t.Fatalf("installed:\n%s\nbyte %d is lost", with.Text, n)
				}
				rest = rest[at+1:]
			}
			shown := strings.ReplaceAll(string(with.Text), "\r\n", "\\r\n")
			golden.Check(t, "testdata/settings/"+strings.NewReplacer(" ", "-", "'", "").Replace(name)+".txt", []byte(shown))
			gone, err := claude.Remove(with.Text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, string(gone.Text)); diff != "" {
				t.Errorf("after uninstalling (-before +after):\n%s", diff)
			}
		})
	}
}

func TestInstallingTwiceIsInstallingOnce(t *testing.T) {
	t.Parallel()
	for name, before := range written {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once, err := install().Apply([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			twice, err := install().Apply(once.Text)
			if err != nil || !twice.None() || string(twice.Text) != string(once.Text) {
				t.Errorf("again: %v\n%s\n%s", err, twice, twice.Text)
			}
			more, err := all().Apply(once.Text)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(more.Text); strings.Contains(text, "/usr/bin/askbridge") || strings.Count(text, "/opt/askbridge") != 3 {
				t.Errorf("installed again:\n%s", text)
			}
			if len(more.Removed) != 1 || len(more.Added) != 3 {
				t.Errorf("it shows %s", more)
			}
		})
	}
	if none, err := claude.Remove(nil); err != nil || !none.None() || len(none.Text) != 0 {
		t.Errorf("nothing without us is %+v, %v", none, err)
	}
	fresh, err := install().Apply(nil)
	if err != nil || !json.Valid(fresh.Text) || fresh.Text[len(fresh.Text)-1] != '\n' {
		t.Errorf("from nothing: %s, %v", fresh.Text, err)
	}
}

func TestOurHookIsFoundUnderWhateverName(t *testing.T) {
	t.Parallel()
	for command, ours := range map[string]bool{
		`"/usr/bin/askbridge hook claude --to=slack:C0000001"`: true,
		`"/home/dana/bin/ab hook claude --to=slack:C0000001"`:  true,
		`"'/home/dana/my tools/ab' hook claude"`:               true,
		`"\"C:/ask bridge.exe\" hook claude --wait=1h"`:        true,
		`"ASKBRIDGE_URL=http://x exec ab hook claude"`:         true,
		`"/usr/bin/ab","args":["hook","claude","--to=x"]`:      true,
		`"say 'hook claude'"`:                                  false,
		`"hook claude"`:                                        false,
		`"ab hook claudette"`:                                  false,
		`"echo hook claude done"`:                              false,
		`"askbridge hook"`:                                     false,
	} {
		settings := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"lint"},{"type":"command","command":` + command + `}]}]}}`
		c, err := claude.Remove([]byte(settings))
		if err != nil || c.None() == ours || !strings.Contains(string(c.Text), `{"type":"command","command":"lint"}`) {
			t.Errorf("%s: %v\n%s", command, err, c.Text)
		}
		if ours && strings.Contains(c.String(), "lint") {
			t.Errorf("%s: it shows %s", command, c)
		}
	}
}

func TestHostTimeoutExceedsHookTimeout(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{time.Second, time.Hour, 240 * time.Hour} {
		i := install()
		i.Wait = wait
		change, err := i.Apply(nil)
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
		if err := json.Unmarshal(change.Text, &read); err != nil {
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
	for _, text := range []string{"[]", "{", `{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"Stop":[1]}}`, `{"hooks":{"Stop":[{"hooks":{}}]}}`, `{"hooks":{"Stop":[[]]}}`, "{} {}", `{"hooks":{},"hooks":{}}`} {
		if got, err := install().Apply([]byte(text)); err == nil {
			t.Errorf("%s becomes %s", text, got.Text)
		}
	}
}

// An error about invalid JSON must name the position.
func TestSettingsErrorHasPosition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  // mine\n  \"model\": \"opus\"\n}\n": "claude: the settings: not JSON: line 2: invalid character '/' looking for beginning of object key string",
		"{\n  \"a\": 1,\n}\n":                      "claude: the settings: not JSON: line 3: invalid character '}' looking for beginning of object key string",
		"{\n  \"a\": 1":                            "claude: the settings: not JSON: line 2: unexpected end of JSON input",
		`{"hooks":{"Stop":[],"Stop":[]}}`:          "claude: the settings: hooks.Stop appears twice in its object",
	} {
		if _, err := install().Apply([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSettingsWithAByteOrderMarkAreReadAndLoseIt(t *testing.T) {
	t.Parallel()
	got, err := install().Apply([]byte("\ufeff" + others))
	if err != nil {
		t.Fatal(err)
	}
	want, err := install().Apply([]byte(others))
	if err != nil || string(got.Text) != string(want.Text) {
		t.Errorf("got %s, %v", got.Text, err)
	}
}

// Settings contain keys and tokens of other programs.
func TestSettingsDiffShowsOnlyOwnChange(t *testing.T) {
	t.Parallel()
	const secret = `{"env":{"API_KEY":"canary"},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"lint --token canary"}]}]},"x":"canary"}`
	for _, before := range []string{secret, strings.NewReplacer(",", ",\n", "{", "{\n", "[", "[\n").Replace(secret)} {
		with, err := install().Apply([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		again, err := all().Apply(with.Text)
		if err != nil {
			t.Fatal(err)
		}
		gone, err := claude.Remove(again.Text)
		if err != nil {
			t.Fatal(err)
		}
		if all := with.String() + again.String() + gone.String(); strings.Contains(all, "canary") {
			t.Errorf("it shows %s", all)
		}
		golden.Check(t, "testdata/install.diff", []byte(again.String()))
	}
}

// For any settings, the result is settings without the bridge's hooks, or an error, and everything else is kept.
func FuzzSettings(f *testing.F) {
	for _, before := range written {
		f.Add([]byte(before))
	}
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"command":"askbridge hook claude"},{"command":"x"}]}]},"a":1}`))
	f.Add([]byte("\ufeff" + others))
	f.Fuzz(func(t *testing.T, before []byte) {
		with, err := install().Apply(before)
		if err != nil {
			return
		}
		again, err := install().Apply(with.Text)
		if err != nil || !again.None() || string(again.Text) != string(with.Text) {
			t.Fatalf("again: %s, %v", again, err)
		}
		gone, err := claude.Remove(with.Text)
		if err != nil || !json.Valid(gone.Text) {
			t.Fatalf("removed: %s, %v", gone.Text, err)
		}
		if once, err := claude.Remove(gone.Text); err != nil || string(once.Text) != string(gone.Text) {
			t.Fatalf("removed twice: %s, %v", once.Text, err)
		}
	})
}
