package config

import (
	"strings"
	"testing"
)

func TestAdviseRoutesWithoutReminder(t *testing.T) {
	t.Parallel()
	const office = "hours: {zone: Europe/Berlin, days: mon-fri, from: \"09:00\", to: \"18:00\"}"
	for name, tt := range map[string]struct{ route, want string }{
		"a weekend is longer than the default deadline": {
			"schedule: {steps: [{after: 30m, do: remind}], " + office + "}",
			"askbridge.yaml:4:60: routes.deploys.schedule.hours: requests made from Friday 17:30 to Sunday 09:00 (Europe/Berlin) expire before any step happens; " +
				"give them a longer expires_in, or widen the hours",
		},
		"each night is longer than the deadline": {
			"expires_in: 4h, schedule: {steps: [{after: 30m, do: remind}], " + office + "}",
			"requests made from Monday 17:30 to Tuesday 05:00 (Europe/Berlin), and in 4 other periods of the week expire",
		},
		"the day is longer than the deadline of the night shift": {
			"expires_in: 4h, schedule: {steps: [{after: 1h, do: remind}], hours: {zone: UTC, days: sat, from: \"22:00\", to: \"06:00\"}}",
			"requests made from Sunday 05:00 to Saturday 18:00 (UTC) expire",
		},
		"the hours are shorter than the wait":       {"expires_in: 2h, schedule: {steps: [{after: 2h, do: remind}], " + office + "}", "routes.deploys.schedule: no step ever happens"},
		"every step is after the deadline":          {"expires_in: 1h, schedule: {steps: [{after: 2h, do: remind}]}", "routes.deploys.schedule: no step ever happens: all are after the deadline, 1h0m0s after the request"},
		"the deadline is longer than the weekend":   {"expires_in: 72h, schedule: {steps: [{after: 30m, do: remind}], " + office + "}", ""},
		"there is no deadline":                      {"expires_in: never, schedule: {steps: [{after: 30m, do: remind}], " + office + "}", ""},
		"there are no hours":                        {"schedule: {steps: [{after: 30m, do: remind}]}", ""},
		"the last step comes before the deadline":   {"expires_in: 71h, schedule: {steps: [{after: 1h, do: remind}, {after: 70h, do: remind}], " + office + "}", ""},
		"the schedule has no steps":                 {"schedule: {claim_for: 30m}", ""},
		"invalid hours are an error":                {"schedule: {steps: [{after: 30m, do: remind}], hours: {zone: Mars, from: \"09:00\", to: \"18:00\"}}", ""},
		"the days and nights of a week are covered": {"schedule: {steps: [{after: 30m, do: remind}], hours: {zone: UTC, from: \"22:00\", to: \"21:00\"}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse("askbridge.yaml", []byte("slack: {bot_token: xoxb-1, signing_secret: 12345678901234567890123456789012}\nroutes:\n  deploys:\n    {to: [], "+tt.route+"}\n"), chats(), surroundings{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if advice := c.Advise(); advice != nil {
				got = advice.Error()
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("advice %q, want %q", got, tt.want)
			}
		})
	}
}
