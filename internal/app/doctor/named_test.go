package doctor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/test/doctortest"
)

// A bot that was missing in an escalation channel was once noticed only at the first escalation.
func TestEscalationTargetsAreChecked(t *testing.T) {
	t.Parallel()
	escalation := func(channel, group string) config.Schedule {
		return config.Schedule{Steps: []config.Step{{
			Do: "add", Responders: []string{group}, To: []config.Target{{Platform: "slack", Channel: channel}, {Platform: "discord", Channel: "1"}},
		}}}
	}
	cfg := doctortest.Calm(t)
	cfg.Routes = map[string]config.Route{"deploys": {
		To: []config.Target{{Platform: "slack", Channel: "C1"}}, Terms: config.Terms{Responders: []string{"slack:U1"}, Schedule: escalation("C2", "slack-group:S2")},
	}}
	cfg.Agents[0].Responders, cfg.Agents[0].Schedule = []string{"slack:U3"}, escalation("C3", "slack-group:S3")
	cfg.People = config.People{"dana": {"slack:U4", "discord:4"}}
	cfg.Rotas = map[string]config.Rota{"payments": {
		Members: []string{"dana", "slack:U5"}, From: "2026-01-05 09:00", Zone: "UTC", Every: config.Span(24 * 3600e9),
	}}
	var got doctor.Named
	doctortest.Examine(t, cfg, doctor.Platform{Name: "slack", Examine: func(_ context.Context, _ *doctor.Report, n doctor.Named) { got = n }})
	want := doctor.Named{
		Routes:     []ask.Place{{Platform: "slack", Channel: "C1"}, {Platform: "slack", Channel: "C2"}, {Platform: "slack", Channel: "C3"}},
		Responders: []string{"U1", "U3", "U4", "U5"},
		Groups:     []ask.Entry{{Platform: "slack", Kind: "group", ID: "S2"}, {Platform: "slack", Kind: "group", ID: "S3"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checked targets (-want +got):\n%s", diff)
	}
}
