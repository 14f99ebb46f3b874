package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/wait"
)

// typesInit is why askbridge init is not run.
const typesInit = "a terminal and a person; TestInitGuidesAndContinues has both"

// notRun lists blocks, by their first line, that need an external service, and names the service.
var notRun = map[string]string{
	"README.md: go build -o ~/.local/bin/askbridge ./cmd/askbridge":       "a folder of the reader's; TestReproducibleBuild builds the same program",
	"README.md: askbridge init && askbridge serve":                        typesInit,
	"docs/platforms/slack.md: askbridge init":                             typesInit,
	"docs/platforms/discord.md: askbridge init":                           typesInit,
	"docs/operations/deploy.md: sudo apt install ./askbridge_*_amd64.deb": "a machine of its own with systemd and root; TestGuideMatchesPackageAndUnit holds its paths against both",
	`docs/operations/deploy.md: sudo sh -c 'umask 077; sed "s|/run/credentials/askbridge.service/secret_|/etc/askbridge/secrets/|" /etc/askbridge/askbridge.yaml > /root/askbridge.yaml'`: "the same; " +
		"TestCommandsReadServiceSecrets runs sed and config check",
	"docs/operations/deploy.md: cp deploy/askbridge.example.yaml deploy/askbridge.yaml": "a container engine; TestGuideMatchesCompose holds it against the compose file, which has a test of its own",
	"docs/operations/deploy.md: kubectl create secret generic askbridge --from-file=slack_bot_token --from-file=slack_app_token --from-file=agent_token": "a cluster and a registry; " +
		"TestGuideInstallsChart renders the chart with the same words",
}

// aside is what happens around a block that the reader of a guide does not type: there are questions, whose ids stand
// for those of the document, and what the guide promises is looked at.
type aside struct{ before, after func(r *reader) }

