package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/audit"
)

func TestStats(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	key, _ := audit.NewKey()
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}\naudit: {key: %q, count_people: true}\nroutes: {deploys: {to: [{platform: slack, installation: T0000001, channel: C0000001}]}}\nagents:\n"+
		"  - {name: bot, token: bot-0123456789abcdefghijk, tenant: team}\n"+
		"  - {name: dana-shell, token: dana-0123456789abcdefghij, tenant: team, scopes: [read, answer]}\n"+
		"  - {name: boss, token: boss-0123456789abcdefghij, scopes: [admin]}\n", filepath.Join(t.TempDir(), "askbridge.db"), key))
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	boss := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN=boss-0123456789abcdefghij")
	if out, _ := boss.run(exitOK, "", "stats"); !strings.HasPrefix(out, "No requests since ") {
		t.Errorf("before the first request it prints %s", out)
	}
	var ids []string
	for n := range 2 {
		r, err := bot.Submit(ctx, ask.Request{Key: fmt.Sprint("k", n), Route: "deploys", Questions: []ask.Question{
			{Text: "Deploy 4.2?", Header: "Deploy", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN=dana-0123456789abcdefghij").run(exitOK, "", "answer", ids[0], "Deploy")

	// The trail lags by a second or two.
	var s client.Stats
	for s.Total.Answered == 0 || s.Total.Asked < 2 {
		out, _ := boss.run(exitOK, "", "stats", "--json")
		if err := json.Unmarshal([]byte(out), &s); err != nil || ctx.Err() != nil {
			t.Fatalf("the answer is not counted, or %v:\n%s", err, out)
		}
	}
	out, _ := boss.run(exitOK, "", "stats", "--since", "24h")
	var rows [][]string
	for line := range strings.Lines(out) {
		rows = append(rows, strings.Fields(line))
	}
	for _, want := range []string{"all 2 1 1 0 0 0 0 0", "deploys 2 1 1 0 0 0 0 0", "bot 2 1 1 0 0 0 0 0", "T0000001 2 1 1 0 0 0 0 0", "api:dana-shell 1 1"} {
		found := false
		for _, row := range rows {
			found = found || strings.HasPrefix(strings.Join(row, " ")+" ", want+" ")
		}
		if !found {
			t.Errorf("no row %q in\n%s", want, out)
		}
	}
	if out, _ := boss.run(exitOK, "", "stats", "--tenant", "other"); !strings.HasPrefix(out, "No requests since ") {
		t.Errorf("another tenant's numbers are %s", out)
	}
	if _, stderr := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN=dana-0123456789abcdefghij").run(exitFailed, "", "stats"); !strings.Contains(stderr, `lacks the scope "admin"`) {
		t.Errorf("without the scope admin it prints %s", stderr)
	}
	boss.run(exitUsage, "", "stats", "--since", "0")
}
