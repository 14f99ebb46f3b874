package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestNamesInConfiguration(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}\nroutes:\n  deploys: {to: [{platform: slack, channel: \"#deploys\"}], responders: [\"slack:@dana\"]}\ndefault_route: deploys\n")
	r, err := p.agent.Submit(ctx, ask.Request{Key: "k", Questions: []ask.Question{{Text: "Deploy?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Delivery) != 1 || r.Delivery[0].Channel != "C0000001" || len(r.Responders) != 1 || r.Responders[0] != "slack:U0000001" {
		t.Errorf("it was asked in %+v, of %q", r.Delivery, r.Responders)
	}
}

func TestNamesAreChecked(t *testing.T) {
	t.Parallel()
	sim := workspace(t)
	path := doctorConfig(t, sim, `"#deploys"`)
	if out, _ := newPrompt(t).run(exitOK, "", "config", "check", "--config", path); out != path+" is fine.\nIt has names, which askbridge serve and doctor look up: 1.\n" {
		t.Errorf("config check prints %q", out)
	}
	if out, _ := newPrompt(t).run(exitOK, "", "doctor", "--config", path); !strings.Contains(out, "#deploys (C0000001)") {
		t.Errorf("doctor prints %s", out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "askbridge.yaml")
	if err := os.WriteFile(wrong, bytes.Replace(text, []byte("#deploys"), []byte("#deplois"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"doctor", "serve"} {
		_, stderr := newPrompt(t).run(exitUsage, "", command, "--config", wrong)
		if !strings.Contains(stderr, "routes.deploys.to[0]: there is no channel #deplois that the bot can see; did you mean #deploys?") || !strings.Contains(stderr, wrong+":5:") {
			t.Errorf("%s prints %s", command, stderr)
		}
	}
}
