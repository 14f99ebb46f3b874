package numbers

import (
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
)

var start = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// line is an event some seconds after the start.
func line(seconds int, request, kind, by string) audit.Line {
	return audit.Line{At: start.Add(time.Duration(seconds) * time.Second), Request: request, Kind: kind, By: by}
}

func asked(seconds int, request, agent, route string) audit.Line {
	l := line(seconds, request, "asked", "")
	l.Agent, l.Route = agent, route
	return l
}

func of(lines ...audit.Line) iter.Seq2[audit.Line, error] {
	return func(yield func(audit.Line, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func times(count int, median, p90 float64) client.Times {
	return client.Times{Count: count, Median: median, P90: p90}
}

func TestCount(t *testing.T) {
	t.Parallel()
	byGrant := line(0, "p", "answered", "slack:U1")
	byGrant.Detail = "grant:g1"
	linked := line(30, "p", "answered", "slack:U1")
	linked.Human = "dana"
	for name, tt := range map[string]struct {
		lines []audit.Line
		want  client.Numbers
	}{
		"open":                      {[]audit.Line{asked(0, "p", "bot", "")}, client.Numbers{Asked: 1, Open: 1}},
		"answered":                  {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "answered", "slack:U1")}, client.Numbers{Asked: 1, Answered: 1, ToFirstAct: times(1, 30, 30), ToEnd: times(1, 30, 30)}},
		"dismissed":                 {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "cancelled", "slack:U1")}, client.Numbers{Asked: 1, Dismissed: 1, ToFirstAct: times(1, 30, 30), ToEnd: times(1, 30, 30)}},
		"withdrawn by the agent":    {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "cancelled", "")}, client.Numbers{Asked: 1, Withdrawn: 1}},
		"expired":                   {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "expired", "")}, client.Numbers{Asked: 1, Expired: 1}},
		"superseded":                {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "superseded", "")}, client.Numbers{Asked: 1, Superseded: 1}},
		"failed":                    {[]audit.Line{asked(0, "p", "bot", ""), line(30, "p", "failed", "")}, client.Numbers{Asked: 1, Failed: 1}},
		"a grant takes no time":     {[]audit.Line{asked(0, "p", "bot", ""), byGrant}, client.Numbers{Asked: 1, Answered: 1, Granted: 1}},
		"a refusal is no act":       {[]audit.Line{asked(0, "p", "bot", ""), line(5, "p", "refused", "slack:U9")}, client.Numbers{Asked: 1, Open: 1}},
		"a vote is a first act":     {[]audit.Line{asked(0, "p", "bot", ""), line(5, "p", "voted", "slack:U1"), line(9, "p", "answered", "slack:U2")}, client.Numbers{Asked: 1, Answered: 1, ToFirstAct: times(1, 5, 5), ToEnd: times(1, 9, 9)}},
		"reminders and joins":       {[]audit.Line{asked(0, "p", "bot", ""), line(60, "p", "step", ""), line(61, "p", "joined", ""), line(90, "p", "step", "")}, client.Numbers{Asked: 1, Open: 1, Reminders: 2, Joined: 1}},
		"asked before the period":   {[]audit.Line{asked(-1, "p", "bot", ""), line(30, "p", "answered", "slack:U1")}, client.Numbers{}},
		"asked after the period":    {[]audit.Line{asked(3600, "p", "bot", "")}, client.Numbers{}},
		"answered after the period": {[]audit.Line{asked(3599, "p", "bot", ""), line(7200, "p", "answered", "slack:U1")}, client.Numbers{Asked: 1, Answered: 1, ToFirstAct: times(1, 3601, 3601), ToEnd: times(1, 3601, 3601)}},
		"events of no request":      {[]audit.Line{line(0, "", "started", "operator")}, client.Numbers{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Count(of(tt.lines...), start, start.Add(time.Hour), false)
			if err != nil || !cmp.Equal(got.Total, tt.want) || got.People != nil {
				t.Errorf("%v, people %v, want no people and\n%s", err, got.People, cmp.Diff(tt.want, got.Total))
			}
		})
	}
}

func TestCountGroups(t *testing.T) {
	t.Parallel()
	linked := line(30, "p3", "answered", "discord:1")
	linked.Human = "dana"
	vote := line(31, "p3", "counted", "slack:U2")
	lines := of(
		asked(0, "p1", "ci", "deploys"), asked(0, "p2", "ci", ""), asked(0, "p3", "bot", "deploys"),
		line(10, "p1", "answered", "slack:U1"), line(20, "p2", "claimed", "slack:U1"), line(40, "p2", "answered", "slack:U2"),
		line(29, "p3", "voted", "slack:U2"), linked, vote,
	)
	got, err := Count(lines, start, start.Add(time.Hour), true)
	if err != nil {
		t.Fatal(err)
	}
	names := func(all []client.Share) (list []string) {
		for _, s := range all {
			list = append(list, s.Name)
		}
		return list
	}
	if want := []string{"ci", "bot"}; !cmp.Equal(names(got.Agents), want) {
		t.Errorf("agents %q, want %q", names(got.Agents), want)
	}
	if want := []string{"deploys"}; !cmp.Equal(names(got.Routes), want) || got.Routes[0].Asked != 2 {
		t.Errorf("routes %+v, want %q with two requests", got.Routes, want)
	}
	want := []client.PersonNumbers{
		{Person: "slack:U2", Decided: 2, Acted: 2, ToFirstAct: times(2, 29, 40)},
		{Person: "slack:U1", Decided: 1, Acted: 2, ToFirstAct: times(2, 10, 20)},
		{Person: "dana", Decided: 1, Acted: 1, ToFirstAct: times(1, 30, 30)},
	}
	if !cmp.Equal(got.People, want) {
		t.Errorf("people\n%s", cmp.Diff(want, got.People))
	}
}

func TestCountInstallations(t *testing.T) {
	t.Parallel()
	posted := func(request, place string) audit.Line {
		l := line(1, request, "posted", "")
		l.Detail = place
		return l
	}
	got, err := Count(of(
		asked(0, "both", "bot", ""), posted("both", "slack@T1:C1"), posted("both", "discord@200000000000000001:200000000000000002"), posted("both", "slack@T1:C2"),
		asked(0, "one", "bot", ""), posted("one", "slack@T1:C1/1700000000.000100"), line(9, "one", "answered", "slack:U1"),
		asked(0, "unnamed", "bot", ""), posted("unnamed", "slack:C1"), asked(0, "failed", "bot", ""), line(9, "failed", "failed", ""),
	), start, start.Add(time.Hour), false)
	if err != nil {
		t.Fatal(err)
	}
	want := []client.Share{
		{Name: "T1", Numbers: client.Numbers{Asked: 2, Open: 1, Answered: 1, ToFirstAct: times(1, 9, 9), ToEnd: times(1, 9, 9)}},
		{Name: "200000000000000001", Numbers: client.Numbers{Asked: 1, Open: 1}},
	}
	if diff := cmp.Diff(want, got.Installations); diff != "" {
		t.Error(diff)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for n := 10; n > 0; n-- {
		all = append(all, time.Duration(n)*time.Second)
	}
	if got, want := summary(all), times(10, 5, 9); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCountFails(t *testing.T) {
	t.Parallel()
	away := errors.New("store away")
	_, err := Count(func(yield func(audit.Line, error) bool) { yield(audit.Line{}, away) }, start, start, false)
	if !errors.Is(err, away) {
		t.Errorf("error %v, want %v", err, away)
	}
}
