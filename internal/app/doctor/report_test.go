package doctor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/test/golden"
)

func sample() *doctor.Report {
	return &doctor.Report{Findings: []doctor.Finding{
		{ID: "slack/token", State: doctor.OK, Found: "it is @askbridge in the workspace Acme (T0123ABCD)"},
		{ID: "slack/channel", State: doctor.Broken, Found: "the bot is not in #deploys (C0123ABCD)", Do: "In the channel: /invite @askbridge"},
		{ID: "discord/application", State: doctor.Warn, Found: "clicks go to https://ask.example.com/a/very/long/path/that/is/longer/than/a/line, which does not look like askbridge", Do: "In https://discord.com/developers/applications: General Information, Interactions Endpoint URL, clear it and save; or set discord.mode to http."},
		{ID: "slack/mode", State: doctor.Note, Found: "It says:\ntwo lines", Do: "Nothing."},
	}}
}

func TestTableWidth(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := sample().WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/table.txt", b.String())
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 && !strings.Contains(line, "https://") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestSummaryLine(t *testing.T) {
	t.Parallel()
	of := func(states ...doctor.State) *doctor.Report {
		r := &doctor.Report{}
		for _, s := range states {
			r.Findings = append(r.Findings, doctor.Finding{ID: "x", State: s})
		}
		return r
	}
	for want, r := range map[string]*doctor.Report{
		"No problems found.":            of(doctor.OK, doctor.Note),
		"1 problem found.":              of(doctor.Warn, doctor.Broken),
		"2 problems found.":             of(doctor.Broken, doctor.Broken),
		"Everything works; 1 warning.":  of(doctor.Warn),
		"Everything works; 2 warnings.": of(doctor.Warn, doctor.OK, doctor.Warn),
	} {
		if got := r.Summary(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	for r, want := range map[*doctor.Report]string{
		{}: `{"ok":true,"findings":[]}`,
		{Findings: []doctor.Finding{{ID: "a", State: doctor.Broken, Found: "b", Do: "c"}}}: `{"ok":false,"findings":[{"id":"a","state":"broken","found":"b","do":"c"}]}`,
	} {
		if got, err := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
