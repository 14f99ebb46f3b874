package mcpserver

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
)

func TestModelSetsOnlyWhatItsTokenAllows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		allowed []string
		set     meta
		refused []wrong
	}{
		"to": {nil, meta{"to": []any{meta{"platform": "slack", "channel": "C0000002"}}}, []wrong{
			{"to", "the model may not set this; leave it out (the operator can allow it with model_may_set of the token)"},
		}},
		"route": {[]string{"to"}, meta{"route": "deploys"}, []wrong{
			{"route", "the model may not set this; leave it out (the operator can allow it with model_may_set of the token)"},
		}},
		"responders": {[]string{"to", "route"}, meta{"responders": []any{"anyone"}}, []wrong{
			{"responders", "the model may not set this; leave it out (the operator can allow it with model_may_set of the token)"},
		}},
		"origin": {[]string{"to", "route", "responders"}, meta{"origin": meta{"platform": "slack", "channel": "C0000004"}}, []wrong{
			{"origin", "the model may not set this; leave it out (the operator can allow it with model_may_set of the token)"},
		}},
		"an allowed origin":        {[]string{"origin"}, meta{"origin": meta{"platform": "slack", "channel": "C0000004", "people": []any{"slack:U0000001"}}}, nil},
		"a route of another token": {[]string{"route"}, meta{"route": "legal"}, []wrong{{"route", `"legal" is not one of deploys`}}},
		"an allowed route":         {[]string{"route"}, meta{"route": "deploys"}, nil},
		"allowed responders":       {[]string{"responders"}, meta{"responders": []any{"slack:U0000001"}}, nil},
		"an allowed place":         {[]string{"to"}, meta{"to": []any{meta{"platform": "slack", "channel": "C0000004"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &Options{Budget: time.Second}, func(t *testing.T, w *fixture) {
				a := w.webAs(w.caller(access.Agent{
					Name: "bot", Routes: []string{"deploys"}, Targets: []string{"slack:C0000004"}, ModelMaySet: tt.allowed,
				}))
				tools, err := a.session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				schema, err := compile(tools.Tools[0].InputSchema)
				if err != nil {
					t.Fatal(err)
				}
				for _, member := range access.ModelMembers() {
					if offered := schema.Properties[member] != nil; offered != slices.Contains(tt.allowed, member) {
						t.Errorf("%s is offered: %t", member, offered)
					}
				}
				args := database()
				maps.Copy(args, tt.set)
				got := a.call(askName, nil, args)
				if diff := cmp.Diff(tt.refused, got.Errors); diff != "" {
					t.Error(diff)
				}
				if want := len(tt.refused) == 0; (got.State == pending) != want || (w.posted() == 1) != want {
					t.Errorf("%+v, %d cards", got, w.posted())
				}
			})
		})
	}
}

func TestQuestionWithoutPlaceGoesWhereItsTokenMayAsk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		token  access.Agent
		target string
	}{
		"the default route":            {access.Agent{}, "slack:C0000002"},
		"the default route among many": {access.Agent{Routes: []string{"legal", "deploys"}}, "slack:C0000002"},
		"its first route":              {access.Agent{Routes: []string{"legal"}, Targets: []string{"slack:C0000004"}}, "slack:C0000003"},
		"its first channel":            {access.Agent{Targets: []string{"slack:*", "slack:C0000004"}}, "slack:C0000004"},
		"nowhere":                      {access.Agent{Targets: []string{"slack:*"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &Options{Budget: time.Second}, func(t *testing.T, w *fixture) {
				tt.token.Name = "bot"
				got := w.webAs(w.caller(tt.token)).call(askName, nil, database())
				if tt.target == "" {
					if got.State != refused || !strings.Contains(got.text, "this token may not ask there") {
						t.Errorf("%+v", got)
					}
					return
				}
				r := w.open()
				if len(r.Copies) != 1 || r.Copies[0].Target.String() != tt.target {
					t.Errorf("asked in %+v", r.Copies)
				}
			})
		})
	}
}

func TestModelOnStdioSetsOnlyWhatTheOperatorAllows(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		got := w.pipes(june2025).call(askName, nil, json.RawMessage(
			`{"question":"Go?","route":"legal","to":[{"platform":"slack","channel":"C1"}],"responders":["anyone"],"origin":{"platform":"slack","channel":"C1"}}`))
		const detail = "the model may not set this; leave it out"
		if diff := cmp.Diff([]wrong{{"to", detail}, {"route", detail}, {"responders", detail}, {"origin", detail}}, got.Errors); diff != "" || w.posted() != 0 {
			t.Errorf("%d cards, %s", w.posted(), diff)
		}
	})
}
