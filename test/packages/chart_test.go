//go:build packages

package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestChartRenders has Helm judge the chart and render it as people set it up, and askbridge read the
// configuration that comes of it.
func TestChartRenders(t *testing.T) {
	t.Parallel()
	helm, chart := tool(t, "helm"), filepath.Join(root(t), "deploy", "helm", "askbridge")
	run(t, ".", helm, "lint", "--strict", chart)
	tests := map[string]struct {
		set  []string
		want []string
		not  []string
	}{
		"as it comes, two replicas share a Redis": {
			want: []string{
				"startupProbe:\n            httpGet: {path: /readyz, port: http}", "readinessProbe:\n            httpGet: {path: \"/readyz?part=store\", port: http}",
				"kind: PodDisruptionBudget", "kind: NetworkPolicy", "replicas: 2", "readOnlyRootFilesystem: true",
			},
			not: []string{"kind: Ingress", "kind: PersistentVolumeClaim", "type: Recreate", "kind: ServiceMonitor", "9464"},
		},
		"one replica keeps a file": {
			set:  []string{"replicas=1", "persistence.enabled=true", "config.store.type=file", "config.store.redis=null"},
			want: []string{"kind: PersistentVolumeClaim", "type: Recreate"},
			not:  []string{"kind: PodDisruptionBudget"},
		},
		"it is watched, and keeps an audit trail": {
			set: []string{"metrics.enabled=true", "metrics.serviceMonitor=true", "config.audit.key=${file:/run/secrets/audit_key}", "config.audit.max_lag=5m"},
			want: []string{
				"kind: ServiceMonitor", "{port: metrics, interval: 15s}", "{name: metrics, containerPort: 9464}", "{name: metrics, port: 9464, targetPort: metrics}",
				"listen: 0.0.0.0:9464", "max_lag: 5m",
			},
		},
		"it is traced": {
			set:  []string{"env[0].name=OTEL_EXPORTER_OTLP_ENDPOINT", "env[0].value=http://collector:4318", "networkPolicy.egressPorts={4318}"},
			want: []string{"name: OTEL_EXPORTER_OTLP_ENDPOINT", "value: http://collector:4318", "{protocol: TCP, port: 4318}"},
		},
		"platforms reach it from outside": {
			set: []string{"ingress.enabled=true", "ingress.host=ask.example.com", "ingress.tls=ask-tls"},
			want: []string{
				"kind: Ingress", "host: ask.example.com", "secretName: ask-tls", "port: {name: http}",
				"    - ports:\n        - {protocol: TCP, port: 8080}\n  egress:",
			},
		},
		"platforms reach an address of their own, and the ingress controller it alone": {
			set: []string{
				"ingress.enabled=true", "config.listen=0.0.0.0:9090", "config.callbacks.listen=0.0.0.0:9091", "config.slack.mode=http",
				"config.slack.signing_secret=12345678901234567890123456789012",
				`networkPolicy.outside[0].namespaceSelector.matchLabels.kubernetes\.io/metadata\.name=ingress-nginx`,
			},
			want: []string{
				"{name: http, containerPort: 9090}", "{name: callbacks, containerPort: 9091}", "{name: callbacks, port: 9091, targetPort: callbacks}", "port: {name: callbacks}",
				"    - ports:\n        - {protocol: TCP, port: 9091}\n      from:\n        - namespaceSelector:\n            matchLabels:\n              kubernetes.io/metadata.name: ingress-nginx\n",
			},
			not: []string{"port: 8080}\n  egress"},
		},
		"a load balancer leads calls to it": {
			set:  []string{"service.type=LoadBalancer"},
			want: []string{"    - ports:\n        - {protocol: TCP, port: 8080}\n  egress:"},
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"template", "ask", chart, "--kube-version", "1.29.0"}
			for _, set := range c.set {
				args = append(args, "--set", set)
			}
			out := run(t, ".", helm, args...)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range c.not {
				if strings.Contains(out, not) {
					t.Errorf("%q in\n%s", not, out)
				}
			}
			readsItsConfiguration(t, out)
		})
	}
}

