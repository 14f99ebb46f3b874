package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/config"
)

func TestItIsSaidWhoIsOnCall(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "rota.ics")
	event := "BEGIN:VEVENT\r\nSUMMARY:%s\r\nDTSTART:20200101T000000Z\r\nDTEND:20990101T000000Z\r\nEND:VEVENT\r\n"
	text := "BEGIN:VCALENDAR\r\n" + fmt.Sprintf(event, "dana") + fmt.Sprintf(event, "Eve") + "END:VCALENDAR\r\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	calendar := func(source string) config.Rota { return config.Rota{ICal: config.NewSecret(source)} }
	cfg := &config.Config{People: map[string][]string{"dana": {"slack:U1"}}, Rotas: map[string]config.Rota{
		"calendar": calendar(file), "gone": calendar(file + ".old"),
		"static": {Members: []string{"sam"}, From: "2020-01-01 00:00", Zone: "UTC", Every: config.Span(24 * 3600e9)},
		"later":  {Members: []string{"sam"}, From: "2999-01-01 00:00", Zone: "UTC", Every: config.Span(24 * 3600e9)},
	}}
	r := &Report{}
	examineRotas(t.Context(), r, cfg)
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.ID+" "+string(f.State)+" "+f.Found)
	}
	for n, want := range []string{
		"rota/calendar ok on call now: dana", "rota/calendar warn the calendar names people whom nobody knows: Eve", "rota/gone broken rota gone: open ",
		"rota/later warn nobody is on call now", "rota/static ok on call now: sam",
	} {
		if n >= len(got) || !strings.HasPrefix(got[n], want) {
			t.Errorf("it says %q, want %s", got, want)
		}
	}
}
