//go:build packages

package packages

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAlerts has Prometheus check the alert rules and run their test cases. Each alert has a case in which it fires,
// and stays silent otherwise.
func TestAlerts(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(root(t), "deploy", "prometheus")
	run(t, folder, "promtool", "check", "rules", "alerts.yaml")
	run(t, folder, "promtool", "test", "rules", "alerts_test.yaml")
	cases := read(t, filepath.Join(folder, "alerts_test.yaml"))
	alerts := 0
	for line := range strings.Lines(read(t, filepath.Join(folder, "alerts.yaml"))) {
		name, is := strings.CutPrefix(strings.TrimSpace(line), "- alert: ")
		if !is {
			continue
		}
		alerts++
		if !strings.Contains(cases, "        alertname: "+name+"\n        exp_alerts: [{") {
			t.Errorf("%s goes off in no case", name)
		}
		if _, well, _ := strings.Cut(cases, "a healthy bridge raises nothing"); !strings.Contains(well[:strings.Index(well, "- name:")], "alertname: "+name+"}") {
			t.Errorf("%s is not looked for while all is well", name)
		}
	}
	if alerts == 0 {
		t.Error("no alerts in alerts.yaml")
	}
}
