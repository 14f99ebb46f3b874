package ask_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

func TestDigestTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		d               ask.Digest
		zone, now, want string
	}{
		"at that minute":              {ask.Digest{At: []string{"09:00"}}, "Europe/Berlin", "2026-11-30T08:00:00Z", "2026-11-30T08:00:00Z"},
		"a second earlier":            {ask.Digest{At: []string{"09:00"}}, "Europe/Berlin", "2026-11-30T07:59:59Z", "2026-11-29T08:00:00Z"},
		"the later of two":            {ask.Digest{At: []string{"16:00", "09:00"}}, "Europe/Berlin", "2026-11-30T22:00:00Z", "2026-11-30T15:00:00Z"},
		"Monday after a weekend":      {ask.Digest{At: []string{"09:00"}, Days: "mon-fri"}, "Europe/Berlin", "2026-11-30T07:00:00Z", "2026-11-27T08:00:00Z"},
		"once a week":                 {ask.Digest{At: []string{"09:00"}, Days: "mon"}, "UTC", "2026-11-30T08:00:00Z", "2026-11-23T09:00:00Z"},
		"before the spring change":    {ask.Digest{At: []string{"09:00"}}, "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-28T08:00:00Z"},
		"after the spring change":     {ask.Digest{At: []string{"09:00"}}, "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T07:00:00Z"},
		"a time that is skipped":      {ask.Digest{At: []string{"02:30"}}, "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"},
		"a time that comes twice":     {ask.Digest{At: []string{"02:30"}}, "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-25T00:30:00Z"},
		"a day ahead of Greenwich":    {ask.Digest{At: []string{"09:00"}, Days: "tue"}, "Pacific/Kiritimati", "2026-11-30T19:00:00Z", "2026-11-30T19:00:00Z"},
		"a zone with half an hour":    {ask.Digest{At: []string{"09:00"}}, "Asia/Kolkata", "2026-11-30T04:00:00Z", "2026-11-30T03:30:00Z"},
		"midnight in New York":        {ask.Digest{At: []string{"00:00"}}, "America/New_York", "2026-11-30T05:00:00Z", "2026-11-30T05:00:00Z"},
		"an hour before it in winter": {ask.Digest{At: []string{"00:00"}}, "America/New_York", "2026-11-30T04:00:00Z", "2026-11-29T05:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			now, _ := time.Parse(time.RFC3339, c.now)
			if got := c.d.Last(now, zone).UTC().Format(time.RFC3339); got != c.want {
				t.Errorf("last digest before %s is %s, want %s", c.now, got, c.want)
			}
		})
	}
}

func TestDigestProblems(t *testing.T) {
	t.Parallel()
	d := ask.Digest{At: []string{"9:00", "24:00", "10:00", "10:00"}, Days: "monday", Zone: "Berlin"}
	want := []string{"digest[0].to", "digest[0].at[0]", "digest[0].at[1]", "digest[0].at[3]", "digest[0].days", "digest[0].zone"}
	var got []string
	for _, p := range d.Check("digest[0]") {
		got = append(got, p.Path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems at %q, want %q", got, want)
	}
	if p := (ask.Digest{To: []ask.Place{{Platform: "slack", User: "U1"}}}).Check("d"); len(p) != 1 || p[0].Path != "d.at" {
		t.Errorf("a digest without times has problems %v", p)
	}
}

// Every local day has one digest, whatever the zone's clock does.
func TestDigestsComeOnceADay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tehran", "UTC"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		d := ask.Digest{At: []string{time.Time{}.Add(time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "at")) * time.Minute).Format("15:04")}}
		start := time.Date(2026, time.Month(rapid.IntRange(1, 12).Draw(t, "month")), rapid.IntRange(1, 28).Draw(t, "day"), 12, 0, 0, 0, time.UTC)
		last, count := d.Last(start, zone), 0
		for now := start; now.Before(start.Add(30 * 24 * time.Hour)); now = now.Add(7 * time.Minute) {
			if due := d.Last(now, zone); !due.Equal(last) {
				if due.Before(last) || due.After(now) {
					t.Fatalf("digest of %s after that of %s, at %s", due, last, now)
				}
				last, count = due, count+1
			}
		}
		if count < 29 || count > 31 {
			t.Errorf("%d digests in 30 days", count)
		}
	})
}