// Two replicas with a file store each reported questions as unknown and lost them with the next drained node; a pod
// that listened only on loopback was restarted again and again.
func TestChartRejectsUnsafeValues(t *testing.T) {
	t.Parallel()
	helm, chart := tool(t, "helm"), filepath.Join(root(t), "deploy", "helm", "askbridge")
	for set, want := range map[string]string{
		"config.store.type=file":                                     "replicas share nothing through a store of type file",
		"config.store.type=memory":                                   "replicas share nothing through a store of type memory",
		"config.store=null":                                          "replicas share nothing through a store of type file",
		"replicas=1,config.store.type=file":                          "a file store without a volume is gone with its pod",
		"replicas=2,persistence.enabled=true":                        "persistence is for one replica",
		"config.listen=127.0.0.1:8080":                               "nobody outside the pod reaches",
		"config.listen=localhost:8080":                               "nobody outside the pod reaches",
		"config.listen=[::1]:8080":                                   "nobody outside the pod reaches",
		"replicas=1,config.store.type=memory":                        "",
		"replicas=1,config.store.type=file,persistence.enabled=true": "",
		"config.listen=[::]:8080":                                    "",
	} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), helm, "template", "ask", chart, "--kube-version", "1.29.0", "--set", set).CombinedOutput()
			if (err != nil) != (want != "") || want != "" && !strings.Contains(string(out), want) {
				t.Errorf("%v, want %q\n%s", err, want, out)
			}
		})
	}
}

// readsItsConfiguration checks the configuration of a rendered chart as askbridge does, with secrets in place.
func readsItsConfiguration(t *testing.T, rendered string) {
	t.Helper()
	for part := range strings.SplitSeq(rendered, "\n---\n") {
		var object struct {
			Kind string            `yaml:"kind"`
			Data map[string]string `yaml:"data"`
		}
		if err := yaml.Unmarshal([]byte(part), &object); err != nil {
			t.Fatalf("%v\n%s", err, part)
		}
		if object.Kind == "ConfigMap" {
			checkConfig(t, object.Data["askbridge.yaml"])
			return
		}
	}
	t.Error("there is no ConfigMap")
}

// checkConfig runs askbridge config check on a configuration whose secrets lie in a folder of the test.
func checkConfig(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{
		"slack_bot_token": "xoxb-1-a", "slack_app_token": "xapp-1-a", "agent_token": strings.Repeat("t", 32),
		"audit_key": strings.Repeat("0f", 32),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "askbridge.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "/run/secrets", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, root(t), "go", "run", "./cmd/askbridge", "config", "check", "--config", file)
}

// Tokens in the places named by the guide would have been committed with the next "git add" and copied into each
// image.
func TestComposeSecretsAreIgnored(t *testing.T) {
	t.Parallel()
	kept := read(t, filepath.Join(root(t), ".dockerignore"))
	for _, path := range []string{"deploy/secrets", "deploy/askbridge.yaml"} {
		if !strings.Contains(kept, "\n/"+path+"\n") {
			t.Errorf("a build gets %s", path)
		}
	}
	for _, path := range []string{"deploy/secrets/slack_bot_token", "deploy/askbridge.yaml"} {
		if out, err := exec.CommandContext(t.Context(), "git", "-C", root(t), "check-ignore", "--no-index", path).CombinedOutput(); err != nil {
			t.Errorf("git would add %s: %v %s", path, err, out)
		}
	}
}

// TestComposeReferencesExist reads the compose file: each file it names is one that its first lines tell people to
// create, or one of the repository, and its configuration is valid.
func TestComposeReferencesExist(t *testing.T) {
	t.Parallel()
	deploy := filepath.Join(root(t), "deploy")
	var compose struct {
		Services map[string]struct {
			Build struct {
				Context    string `yaml:"context"`
				Dockerfile string `yaml:"dockerfile"`
			} `yaml:"build"`
			Secrets []string `yaml:"secrets"`
		} `yaml:"services"`
		Secrets map[string]struct {
			File string `yaml:"file"`
		} `yaml:"secrets"`
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(deploy, "compose.yaml"))), &compose); err != nil {
		t.Fatal(err)
	}
	build := compose.Services["askbridge"].Build
	if _, err := os.Stat(filepath.Join(deploy, build.Context, build.Dockerfile)); err != nil {
		t.Error(err)
	}
	config := read(t, filepath.Join(deploy, "askbridge.example.yaml"))
	if len(compose.Services["askbridge"].Secrets) == 0 {
		t.Error("askbridge is given no secrets")
	}
	for _, name := range compose.Services["askbridge"].Secrets {
		if compose.Secrets[name].File != "secrets/"+name {
			t.Errorf("the secret %s is taken from %q", name, compose.Secrets[name].File)
		}
		if !strings.Contains(config, "${file:/run/secrets/"+name+"}") {
			t.Errorf("the configuration does not read the secret %s", name)
		}
	}
	checkConfig(t, config)
}
