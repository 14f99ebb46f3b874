package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestDurationFlags(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"ask --timeout", "ask --claim-for", "list --since", "connect opencode --wait", "hook claude --wait", "hook claude install --wait",
		"mcp --budget", "mcp --progress",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(line)
			flag := words[len(words)-1]
			parse := func(text string) (*pflag.Flag, error) {
				cmd, _, err := newRoot().Find(words[:len(words)-1])
				if err != nil {
					t.Fatal(err)
				}
				err = cmd.ParseFlags([]string{flag + "=" + text})
				return cmd.Flags().Lookup(strings.TrimPrefix(flag, "--")), err
			}
			f, err := parse("2d")
			if err != nil {
				t.Fatal(err)
			}
			if two := f.Value.String(); two != "48h0m0s" {
				t.Errorf("two days are %s", two)
			}
			for _, wrong := range []string{"-5s", "-2d", "1x", "99999d", "d", ""} {
				if _, err := parse(wrong); err == nil || !strings.Contains(err.Error(), "give a time such as 90s, 30m, 24h or 2d") {
					t.Errorf("%q: %v", wrong, err)
				}
			}
		})
	}
}

// TestDurationFlagsAcceptDays finds duration flags of pflag, which do not accept days.
func TestDurationFlagsAcceptDays(t *testing.T) {
	t.Parallel()
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, is := f.Value.(*length); !is && strings.HasPrefix(f.Value.Type(), "duration") {
				t.Errorf("%s --%s does not accept days", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot())
}

func TestNegativeValuesAreRefused(t *testing.T) {
	t.Parallel()
	start(t, "", "ask", "--timeout", "-5s", "Go?", "Yes", "No").ends(exitUsage, "", `invalid argument "-5s" for "--timeout" flag: give a time such as 90s, 30m, 24h or 2d`)
	start(t, "", "ask", "--remind", "30m,-1h", "Go?", "Yes", "No").ends(exitUsage, "", `for "--remind" flag: give a time such as`)
	start(t, "", "list", "--limit", "-1").ends(exitUsage, "", "--limit takes a number, or 0 for all")
}

// --timeout 0 waits without a limit, which the help once omitted.
func TestAskHelpExplainsZeroTimeout(t *testing.T) {
	t.Parallel()
	cmd, _, err := newRoot().Find([]string{"ask"})
	if err != nil {
		t.Fatal(err)
	}
	if about := cmd.Flags().Lookup("timeout").Usage; !strings.Contains(about, "0 waits for as long as it takes") {
		t.Errorf("--timeout: %s", about)
	}
}
