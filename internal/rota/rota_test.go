package rota

import (
	"bytes"
	"context"
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
	_ "time/tzdata" // Zones, also where the machine knows none.
)

// calendar is one with events, a line per line.
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

func TestWhoIsOnCallByACalendar(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text string
		at   map[string]string
	}{
		"one turn, and nobody beside it": {
			calendar("SUMMARY:Dana\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z"),
			map[string]string{"2026-03-16T08:59:59Z": "", "2026-03-16T09:00:00Z": "dana", "2026-03-16T16:59:59Z": "dana", "2026-03-16T17:00:00Z": ""},
		},
		"every other week, by the clocks of its zone": {
			calendar(weekly),
			map[string]string{
				"2026-03-16T07:59:59Z": "", "2026-03-16T08:00:00Z": "dana", "2026-03-23T07:59:59Z": "dana", "2026-03-23T08:00:00Z": "",
				"2026-03-30T06:59:59Z": "", "2026-03-30T07:00:00Z": "dana", // Clocks have gone ahead.
			},
		},
		"two who take turns, also where clocks change in between": {
			calendar(weekly, "UID:b\nSUMMARY:x\nATTENDEE:mailto:sam@example.com\nDTSTART;TZID=Europe/Berlin:20260309T090000\nDTEND;TZID=Europe/Berlin:20260316T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2"),
			map[string]string{"2026-03-23T07:59:59Z": "dana", "2026-03-23T08:00:00Z": "sam", "2026-03-30T06:59:59Z": "sam", "2026-03-30T07:00:00Z": "dana", "2026-03-30T07:59:59Z": "dana"},
		},
		"a turn is swapped": {
			calendar(weekly, "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260316T090000\nATTENDEE;CN=\"Sam, of Ops\":mailto:SAM@example.com\nDTSTART;TZID=Europe/Berlin:20260316T090000\nDTEND;TZID=Europe/Berlin:20260317T090000"),
			map[string]string{"2026-03-16T09:00:00Z": "sam", "2026-03-18T09:00:00Z": "", "2026-03-30T09:00:00Z": "dana"},
		},
		"a turn is left out, and one is added": {
			calendar(weekly + "\nEXDATE;TZID=Europe/Berlin:20260316T090000,20260330T090000\nRDATE:20260325T080000Z"),
			map[string]string{"2026-03-17T09:00:00Z": "", "2026-03-31T09:00:00Z": "dana", "2026-04-07T09:00:00Z": "", "2026-03-26T09:00:00Z": "dana"},
		},
		"a turn is called off": {
			calendar("SUMMARY:Dana\nSTATUS:CANCELLED\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z"),
			map[string]string{"2026-03-16T10:00:00Z": ""},
		},
		"whole days, in the zone of the rota, also where clocks change": {
			calendar("SUMMARY:Dana\nDTSTART;VALUE=DATE:20260328\nDTEND;VALUE=DATE:20260330"),
			map[string]string{"2026-03-27T22:59:59Z": "", "2026-03-27T23:00:00Z": "dana", "2026-03-29T21:59:59Z": "dana", "2026-03-29T22:00:00Z": ""},
		},
		"a day without an end": {
			calendar("SUMMARY:Dana\nDTSTART;VALUE=DATE:20260316"),
			map[string]string{"2026-03-15T23:00:00Z": "dana", "2026-03-16T23:00:00Z": ""},
		},
		"a length in place of an end, and a line that goes on": {
			calendar("SUMMARY:Da\n na\nDTSTART:20260316T090000Z\nDURATION:PT1H30M"),
			map[string]string{"2026-03-16T10:29:59Z": "dana", "2026-03-16T10:30:00Z": ""},
		},
		"turns that overlap, each with two people": {
			calendar("SUMMARY:x\nATTENDEE:mailto:sam@example.com\nATTENDEE;CN=kim lee:mailto:k@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z",
				"SUMMARY:Dana\nDTSTART:20260316T120000Z\nDTEND:20260316T170000Z"),
			map[string]string{"2026-03-16T10:00:00Z": "sam slack:U3", "2026-03-16T13:00:00Z": "sam slack:U3 dana"},
		},
		"who has declined, sent somebody else or gets a copy alone is not on call": {
			calendar("SUMMARY:Dana\nATTENDEE;PARTSTAT=DECLINED;CN=Dana:mailto:d@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T120000Z",
				"SUMMARY:x\nATTENDEE;PARTSTAT=delegated;DELEGATED-TO=\"mailto:sam@example.com\";CN=Dana:mailto:d@example.com\nATTENDEE;PARTSTAT=ACCEPTED:mailto:sam@example.com\n"+
					"ATTENDEE;ROLE=NON-PARTICIPANT;CN=Kim Lee:mailto:k@example.com\nDTSTART:20260316T120000Z\nDTEND:20260316T170000Z"),
			map[string]string{"2026-03-16T10:00:00Z": "", "2026-03-16T13:00:00Z": "sam"},
		},
		"an attendee in several groups": {
			calendar("SUMMARY:x\nATTENDEE;MEMBER=\"mailto:ops@example.com\",\"mailto:all@example.com\";CN=Dana:mailto:d@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z"),
			map[string]string{"2026-03-16T10:00:00Z": "dana"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, unknown, err := turns(tt.text, staff, berlin, at("2026-03-20T12:00:00Z"))
			if err != nil || len(unknown) > 0 {
				t.Fatalf("%v, and nobody knows %v", err, unknown)
			}
			f := NewFeed("x", "", staff, berlin, nil)
			f.last.Store(&copied{turns: all})
			for moment, want := range tt.at {
				if got := strings.Join(f.OnCall(at(moment)), " "); got != want {
					t.Errorf("at %s %q is on call, want %q", moment, got, want)
				}
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	day := "DTSTART:20260316T090000Z\nDTEND:20260316T170000Z"
	for want, text := range map[string]string{
		"\"<html>\" has no name":                      "<html>",
		"VEVENT does not end":                         "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n",
		"END:VCALENDAR where VEVENT has to end":       "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
		`event "Dana": it has no DTSTART`:             calendar("SUMMARY:Dana"),
		"DTSTART has no zone: give the rota one":      calendar("SUMMARY:Dana\nDTSTART:20260316T090000"),
		`DTSTART "tomorrow" is no time`:               calendar("SUMMARY:Dana\nDTSTART;TZID=UTC:tomorrow"),
		`is in the zone "W. Europe Standard Time"`:    calendar("SUMMARY:Dana\nDTSTART;TZID=W. Europe Standard Time:20260316T090000"),
		"recurs more often than daily":                calendar(day + "\nRRULE:FREQ=HOURLY"),
		`RRULE "FREQ=MONTHLY;BYMOON=1"`:               calendar(day + "\nRRULE:FREQ=MONTHLY;BYMOON=1"),
		"it changes all turns that follow":            calendar(day + "\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260316T090000Z"),
		`DURATION "P1M" is no length`:                 calendar("DTSTART:20260316T090000Z\nDURATION:P1M"),
		"it has several RRULEs":                       calendar(day + "\nRRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY"),
		"RDATE is a PERIOD":                           calendar(day + "\nRDATE;VALUE=PERIOD:20260316T090000Z/PT1H"),
		"the calendar has more than 5000 turns":       calendar(slices.Repeat([]string{day + "\nRRULE:FREQ=DAILY"}, 90)...),
		`line 4: DTSTART has a quote that does`:       "BEGIN:VCALENDAR\n\nBEGIN:VEVENT\nDTSTART;TZID=\"x:1\n",
		`line 2: "SUMMARY" has no name`:               "BEGIN:VCALENDAR\nSUMMARY\n",
		"line 2: ATTENDEE has a parameter without":    "BEGIN:VCALENDAR\nATTENDEE;CN:mailto:x\n",
		`line 2: SUMMARY has no value`:                "BEGIN:VCALENDAR\nSUMMARY;X=1\n",
		"line 1: this is no calendar, which begins w": "SUMMARY:Dana\n",
	} {
		if _, _, err := turns(text, staff, nil, at("2026-03-20T12:00:00Z")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestPeopleNobodyKnowsAreNamed(t *testing.T) {
	t.Parallel()
	text := calendar("SUMMARY:x\nATTENDEE:mailto:sam@example.com\nATTENDEE;CN=Eve:mailto:eve@example.com\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z\nRRULE:FREQ=DAILY",
		"SUMMARY:On Call - Dana\nDTSTART:20260316T090000Z\nDTEND:20260316T170000Z",
		"SUMMARY:long ago\nDTSTART:20250316T090000Z\nDTEND:20250316T170000Z")
	all, unknown, err := turns(text, staff, nil, at("2026-03-20T12:00:00Z"))
	if err != nil || !slices.Equal(unknown, []string{"On Call - Dana", "eve@example.com"}) || !slices.Equal(all[0].who, []string{"sam"}) {
		t.Errorf("nobody knows %q, %v; the others have %v", unknown, err, all[1].who)
	}
}

func TestAFeedKeepsTheLastGoodCopy(t *testing.T) {
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
			if got := strings.Join(f.OnCall(time.Now()), " "); got != want || !strings.Contains(log.String(), says) || says == "" && log.Len() > 0 {
				t.Errorf("%q is on call, want %q; the log says %s", got, want, log.String())
			}
			log.Reset()
		}
		next("", "rota not read")
		write(turnOf("Dana"))
		time.Sleep(Interval)
		next("dana", "")
		for bad, says := range map[string]string{"SUMMARY:x": "this is no calendar", strings.Repeat("x", MaxSize+1): "it has more than 1048576 bytes"} {
			write(bad)
			time.Sleep(Interval)
			next("dana", says)
		}
		write(turnOf("sam@example.com"))
		time.Sleep(Interval)
		next("sam", "")
		write(turnOf("Eve"))
		time.Sleep(Interval)
		next("", "names=Eve")
		time.Sleep(Interval)
		next("", "") // It was said.
		if got := f.Unknown(); !slices.Equal(got, []string{"Eve"}) || len(f.Everybody()) != 3 {
			t.Errorf("nobody knows %v; %v can be named", got, f.Everybody())
		}
	})
}

func TestAnAddressIsReadOverHTTPSAndToldToNobody(t *testing.T) {
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
		case want == "" && (err != nil || !slices.Equal(f.OnCall(time.Now()), []string{"dana"})):
			t.Errorf("%v, and %v is on call", err, f.OnCall(time.Now()))
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret)):
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzACalendarIsReadOrRefused holds that no text breaks the reader.
func FuzzACalendarIsReadOrRefused(f *testing.F) {
	f.Add(calendar(weekly))
	f.Add(calendar("SUMMARY:x\\, y\nDTSTART;VALUE=DATE:20260328\nDURATION:P1W2D\nRRULE:FREQ=YEARLY;BYEASTER=1;COUNT=3"))
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 2000)]
		all, _, err := turns(text, staff, time.UTC, at("2026-03-20T12:00:00Z"))
		if err != nil && all != nil {
			t.Errorf("%d turns beside %v", len(all), err)
		}
	})
}
