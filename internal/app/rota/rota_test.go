package rota

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"
)

// calendar returns a calendar with these lines.
func calendar(events ...string) string {
	lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//EN"}
	for _, e := range events {
		lines = append(lines, "BEGIN:VEVENT", e, "END:VEVENT")
	}
	lines = append(lines, "END:VCALENDAR", "")
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(lines, "\n"), "\r", ""), "\n", "\r\n")
}

var staff = Names{"Dana": "dana", "sam@example.com": "sam", "Kim Lee": "slack:U3"}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

const weekly = "UID:a\nSUMMARY:dana\nDTSTART;TZID=Europe/Berlin:20260302T090000\nDTEND;TZID=Europe/Berlin:20260309T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2"

func TestAttendeesWhoDeclinedAreNotOnCall(t *testing.T) {
	t.Parallel()
	text := calendar("SUMMARY:Dana\nATTENDEE;PARTSTAT=DECLINED;CN=Dana:mailto:d@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T120000Z",
		"SUMMARY:x\nATTENDEE;PARTSTAT=delegated;DELEGATED-TO=\"mailto:sam@example.com\";CN=Dana:mailto:d@example.com\nATTENDEE;PARTSTAT=ACCEPTED:mailto:sam@example.com\n"+
			"ATTENDEE;ROLE=NON-PARTICIPANT;CN=Kim Lee:mailto:k@example.com\nDTSTART:20260316T120000Z\nDTEND:20260316T170000Z",
		"SUMMARY:x\nATTENDEE;MEMBER=\"mailto:ops@example.com\",\"mailto:all@example.com\";CN=Dana:mailto:d@example.com\nATTENDEE;CN=kim  lee:mailto:k@example.com\nDTSTART:20260316T180000Z\nDTEND:20260316T190000Z")
	made, err := read(t.Context(), text, staff, nil, at("2026-03-20T12:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	f := NewFeed("x", "", staff, nil, nil)
	f.last.Store(made)
	for moment, want := range map[string]string{"2026-03-16T10:00:00Z": "", "2026-03-16T13:00:00Z": "sam", "2026-03-16T18:30:00Z": "dana slack:U3"} {
		if got, err := f.OnCall(at(moment)); err != nil || strings.Join(got, " ") != want {
			t.Errorf("at %s %q is on call, %v, want %q", moment, got, err, want)
		}
	}
}

func TestInvalidCalendars(t *testing.T) {
	t.Parallel()
	day := "DTSTART:20260316T090000Z\nDTEND:20260316T170000Z"
	for want, text := range map[string]string{
		"this is not an iCalendar file":                    "<html>",
		"has no BEGIN:VCALENDAR":                           "BEGIN:VEVENT\nSUMMARY:Dana\nEND:VEVENT\n",
		"VEVENT does not end: the calendar is cut off":     "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n",
		"line 3: END:VCALENDAR ends nothing, VEVENT is op": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
		"it has more than 5000 turns within 120 days":      calendar(slices.Repeat([]string{day + "\nRRULE:FREQ=DAILY"}, 90)...),
	} {
		if _, err := read(t.Context(), text, staff, nil, at("2026-03-20T12:00:00Z")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestSkippedEventsHaveReasons(t *testing.T) {
	t.Parallel()
	day := "DTSTART:20260316T090000Z\nDTEND:20260316T170000Z"
	for want, event := range map[string]string{
		"DTSTART has no zone: give the rota one":             "DTSTART:20260316T090000\nDTEND:20260316T170000",
		`DTSTART "TOMORROW" is not a time`:                   "DTSTART;TZID=UTC:tomorrow",
		`zone "" is not known`:                               "DTSTART;TZID=:20260316T090000\nDURATION:PT1H",
		"DTSTART has no value, or a quote that does not end": "DTSTART;TZID=\"x\nDURATION:PT1H",
		"it has several DTSTART":                             day + "\nDTSTART:20260317T090000Z",
		"it ends before it starts":                           "DTSTART:20260316T090000Z\nDTEND:20260315T170000Z",
		"DTEND is a date, and DTSTART has a time":            "DTSTART:20260316T090000Z\nDTEND:20260317",
		`DURATION "P1M" is not a length`:                     "DTSTART:20260316T090000Z\nDURATION:P1M",
		`DURATION "P99999W" is not a length`:                 "DTSTART:20260316T090000Z\nDURATION:P99999W",
		`RRULE "FREQ=HOURLY": it recurs too often`:           day + "\nRRULE:FREQ=HOURLY",
		`RRULE "FREQ=DAILY;BYMINUTE=1,2": it recurs too`:     day + "\nRRULE:FREQ=DAILY;BYMINUTE=1,2",
		`RRULE "FREQ=MONTHLY;BYMOON=1"`:                      day + "\nRRULE:FREQ=MONTHLY;BYMOON=1",
		"BYEASTER is not understood":                         day + "\nRRULE:FREQ=YEARLY;BYEASTER=1",
		"INTERVAL is out of range":                           day + "\nRRULE:FREQ=YEARLY;INTERVAL=9223372036854775807",
		"COUNT is out of range":                              day + "\nRRULE:FREQ=DAILY;COUNT=0",
		`UNTIL "NEVER" is not a time`:                        day + "\nRRULE:FREQ=DAILY;UNTIL=never",
		"its rule cannot be expanded":                        day + "\nRRULE:FREQ=MONTHLY;BYDAY=-10MO",
		"it has more than 1000 bytes":                        day + "\nRRULE:FREQ=DAILY;BYMONTHDAY=1" + strings.Repeat(",1", 500),
		"it has more than 10 RRULEs":                         day + strings.Repeat("\nRRULE:FREQ=DAILY", 11),
		`EXDATE "SOON" is not a time`:                        day + "\nRRULE:FREQ=DAILY\nEXDATE:soon",
		"of RDATE and DTSTART one is a date":                 day + "\nRDATE;VALUE=DATE:20260318",
		"of RECURRENCE-ID and DTSTART one is a date":         day + "\nRECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260316",
		"later turns of a series that the calendar does not": day + "\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260316T090000Z",
	} {
		made, err := read(t.Context(), calendar("UID:odd\nSUMMARY:Dana\n"+event), staff, nil, at("2026-03-16T12:00:00Z"))
		if err != nil {
			t.Errorf("%v, want %s", err, want)
			continue
		}
		f := NewFeed("payments", "", staff, nil, nil)
		f.last.Store(made)
		if who, err := f.OnCall(at("2026-03-16T12:00:00Z")); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), `calendar payments not read: event "Dana" (uid "odd"): `) {
			t.Errorf("%q is on call, %v, want %s", who, err, want)
		}
	}
}

// TestHostileCalendarsEnd parses calendars that would need hours or all memory without limits.
func TestHostileCalendarsEnd(t *testing.T) {
	t.Parallel()
	event := "SUMMARY:Dana\nDTSTART:00010101T090000Z\nDTEND:99991231T170000Z\nRRULE:"
	for name, tt := range map[string]struct{ text, want string }{
		"every day since the year one": {calendar(event + "FREQ=DAILY;COUNT=999999999"), "it has more than 5000 turns"},
		"a day that never comes":       {calendar(event + "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31"), ""},
		"many zones":                   {calendar(zonesAndEvents(300)...), ""},
		"one event many times":         {calendar(slices.Repeat([]string{"UID:1\nSUMMARY:Dana\nDTSTART:20260316T090000Z\nDURATION:PT1H"}, 10000)...), "it has more than 5000 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t.Context(), tt.text, staff, nil, at("2026-03-16T12:00:00Z"))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	t.Run("ten thousand impossible dates", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		text := calendar(slices.Repeat([]string{event + "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31"}, 10000)...)
		if _, err := read(ctx, text, staff, nil, at("2026-03-16T12:00:00Z")); !errors.Is(err, errSlow) {
			t.Errorf("%v, want %v", err, errSlow)
		}
	})
}

// zonesAndEvents returns events with one time zone each.
func zonesAndEvents(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("SUMMARY:Dana\nDTSTART;TZID=zone%d:20260316T090000\nDURATION:PT1H", i)
	}
	return all
}

func TestUnknownPeopleAreNamed(t *testing.T) {
	t.Parallel()
	text := calendar("SUMMARY:x\nATTENDEE:mailto:sam@example.com\nATTENDEE;CN=Eve:mailto:eve@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z\nRRULE:FREQ=DAILY",
		"SUMMARY:On Call - Dana\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z", "DTSTART:20260316T090000Z\nDTEND:20260316T170000Z",
		"SUMMARY:long ago\nDTSTART:20250316T090000Z\nDTEND:20250316T170000Z")
	made, err := read(t.Context(), text, staff, nil, at("2026-03-20T12:00:00Z"))
	if err != nil || !slices.Equal(made.unknown, []string{"On Call - Dana", "an event without a title", "eve@example.com"}) || !slices.Equal(made.turns[0].who, []string{"sam"}) {
		t.Errorf("unknown: %q, %v; turns: %v", made.unknown, err, made.turns)
	}
}

func TestWindowsZonesAreKnown(t *testing.T) {
	t.Parallel()
	n := 0
	for line := range strings.Lines(windowsZones) {
		windows, name, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		n++
		if location, err := time.LoadLocation(name); err != nil || location.String() != name {
			t.Errorf("%s: %v", windows, err)
		}
	}
	if n != 139 {
		t.Errorf("%d zones", n)
	}
}

func TestFeedKeepsLastGoodCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "rota.ics")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		turnOf := func(who string) string {
			return calendar(fmt.Sprintf("SUMMARY:%s\nDTSTART:%s\nDTEND:%s", who, now.Format("20060102T150405Z"), now.AddDate(0, 0, 9).Format("20060102T150405Z")))
		}
		var log bytes.Buffer
		f := NewFeed("payments", file, staff, nil, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); f.Run(ctx) }()
		defer func() { stop(); <-ended }()
		next := func(want string, says string) {
			t.Helper()
			synctest.Wait()
			who, _ := f.OnCall(time.Now())
			if got := strings.Join(who, " "); got != want || !strings.Contains(log.String(), says) || says == "" && log.Len() > 0 {
				t.Errorf("%q is on call, want %q; log: %s", got, want, log.String())
			}
			log.Reset()
		}
		next("", "rota not read")
		write(turnOf("Dana"))
		time.Sleep(Interval)
		next("dana", "")
		for bad, want := range map[string]string{"SUMMARY:x": "this is not an iCalendar file", strings.Repeat("x", MaxSize+1): "it has more than 1048576 bytes"} {
			write(bad)
			time.Sleep(Interval)
			next("dana", want)
		}
		write("\ufeff" + turnOf("sam@example.com"))
		time.Sleep(Interval)
		next("sam", "")
		write(turnOf("Eve"))
		time.Sleep(Interval)
		next("", "names=Eve")
		time.Sleep(Interval)
		next("", "") // It is logged only once.
		if got := f.Unknown(); !slices.Equal(got, []string{"Eve"}) || len(f.Everybody()) != 3 {
			t.Errorf("unknown: %v; known: %v", got, f.Everybody())
		}
	})
}

