package rota

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // Time zones for machines without any.

	"golang.org/x/tools/txtar"
)

// employees are the names in the corpus.
var employees = Names{
	"Dana Meyer": "dana", "dana@example.com": "dana", "Sam Okafor": "sam", "sam@example.com": "sam", "On Call - Sam Okafor - Payments": "sam",
	"jürgen weiß": "juergen", "Kim Lee": "kim",
}

// TestCalendarCorpus parses calendars as products write them and compares who is on call at several
// moments. The calendar is parsed again for each moment, as if that were now.
//
// A case is a comment with lines "zone:" for the rota's zone and "ends: lf" or "ends: crcrlf" for the ends of its lines,
// the calendar, lines of a moment with people, "no one" or "!" and an error, and parts of the events that are skipped.
func TestCalendarCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			text, zone := parts["calendar.ics"], (*time.Location)(nil)
			ends := "\r\n"
			for line := range strings.Lines(string(archive.Comment)) {
				switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
				case "zone":
					if zone, err = time.LoadLocation(value); err != nil {
						t.Fatal(err)
					}
				case "ends":
					ends = map[string]string{"lf": "\n", "crcrlf": "\r\r\n"}[value]
				}
			}
			text = strings.ReplaceAll(text, "\n", ends)
			for line := range strings.Lines(parts["on call"]) {
				moment, want, _ := strings.Cut(strings.TrimSpace(line), " ")
				if err := compare(t, text, zone, at(moment), want, parts["skipped"]); err != nil {
					t.Errorf("%s: at %s %v", file, moment, err)
				}
			}
		})
	}
}

func compare(t *testing.T, text string, zone *time.Location, now time.Time, want, skipped string) error {
	t.Helper()
	made, err := read(t.Context(), text, employees, zone, now)
	if err != nil {
		return err
	}
	f := NewFeed("payments", "", nil, nil, nil)
	f.last.Store(made)
	who, err := f.OnCall(now)
	message, fails := strings.CutPrefix(want, "! ")
	got := strings.Join(who, ", ")
	switch {
	case fails && (err == nil || !strings.Contains(err.Error(), message)):
		return fmt.Errorf("the error is %w, want %s", err, message)
	case !fails && err != nil:
		return err
	case !fails && got != strings.TrimSuffix(want, "no one"):
		return fmt.Errorf("%q is on call, want %s", got, want)
	}
	due, other := f.Skipped()
	all := strings.Join(append(due, other...), "\n")
	for line := range strings.Lines(skipped) {
		if !strings.Contains(all, strings.TrimSpace(line)) {
			return fmt.Errorf("it skips %s, want %s", all, line)
		}
	}
	if skipped == "" && all != "" {
		return fmt.Errorf("it skips %s", all)
	}
	return nil
}
