package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
)

func TestOnCallFindings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "rota.ics")
	event := "BEGIN:VEVENT\r\nSUMMARY:%s\r\nDTSTART:20200101T000000Z\r\nDTEND:20990101T000000Z\r\nEND:VEVENT\r\n"
	text := "BEGIN:VCALENDAR\r\n" + fmt.Sprintf(event, "dana") + fmt.Sprintf(event, "Eve") + "END:VCALENDAR\r\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	calendar := func(source string) config.Rota { return config.Rota{ICal: config.NewSecret(source)} }
	odd := file + ".odd"
	event = "BEGIN:VEVENT\r\nUID:%s\r\nSUMMARY:dana\r\nDTSTART;TZID=Atlantis:%s\r\nDURATION:PT8H\r\nEND:VEVENT\r\n"
	write := func(to string, events ...string) {
		text := "BEGIN:VCALENDAR\r\n" + strings.Join(events, "") + "END:VCALENDAR\r\n"
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(odd, fmt.Sprintf(event, "old", "20190316T090000"), fmt.Sprintf(event, "soon", time.Now().AddDate(0, 0, 20).Format("20060102T150405")))
	write(odd+"now", fmt.Sprintf(event, "now", time.Now().Format("20060102T150405")))
	cfg := &config.Config{People: map[string][]string{"dana": {"slack:U1"}}, Rotas: map[string]config.Rota{
		"calendar": calendar(file), "gone": calendar(file + ".old"), "odd": calendar(odd), "oddnow": calendar(odd + "now"),
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
		"rota/calendar ok on call now: dana", "rota/calendar warn the calendar has unknown names: Eve", "rota/gone broken calendar gone not read: its file cannot be opened: no such file or directory",
		"rota/later warn no one is on call now", "rota/odd warn no one is on call now",
		`rota/odd warn events of the next 60 days are not understood: event "dana" (uid "soon"): zone "Atlantis" is not known`,
		`rota/odd ok skipped events that are not understood; none affects the next 60 days: event "dana" (uid "old"): zone "Atlantis"`,
		`rota/oddnow broken calendar oddnow not read: event "dana" (uid "now"): zone "Atlantis" is not known`, `rota/oddnow warn events of the next 60 days`, "rota/static ok on call now: sam",
	} {
		if n >= len(got) || !strings.HasPrefix(got[n], want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}
