package ask_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // time zones for machines without a zone database

	"github.com/askbridge/askbridge/ask"
)

func TestHoursNext(t *testing.T) {
	t.Parallel()
	office := func(zone string) ask.Hours { return ask.Hours{Zone: zone, Days: "mon-fri", From: "09:00", To: "18:00"} }
	berlin := office("Europe/Berlin")
	berlinNights := ask.Hours{Zone: "Europe/Berlin", From: "22:00", To: "06:00"}
	weekNights := ask.Hours{Zone: "Europe/Berlin", Days: "mon-fri", From: "22:00", To: "06:00"}
	nights := func(from, to string) ask.Hours { return ask.Hours{Zone: "Europe/Berlin", From: from, To: to} }
	for name, tt := range map[string]struct {
		hours    ask.Hours
		at, want string
	}{
		"while people work, at once":                    {berlin, "2026-03-11T12:30:00+01:00", "2026-03-11T12:30:00+01:00"},
		"before they come, when they do":                {berlin, "2026-03-11T03:00:00+01:00", "2026-03-11T09:00:00+01:00"},
		"at the very end, the next day":                 {berlin, "2026-03-11T18:00:00+01:00", "2026-03-12T09:00:00+01:00"},
		"on Friday evening, on Monday":                  {berlin, "2026-03-13T18:30:00+01:00", "2026-03-16T09:00:00+01:00"},
		"over the weekend when clocks go forward":       {berlin, "2026-03-27T20:00:00+01:00", "2026-03-30T09:00:00+02:00"},
		"over the weekend when clocks go back":          {berlin, "2026-10-23T20:00:00+02:00", "2026-10-26T09:00:00+01:00"},
		"a time that clocks jump over comes with them":  {nights("02:30", "06:00"), "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		"hours that clocks jump over wait a day":        {nights("02:10", "02:50"), "2026-03-29T01:00:00+01:00", "2026-03-30T02:10:00+02:00"},
		"hours of one day a week wait a week then":      {ask.Hours{Zone: "Europe/Berlin", Days: "sun", From: "02:10", To: "02:50"}, "2026-03-27T12:00:00+01:00", "2026-04-05T02:10:00+02:00"},
		"of a time that clocks show twice the first":    {nights("02:30", "06:00"), "2026-10-25T01:00:00+02:00", "2026-10-25T02:30:00+02:00"},
		"hours that end in the doubled hour end there":  {nights("01:00", "02:30"), "2026-10-25T02:30:00+02:00", "2026-10-26T01:00:00+01:00"},
		"on the other side of the world":                {office("Pacific/Auckland"), "2026-03-13T07:00:00+01:00", "2026-03-16T09:00:00+13:00"},
		"in a zone with half an hour":                   {office("Asia/Kolkata"), "2026-03-11T01:00:00Z", "2026-03-11T09:00:00+05:30"},
		"single days":                                   {ask.Hours{Zone: "UTC", Days: "sat, MON", From: "10:00", To: "11:00"}, "2026-03-11T12:00:00Z", "2026-03-14T10:00:00Z"},
		"days over the turn of the week":                {ask.Hours{Zone: "UTC", Days: "sat-mon", From: "10:00", To: "11:00"}, "2026-03-15T11:00:00Z", "2026-03-16T10:00:00Z"},
		"whole days":                                    {ask.Hours{Zone: "UTC", Days: "tue", From: "00:00", To: "24:00"}, "2026-03-11T00:00:00Z", "2026-03-17T00:00:00Z"},
		"around the clock":                              {ask.Hours{}, "2026-03-11T03:00:00Z", "2026-03-11T03:00:00Z"},
		"at night, at once":                             {berlinNights, "2026-03-11T23:30:00+01:00", "2026-03-11T23:30:00+01:00"},
		"after midnight, at once":                       {berlinNights, "2026-03-11T05:59:00+01:00", "2026-03-11T05:59:00+01:00"},
		"at the end of the night, the next evening":     {berlinNights, "2026-03-11T06:00:00+01:00", "2026-03-11T22:00:00+01:00"},
		"the night that begins on Friday is worked":     {weekNights, "2026-03-14T03:00:00+01:00", "2026-03-14T03:00:00+01:00"},
		"the night that begins on Saturday is not":      {weekNights, "2026-03-15T03:00:00+01:00", "2026-03-16T22:00:00+01:00"},
		"the night that begins on Sunday is not":        {weekNights, "2026-03-16T03:00:00+01:00", "2026-03-16T22:00:00+01:00"},
		"until midnight by its other name":              {nights("22:00", "00:00"), "2026-03-11T00:00:00+01:00", "2026-03-11T22:00:00+01:00"},
		"the night when clocks go forward":              {berlinNights, "2026-03-29T05:30:00+02:00", "2026-03-29T05:30:00+02:00"},
		"after the night when clocks go forward":        {berlinNights, "2026-03-29T06:00:00+02:00", "2026-03-29T22:00:00+02:00"},
		"the second of two hours in the night":          {berlinNights, "2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"},
		"after the night when clocks go back":           {berlinNights, "2026-10-25T06:00:00+01:00", "2026-10-25T22:00:00+01:00"},
		"a night that ends at a time clocks jump over":  {nights("22:00", "02:30"), "2026-03-29T03:00:00+02:00", "2026-03-29T22:00:00+02:00"},
		"a night that ends at a time shown twice":       {nights("22:00", "02:30"), "2026-10-25T02:30:00+02:00", "2026-10-25T22:00:00+01:00"},
		"a day that a zone left out is no working day":  {ask.Hours{Zone: "Pacific/Apia", Days: "fri", From: "09:00", To: "17:00"}, "2011-12-29T18:00:00-10:00", "2012-01-06T09:00:00+14:00"},
		"a change of the zone in the middle of the day": {ask.Hours{Zone: "Pacific/Apia", Days: "sat", From: "09:00", To: "17:00"}, "2011-12-29T18:00:00-10:00", "2011-12-31T09:00:00+14:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(time.RFC3339, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			zone, _ := tt.hours.Location()
			if problems := tt.hours.Check("hours"); problems != nil {
				t.Fatal(problems)
			}
			if zone == nil {
				zone = time.UTC
			}
			if got := tt.hours.Next(at, zone).In(zone).Format(time.RFC3339); got != tt.want {
				t.Errorf("Next(%s) = %s, want %s", tt.at, got, tt.want)
			}
		})
	}
}