// asides are keyed by the first lines of their blocks.
var asides = map[string]aside{
	"docs/talk.md: " + `curl "$ASKBRIDGE_URL/v1/requests/$ID/reply" --json '{"to": 1, "text": "Yes, for thirty days."}'`: {
		before: func(r *reader) {
			asked := question("Deploy 4.2?", "Deploy", "Wait")
			asked.AskBack = ask.AskBackStay
			r.env["ID"] = r.asks(asked)
			dana, ctx := chatsim.Hand{Seat: r.slack.Seat(guideDana)}, bounded(r.T)
			r.must(dana.Rare(ctx, "Ask the agent…"))
			r.must(dana.Write(ctx, "", "Are there backups?"))
			r.must(dana.Submit(ctx))
		},
		after: func(r *reader) { r.sees("Yes, for thirty days.") },
	},
	"docs/talk.md: " + `curl -X PATCH "$ASKBRIDGE_URL/v1/requests/$ID" --json '{"revision": 0, "context": "Staging is green again."}'`: {
		after: func(r *reader) { r.sees("Deploy 4.3?") },
	},
	"docs/grants.md: askbridge grant list": {before: func(r *reader) {
		r.env["ASKBRIDGE_TOKEN"] = r.env["CLAUDE_CODE_TOKEN"]
		r.serves()
		_, err := r.caller().SubmitTool(bounded(r.T), client.ToolCall{
			Dialect: "claude", Request: ask.Request{Key: "call_1", Session: "s1", Responders: []string{"slack:" + guideDana}},
			Input: []byte(`{"session_id": "s1", "cwd": "/srv", "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "npm test"}}`),
		})
		r.must(err)
		r.sees("Allow for 8 h")
		r.must(r.slack.Seat(guideDana).Press(bounded(r.T), "Allow for 8 h"))
		r.awaits("the list", "npm test", func() string { return r.outputOf("askbridge grant list --json") }) // Kept behind the answer.
		r.instead["8fk2v0qj5m1xw7t3c9dn"] = regexp.MustCompile(`"id":"(\w+)"`).FindStringSubmatch(r.printed)[1]
	}, after: func(r *reader) {
		if all, err := r.caller().Grants(bounded(r.T)); err != nil || len(all.Grants) != 0 {
			r.Errorf("after it was revoked the grants are %+v, %v", all, err)
		}
	}},
	"docs/operations/tokens.md: askbridge login --url https://askbridge.example.com": {
		before: func(r *reader) { r.input = regexp.MustCompile(`abk_\w+`).FindString(r.printed) },
		after: func(r *reader) {
			if _, err := os.Stat(filepath.Join(r.dir, ".config", "askbridge", "login.json")); err != nil || !strings.Contains(r.printed, "as ops") {
				r.Errorf("login printed %s, and kept %v", r.printed, err)
			}
		},
	},
	"docs/operations/audit.md: askbridge audit key > /run/secrets/askbridge-audit-key": {after: func(r *reader) {
		r.instead["3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"] = regexp.MustCompile(`public key: (\w+)`).FindStringSubmatch(r.printed)[1]
		r.set("agents: [{name: deploy-bot, token: deploy-bot-0123456789abc}, {name: auditor, token: auditor-0123456789abcdef, scopes: [admin]}]")
	}},
	"docs/operations/audit.md: askbridge audit show p2k3h4g5": {
		before: func(r *reader) {
			r.env["ASKBRIDGE_TOKEN"] = "deploy-bot-0123456789abc"
			r.instead["p2k3h4g5"] = r.answered("Not before Dana is back")
			r.env["ASKBRIDGE_TOKEN"] = "auditor-0123456789abcdef"
			r.awaits("the trail", `"kind":"answered"`, func() string { return r.outputOf("askbridge audit export") })
		},
		after: func(r *reader) {
			if strings.Count(r.printed, "nothing was changed") != 2 || !strings.Contains(r.printed, "answered  slack:"+guideDana) {
				r.Errorf("show and verify printed %s", r.printed)
			}
		},
	},
	"docs/operations/audit.md: askbridge audit heads > heads.jsonl": {before: func(r *reader) {
		r.awaits("the copy", `"kind":"answered"`, func() string { return r.file("var/lib/askbridge/audit.jsonl") })
	}},
	"docs/operations/audit.md: askbridge audit erase --tenant deploy-bot --person slack:U0123ABCD --yes": {after: func(r *reader) {
		r.awaits("the trail", `"kind":"erased"`, func() string { return r.outputOf("askbridge audit export --texts") })
		if text := r.outputOf("askbridge audit export --texts"); strings.Contains(text, "Not before") {
			r.Errorf("it is still there:\n%s", text)
		}
	}},
	"docs/operations/encryption.md: askbridge store key > /run/secrets/askbridge-store-keys": {before: func(r *reader) { r.asks(question("Which database?", "Postgres", "SQLite")) }},
	"docs/operations/encryption.md: echo plain >> /run/secrets/askbridge-store-keys": {after: func(r *reader) {
		if keys := r.file("run/secrets/askbridge-store-keys"); strings.Contains(keys, "plain") || !strings.Contains(r.printed, "Everything is sealed with key") {
			r.Errorf("it printed %s, and the keys are %s", r.printed, keys)
		}
	}},
	"docs/operations/encryption.md: askbridge store backup --to askbridge-backup.jsonl --config askbridge.yaml": {after: func(r *reader) {
		if text := r.file("askbridge-backup.jsonl"); strings.Contains(text, "Which database?") {
			r.Errorf("the backup is in clear:\n%s", text)
		}
	}},
	"docs/operations/encryption.md: askbridge store erase --person slack:U0123ABCD --dry-run": {
		before: func(r *reader) { r.env["ID"] = r.answered("a text of Dana") },
		after: func(r *reader) {
			if got, err := r.caller().Get(bounded(r.T), r.env["ID"]); err != nil || strings.Contains(got.Text, "Dana") || !strings.Contains(r.printed, "1 of 1 requests") {
				r.Errorf("after %s it is %+v, %v", r.printed, got, err)
			}
		},
	},
	"docs/operations/reload.md: askbridge config check": {
		before: func(r *reader) {
			const ops = "{name: ops, token: ops-0123456789abcdefghijk, scopes: [admin]}"
			r.set("agents: [" + ops + "]")
			r.env["ASKBRIDGE_TOKEN"] = "ops-0123456789abcdefghijk"
			r.serves()
			r.set("agents: [" + ops + ", {name: carol, token: carol-0123456789abcdefghi}]")
		},
		after: func(r *reader) { r.must(r.logs(`"agents_added":"carol"`)) },
	},
	"docs/operations/reload.md: askbridge config reload": {
		before: func(r *reader) { r.set("agents: [{name: ops, token: ops-0123456789abcdefghijk, scopes: [admin]}]") },
		after:  func(r *reader) { r.must(r.logs(`"agents_removed":"carol"`)) },
	},
	"docs/operations/traces.md: export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318": {
		before: func(r *reader) {
			r.instead["http://localhost:4318"], r.spans = spans(r.T)
		},
		after: func(r *reader) {
			r.must(r.logs("requests are traced"))
			r.asks(question("Which database?", "Postgres", "SQLite"))
			r.bridge.kill(syscall.SIGTERM) // It flushes its spans.
			spanNamed(r.T, r.spans, "ask")
		},
	},
}

func question(text string, labels ...string) ask.Request {
	q := ask.Question{Text: text}
	for _, label := range labels {
		q.Options = append(q.Options, ask.Option{Label: label})
	}
	return ask.Request{Questions: []ask.Question{q}}
}

func (r *reader) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// caller returns a client with the reader's token.
func (r *reader) caller() *client.Client {
	r.Helper()
	c, err := client.New(r.bridge.address, &client.Options{Token: r.env["ASKBRIDGE_TOKEN"]})
	r.must(err)
	return c
}

// sees waits until Dana's channel has a text.
func (r *reader) sees(text string) {
	r.Helper()
	r.must(r.slack.Seat(guideDana).AwaitText(bounded(r.T), text))
}

// answered creates a question that Dana answers with text.
func (r *reader) answered(words string) string {
	r.Helper()
	id := r.asks(question("When?", "Today", "Tomorrow"))
	dana := chatsim.Hand{Seat: r.slack.Seat(guideDana)}
	r.must(dana.Own(bounded(r.T), "When?", words))
	_, err := r.caller().Wait(bounded(r.T), id)
	r.must(err)
	return id
}

// awaits polls until a text appears.
func (r *reader) awaits(where, text string, look func() string) {
	r.Helper()
	for ctx := bounded(r.T); ; {
		reply := look()
		if strings.Contains(reply, text) {
			return
		}
		if wait.For(ctx, simLook) != nil {
			r.Fatalf("%s never has %s:\n%s", where, text, reply)
		}
	}
}

// outputOf returns the output of a command.
func (r *reader) outputOf(command string) string {
	r.Helper()
	r.follows(command, command)
	return r.printed
}

// file returns the content of a file in the reader's folder, empty if it does not exist.
func (r *reader) file(name string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return string(text)
}
