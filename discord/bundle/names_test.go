package bundle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/internal/app/config"
)

func TestFindNames(t *testing.T) {
	t.Parallel()
	w := newFixture(t, discordsim.Options{})
	person := func(text string) config.Name { return config.Name{Kind: config.PersonName, Text: text} }
	for name, want := range map[config.Name][]string{
		{Kind: config.ChannelName, Text: "deploys"}: {"200000000000000001"},
		{Kind: config.ChannelName, Text: "deplois"}: nil,
		{Kind: config.GroupName, Text: "deployers"}: {"400000000000000001"},
		person("dana"):   {"300000000000000001"},
		person("DANA"):   {"300000000000000001"},
		person("dan"):    nil,
		person("nobody"): nil,
	} {
		found, err := w.section.FindNames(t.Context(), []config.Name{name})
		if f := found[name]; err != nil || f.Err != nil || !slices.Equal(f.IDs, want) {
			t.Errorf("%s: %v, %+v; want %q", name, err, f, want)
		}
	}
	mail := person("dana@example.com")
	if found, err := w.section.FindNames(t.Context(), []config.Name{mail}); err != nil || found[mail].Err == nil {
		t.Errorf("an address: %v, %+v", err, found[mail])
	}
	w.section.BotToken = config.NewSecret("wrong")
	if _, err := w.section.FindNames(t.Context(), []config.Name{mail}); err == nil || !strings.Contains(err.Error(), "the servers cannot be listed") {
		t.Errorf("with a wrong token: %v", err)
	}
}
