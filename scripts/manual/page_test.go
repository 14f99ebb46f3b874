package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

const (
	groupedHelp = `Asks people:
  in chat.

Usage:
  askbridge [command]

Set up and run:
  config      Manage the configuration

Ask people:
  ask         Ask people from a shell

Additional Commands:
  help        Help about any command

Flags:
  -h, --help   help for askbridge

Use "askbridge [command] --help" for more information about a command.
`
	plainHelp = `Usage:
  askbridge config [command]

Available Commands:
  check       Check the configuration

Flags:
  -h, --help   help for config
`
)

// A release had one manual page instead of forty when the commands of the program got groups.
func TestEveryCommandHasAPage(t *testing.T) {
	t.Parallel()
	help := map[string]string{"--help": groupedHelp, "config --help": plainHelp}
	say := func(args ...string) (string, error) {
		return cmp.Or(help[strings.Join(args, " ")], "Usage:\n  askbridge\n"), nil
	}
	pages, err := walk(say, nil, "Ask people in chat")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range pages {
		names = append(names, p.name())
	}
	want := []string{"askbridge", "askbridge-config", "askbridge-config-check", "askbridge-ask"}
	if !slices.Equal(names, want) {
		t.Errorf("pages are %q, want %q", names, want)
	}
	if about := pages[0].help.about; about != "Asks people:\n  in chat." {
		t.Errorf("the description is %q", about)
	}
}
