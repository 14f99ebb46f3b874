package listings

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/askbridge/askbridge/chatsim"
)

// TestRecipeScripts runs the scripts of docs/recipes/scripts.md. terraform and psql are stand-ins that write down how they
// are called.
func TestRecipeScripts(t *testing.T) {
	t.Parallel()
	old := time.Now().AddDate(0, -2, 0)
	for _, tt := range []struct {
		name, script string
		people       []string
		press        string
		code         int
		calls        string // what terraform and psql are called with, as a pattern
		kept         bool   // the old backup
	}{
		{"a cron job, approved", "cleanup.sh", []string{"U0000001"}, "Delete", 0, "^$", false},
		{"a cron job, refused", "cleanup.sh", []string{"U0000001"}, "Keep", 0, "^$", true},
		{"a plan, approved", "terraform.sh", []string{"U0000001"}, "Apply", 0, `^plan .*\nshow .*\napply -input=false plan\.tfplan\n$`, true},
		{"a plan, refused", "terraform.sh", []string{"U0000001"}, "Stop", 3, `^plan .*\nshow .*\n$`, true},
		{"a migration, approved by two", "migrate.sh", []string{"U0000001", "U0000002"}, "Run", 0, `^ALTER TABLE refunds;\n$`, true},
		{"a migration, refused by two", "migrate.sh", []string{"U0000001", "U0000002"}, "Stop", 3, "^$", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, url := world(t)
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
				return path
			}
			calls := write("calls", "")
			write("terraform", "#!/bin/sh\necho \"$@\" >>'"+calls+"'\n[ \"$1\" != plan ] || echo plan >plan.tfplan\n[ \"$1\" != show ] || echo '+ a bucket'\n")
			write("psql", "#!/bin/sh\nfor last; do :; done\ncat \"$last\" >>'"+calls+"'\n")
			backup := write("old.dump", "")
			if err := os.Chtimes(backup, old, old); err != nil {
				t.Fatal(err)
			}
			script, err := filepath.Abs(filepath.Join(root, "examples/recipes", tt.script))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(bounded(t), script, write("refunds.sql", "ALTER TABLE refunds;\n"))
			cmd.Dir = dir
			cmd.Env = []string{
				"PATH=" + dir + ":" + filepath.Dir(built(t)) + ":" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + t.TempDir(),
				"ASKBRIDGE_URL=" + url, "BACKUPS=" + dir, "DATABASE_URL=postgres://db.example/shop",
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for _, person := range tt.people {
				if err := (chatsim.Hand{Seat: w.Slack.Seat(person)}).Use(bounded(t), tt.press); err != nil {
					t.Fatal(err)
				}
			}
			err = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("ended with %v, want exit code %d\n%s", err, tt.code, &out)
			}
			called, err := os.ReadFile(calls)
			if err != nil || !regexp.MustCompile(tt.calls).Match(called) {
				t.Errorf("calls %q, want %s: %v", called, tt.calls, err)
			}
			if _, err := os.Stat(backup); (err == nil) != tt.kept {
				t.Errorf("the old backup: %v", err)
			}
		})
	}
}

// TestTunnel checks the rules of the tunnel in the way cloudflared reads them: the first match wins.
// https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/do-more-with-tunnels/local-management/configuration-file/
func TestTunnel(t *testing.T) {
	t.Parallel()
	var tunnel struct {
		Tunnel  string `yaml:"tunnel"`
		File    string `yaml:"credentials-file"`
		Ingress []struct {
			Hostname string `yaml:"hostname"`
			Path     string `yaml:"path"`
			Service  string `yaml:"service"`
		} `yaml:"ingress"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(text(t, "deploy/proxy/cloudflared.yml")), &tunnel, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if last := tunnel.Ingress[len(tunnel.Ingress)-1]; last.Hostname != "" || last.Path != "" {
		t.Errorf("the last rule matches not everything: %+v", last)
	}
	for path, want := range map[string]string{
		"/slack/interactions": "http://127.0.0.1:8081", "/discord/interactions": "http://127.0.0.1:8081",
		"/": "http_status:404", "/v1/requests": "http_status:404", "/x/slack/interactions": "http_status:404",
	} {
		for _, rule := range tunnel.Ingress {
			if (rule.Hostname == "" || rule.Hostname == "ask-callbacks.example.com") && regexp.MustCompile(rule.Path).MatchString(path) {
				if rule.Service != want {
					t.Errorf("%s leads to %s, want %s", path, rule.Service, want)
				}
				break
			}
		}
	}
}