func TestHoursNextOvernightAcrossClockChanges(t *testing.T) {
	t.Parallel()
	hours := ask.Hours{Zone: "Europe/Berlin", Days: "fri-sat", From: "22:00", To: "06:00"}
	zone, err := hours.Location()
	if err != nil {
		t.Fatal(err)
	}
	within := func(at time.Time) bool {
		local := at.In(zone)
		begins := local.Weekday()
		if local.Hour() < 6 {
			begins = (begins + 6) % 7 // The evening before.
		}
		return (local.Hour() < 6 || local.Hour() >= 22) && (begins == time.Friday || begins == time.Saturday)
	}
	for _, first := range []time.Time{time.Date(2026, 3, 27, 0, 0, 0, 0, zone), time.Date(2026, 10, 23, 0, 0, 0, 0, zone)} {
		for at := first; at.Before(first.AddDate(0, 0, 5)); at = at.Add(15 * time.Minute) {
			want := at
			for !within(want) {
				want = want.Add(15 * time.Minute)
			}
			if got := hours.Next(at, zone); !got.Equal(want) {
				t.Errorf("Next(%s) = %s, want %s", at, got, want)
			}
		}
	}
}

func TestInvalidHours(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"zone":"Mars/Olympus","from":"09:00","to":"18:00"}`:              `schedule.hours.zone: "Mars/Olympus" is no time zone`,
		`{"zone":"Local","from":"09:00","to":"18:00"}`:                     `schedule.hours.zone: give a time zone`,
		`{"from":"09:00","to":"18:00"}`:                                    `schedule.hours.zone: give a time zone`,
		`{"zone":"UTC","days":"mon-foo","from":"09:00","to":"18:00"}`:      `schedule.hours.days: "mon-foo" names no days`,
		`{"zone":"UTC","from":"9 o'clock","to":"18:00"}`:                   `schedule.hours.from: "9 o'clock" is no time of day`,
		`{"zone":"UTC","from":"09:00","to":"25:00"}`:                       `schedule.hours.to: "25:00" is no time of day`,
		`{"zone":"UTC","from":"09:00","to":"09:00"}`:                       `schedule.hours.to: must differ from "from"`,
		`{"zone":"UTC","from":"00:00","to":"00:00"}`:                       `schedule.hours.to: must differ from "from"`,
		`{"zone":"UTC","from":"24:00","to":"24:00"}`:                       `schedule.hours.from: "24:00" is no time of day`,
		`{"zone":"UTC","from":"09:00","to":"18:00"},"claim_for":"10s"`:     `schedule.claim_for: must be between 1m0s and 24h0m0s`,
		`{"zone":"UTC","from":"09:00","to":"18:00"},"claim_for":"a while"`: `schedule.claim_for: "a while" is not a time`,
	} {
		body := `{"questions":[{"question":"Go?","options":["Yes","No"]}],"schedule":{"steps":[{"after":"1h","do":"remind"}],"hours":` + input + `}}`
		r, _, err := ask.DecodeRequest(json.RawMessage(body))
		if err == nil {
			err = r.Validate(nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", input, err, want)
		}
	}
	if problems := (ask.Schedule{Hours: ask.Hours{Zone: "UTC", From: "09:00", To: "18:00"}}).Check("schedule"); len(problems) != 1 {
		t.Errorf("hours without steps: %v", problems)
	}
}
