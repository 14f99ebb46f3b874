package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app/provider"
)

func TestInstallations(t *testing.T) {
	t.Parallel()
	w := newFixture(t, discordsim.Options{GuildName: "Acme"})
	list := func(section provider.Section) (string, error) {
		for _, c := range bundle.Bundle().Commands {
			if c.Name == "installations" {
				return c.Flags(nil)(func() (provider.Section, error) { return section, nil })
			}
		}
		t.Fatal("there is no such command")
		return "", nil
	}
	w.sim.Join("100000000000000002", "Globex\nserved")
	got, err := list(w.section)
	if want := "100000000000000001  Acme           served\n100000000000000002  Globex served  served\n"; err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v\n%swant\n%s", err, got, want)
	}
	w.section.Servers = []string{"100000000000000002", "100000000000000003"}
	if got, err = list(w.section); err != nil || strings.Count(got, "ignored: not in discord.servers") != 1 || !strings.Contains(got, "100000000000000003                 the bot is not in this server") {
		t.Errorf("%v\n%s", err, got)
	}
	for n := range 300 {
		w.sim.Join(fmt.Sprintf("1000000000000001%02d", n%100)+fmt.Sprint(n/100), "Many")
	}
	if got, err = list(w.section); err != nil || strings.Count(got, "\n") != 1+2+300+1 {
		t.Errorf("%v, %d lines, want every page", err, strings.Count(got, "\n"))
	}
	if _, err := list(nil); err == nil {
		t.Error("no section, no error")
	}
}