func TestFeedUsesHTTPSAndHidesAddress(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t"
	var away string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/" + secret:
			_, _ = w.Write([]byte(calendar("SUMMARY:Dana\nDTSTART:20200101T000000Z\nDTEND:20990101T000000Z")))
		case "/away/" + secret:
			http.Redirect(w, r, away, http.StatusFound)
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	defer server.Close()
	away = strings.Replace(server.URL, "https", "http", 1) + "/" + secret
	for source, want := range map[string]string{
		server.URL + "/" + secret:       "",
		server.URL + "/other/" + secret: "its address answers 403 Forbidden",
		server.URL + "/away/" + secret:  "an address without https",
		"http://127.0.0.1:1/" + secret:  "its address is none that begins with https",
		"https://127.0.0.1:1/" + secret: "its address does not answer",
		"https://%zz/" + secret:         "its address is none that begins with https",
	} {
		f := NewFeed("payments", source, staff, nil, &Options{Client: server.Client()})
		err := f.Read(t.Context())
		switch {
		case want == "":
			if who, unknown := f.OnCall(time.Now()); err != nil || unknown != nil || !slices.Equal(who, []string{"dana"}) {
				t.Errorf("%v, and %v is on call, %v", err, who, unknown)
			}
		case err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret):
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzCalendar checks that any text is handled, and that the result does not depend on line endings.
func FuzzCalendar(f *testing.F) {
	f.Add(calendar(weekly))
	f.Add(calendar("SUMMARY:x\\, y\nDTSTART;VALUE=DATE:20260328\nDURATION:P1W2D\nRRULE:FREQ=YEARLY;BYEASTER=1;COUNT=3"))
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 4000)]
		now := at("2026-03-20T12:00:00Z")
		made, err := read(t.Context(), text, employees, time.UTC, now)
		again, failed := read(t.Context(), strings.ReplaceAll(text, "\n", "\r\n"), employees, time.UTC, now)
		if (err == nil) != (failed == nil) || err == nil && (len(made.turns) != len(again.turns) || len(made.doubts) != len(again.doubts)) {
			t.Errorf("%v and %v, %v and %v", made, again, err, failed)
		}
	})
}
