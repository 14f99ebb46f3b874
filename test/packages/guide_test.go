//go:build packages

package packages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is the text of the block of a document that begins so.
func block(t *testing.T, document, begins string) string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, filepath.Join(root(t), document)), "\n"+begins)
	text, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatalf("%s has no block that begins with %q", document, begins)
	}
	return strings.TrimPrefix(begins, begins[:strings.Index(begins, "\n")+1]) + text + "\n"
}

// TestGuideInstallsChart renders the chart with what the guide has people type, and looks for each of the
// secrets that they make in the configuration that comes of it.
func TestGuideInstallsChart(t *testing.T) {
	t.Parallel()
	secret, install, _ := strings.Cut(block(t, "docs/operations/deploy.md", "```sh not-run\nkubectl create secret generic "), "\n")
	args, is := strings.CutPrefix(strings.TrimSpace(install), "helm install ")
	if !is {
		t.Fatalf("the guide does not install the chart: %s", install)
	}
	out := run(t, root(t), tool(t, "helm"), append([]string{"template", "--kube-version", "1.29.0"}, strings.Fields(args)...)...)
	name := strings.Fields(secret)[4]
	want := []string{"registry.example/askbridge", "redis:6379", "secretName: " + name}
	for _, key := range regexp.MustCompile(`--from-file=(\w+)`).FindAllStringSubmatch(secret, -1) {
		want = append(want, "${file:/run/secrets/"+key[1]+"}")
	}
	for _, text := range want {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in\n%s", text, out)
		}
	}
	for _, read := range regexp.MustCompile(`\$\{file:/run/secrets/(\w+)\}`).FindAllStringSubmatch(out, -1) {
		if !strings.Contains(secret, "--from-file="+read[1]) {
			t.Errorf("no step creates the secret %s", read[1])
		}
	}
	readsItsConfiguration(t, out)
}

// TestGuidePrometheusConfig has Prometheus judge the configuration of the guide, with our rules in place.
func TestGuidePrometheusConfig(t *testing.T) {
	t.Parallel()
	text := block(t, "docs/operations/metrics.md", "```yaml prometheus\n")
	rules := filepath.Join(root(t), "deploy", "prometheus")
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "/etc/prometheus/askbridge", rules)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(t, ".", "promtool", "check", "config", file); !strings.Contains(out, "SUCCESS: 1 rule files found") {
		t.Errorf("promtool: %s", out)
	}
}

// TestGuideMatchesPackageAndUnit holds the commands for a machine with systemd against the release and the unit:
// what is copied is in the package, and what is written is read.
func TestGuideMatchesPackageAndUnit(t *testing.T) {
	t.Parallel()
	text := block(t, "docs/operations/deploy.md", "```sh not-run\nsudo apt install ")
	release, unit := read(t, filepath.Join(root(t), ".goreleaser.yaml")), read(t, filepath.Join(root(t), "deploy", "askbridge.service"))
	paths := regexp.MustCompile(`(/usr|/etc)/[\w./-]+`).FindAllString(text, -1)
	for _, path := range paths {
		switch {
		case strings.HasPrefix(path, "/usr/"):
			if !strings.Contains(release, "dst: "+path+"\n") {
				t.Errorf("the package has no %s", path)
			}
		case strings.HasPrefix(path, "/etc/askbridge/secrets/"):
			if !strings.Contains(unit, "\nLoadCredential=secret:/etc/askbridge/secrets\n") {
				t.Errorf("the unit does not read %s", path)
			}
		case !strings.Contains(unit, "askbridge serve --config "+path+"\n"):
			t.Errorf("the unit does not read %s", path)
		}
	}
	if len(paths) < 4 {
		t.Errorf("the guide names %q alone", paths)
	}
}

// A configuration that names credentials of the service could not be checked before its first start: there are none yet.
func TestCommandsReadServiceSecrets(t *testing.T) {
	t.Parallel()
	text := block(t, "docs/operations/deploy.md", "```sh not-run\nsudo sh -c 'umask 077; sed ")
	script := regexp.MustCompile(`sed "([^"]+)" (\S+) > (\S+)'`).FindStringSubmatch(text)
	if script == nil || !strings.Contains(text, "config check --config "+script[3]+"\n") || !strings.Contains(text, "doctor --config "+script[3]+"'\n") {
		t.Fatalf("no copy of the configuration is made and read:\n%s", text)
	}
	config := strings.ReplaceAll(read(t, filepath.Join(root(t), "deploy", "askbridge.example.yaml")), "/run/secrets/", "/run/credentials/askbridge.service/secret_")
	file := filepath.Join(t.TempDir(), filepath.Base(script[2]))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := run(t, ".", "sed", script[1], file)
	if !strings.Contains(copied, "${file:/etc/askbridge/secrets/slack_bot_token}") {
		t.Errorf("it reads\n%s", copied)
	}
	checkConfig(t, strings.ReplaceAll(copied, "/etc/askbridge/secrets", "/run/secrets"))
}

// TestGuideMatchesCompose holds the commands of the guide against those on top of the compose file.
func TestGuideMatchesCompose(t *testing.T) {
	t.Parallel()
	head := read(t, filepath.Join(root(t), "deploy", "compose.yaml"))
	for command := range strings.Lines(block(t, "docs/operations/deploy.md", "```sh not-run\ncp deploy/")) {
		if !strings.Contains(head, "#   "+strings.TrimSpace(command)) {
			t.Errorf("deploy/compose.yaml does not say %s", command)
		}
		if from, is := strings.CutPrefix(command, "cp "); is {
			read(t, filepath.Join(root(t), strings.Fields(from)[0]))
		}
	}
}
