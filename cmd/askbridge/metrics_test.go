package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

// scrape returns the metrics of a process.
func (p *process) scrape() string {
	p.Helper()
	at := regexp.MustCompile(`"metrics":"([^"]+)"`).FindStringSubmatch(p.log.String())
	if at == nil {
		p.Fatal("the log names no address of the metrics")
	}
	req, err := http.NewRequestWithContext(bounded(p.T), http.MethodGet, "http://"+at[1]+"/metrics", http.NoBody)
	if err != nil {
		p.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.Fatalf("%s: %v", resp.Status, err)
	}
	return string(text)
}

// life lists the metrics after one answered question and one refused call.
var life = []string{
	`askbridge_requests_total{agent="bot"} 1`,
	`askbridge_requests_ended_total{platform="slack",state="answered"} 1`,
	`askbridge_acts_total{platform="slack",verdict="completed"} 1`,
	`askbridge_platform_calls_total{op="post",platform="slack",result="ok"} 1`,
	`askbridge_platform_up{platform="slack"} 1`,
	`askbridge_post_duration_seconds_count{platform="slack"} 1`,
	`askbridge_answer_duration_seconds_count{platform="slack"} 1`,
	`askbridge_acknowledge_duration_seconds_count{platform="slack"} 1`,
	`askbridge_callers_parked 0`,
	`askbridge_http_requests_total{code="201",method="POST",route="/v1/requests"} 1`,
	`askbridge_refusals_total{reason="unauthorized"} 1`,
}

// measured returns a process after these calls, and its metrics.
func measured(t *testing.T) (p *process, text string) {
	t.Helper()
	ctx, sim := bounded(t), workspace(t)
	p = serve(t, sim, "{type: memory}\nmetrics: {listen: 127.0.0.1:0}\n"+team)
	sim.DeliverTo(p.callbacks(), nil)
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	made, err := bot.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	if _, err := bot.Wait(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.agent.Get(ctx, made.ID); err == nil {
		t.Error("a call without a token is served")
	}
	// Calls are counted after their response, so the metrics can lag behind.
	text = p.scrape()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for over := bounded(t).Done(); len(missing(text, life)) > 0; text = p.scrape() {
		select {
		case <-tick.C:
		case <-over:
			t.Fatalf("no line %s", strings.Join(missing(text, life), ", "))
		}
	}
	return p, text
}

func TestMetricsOfOneRequest(t *testing.T) {
	t.Parallel()
	p, text := measured(t)
	for _, secret := range []string{"SQLite", "U0000001", "C0000001", "Which database"} {
		if strings.Contains(text, secret) {
			t.Errorf("metrics contain %q", secret)
		}
	}
	// The API does not serve them.
	resp, err := http.Get(p.address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("the API serves metrics: %s", resp.Status)
	}
}

// missing returns the lines that a text lacks.
func missing(text string, lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Contains(text, line+"\n") })
}

var metricName = regexp.MustCompile(`\b(askbridge|go|process)_[a-z0-9_]+\b`)

// Rules, dashboards and pages depend on the names of metrics.
func TestReferencedMetricsAreServed(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	others := map[string]bool{"askbridge_installations": true, "askbridge_token_refreshes_total": true} // Where workspaces install the app.
	_, text := measured(t)
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			served[strings.Fields(name)[0]] = true
		}
	}
	read := func(path string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	rules, dashboard, reference, pages := read("deploy/prometheus/alerts.yaml"), read("deploy/grafana/askbridge.json"), read("docs/operations/metrics.md"), read("docs/operations/alerts.md")
	for path, text := range map[string]string{"rules": rules, "dashboard": dashboard, "metrics.md": reference, "alerts.md": pages, "tests of the rules": read("deploy/prometheus/alerts_test.yaml")} {
		named := 0
		for _, name := range metricName.FindAllString(text, -1) {
			base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			if named++; !served[name] && !served[base] && !others[name] && !strings.HasSuffix(name, "_") {
				t.Errorf("%s: %s is not served", path, name)
			}
		}
		if named == 0 {
			t.Errorf("%s name no metric", path)
		}
	}
	for name := range served {
		if strings.HasPrefix(name, "askbridge_") && (!strings.Contains(reference, "`"+name+"`") || !strings.Contains(dashboard, name) && name != "askbridge_requests_open_counted") {
			t.Errorf("%s is not on the page and on the dashboard", name)
		}
	}
	var alerts, documented []string
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(rules, -1) {
		alerts = append(alerts, found[1])
		if !strings.Contains(rules, "/docs/operations/alerts.md#"+strings.ToLower(found[1])) {
			t.Errorf("%s links to a missing page", found[1])
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^## (Askbridge\w+)$`).FindAllStringSubmatch(pages, -1) {
		documented = append(documented, found[1])
	}
	slices.Sort(alerts)
	slices.Sort(documented)
	if len(alerts) == 0 || fmt.Sprint(alerts) != fmt.Sprint(documented) {
		t.Errorf("alerts %v\npages %v", alerts, documented)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "deploy/grafana/askbridge.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		UID, Title string
		Editable   bool
		Panels     []struct {
			Type, Title, Description string
			FieldConfig              struct{ Defaults struct{ Unit string } }
			Targets                  []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	if dashboard.UID == "" || dashboard.Title == "" || dashboard.Editable || len(dashboard.Panels) == 0 {
		t.Errorf("dashboard %q %q", dashboard.UID, dashboard.Title)
	}
	for _, p := range dashboard.Panels {
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q lacks a title or description", p.Title)
		}
		for _, target := range p.Targets {
			if !strings.Contains(target.Expr, `job=~"$job",instance=~"$instance"`) || strings.Contains(target.Expr, "_total{") && !strings.Contains(target.Expr, "[$__rate_interval]") {
				t.Errorf("panel %q: %s", p.Title, target.Expr)
			}
		}
	}
}
