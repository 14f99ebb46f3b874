package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestInbox(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}\nagents:\n"+
		"  - {name: bot, token: bot-0123456789abcdefghijk, tenant: team}\n"+
		"  - {name: dana-shell, token: dana-0123456789abcdefghij, tenant: team, requester: [\"slack:U0000001\"], scopes: [read, answer]}\n", filepath.Join(t.TempDir(), "askbridge.db")))
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	dana := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN=dana-0123456789abcdefghij")
	if out, _ := dana.run(exitOK, "", "inbox"); out != "Nothing waits for you.\n" {
		t.Errorf("an empty inbox is %q", out)
	}
	var mine string
	for n, responder := range []string{"slack:U0000001", "slack:U0000002"} {
		r, err := bot.Submit(ctx, ask.Request{Key: fmt.Sprint("k", n), To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, Responders: []string{responder}, Questions: []ask.Question{
			{Text: fmt.Sprintf("Deploy 4.%d?", n), Header: "Deploy", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			mine = r.ID
		}
	}
	out, _ := dana.run(exitOK, "", "inbox")
	for _, want := range []string{mine, "by bot", "ends in 23h", "1. Deploy: Deploy 4.0?", "- Stop", "https://"} {
		if !strings.Contains(out, want) {
			t.Errorf("the inbox lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "4.1?") {
		t.Errorf("the inbox has another person's request:\n%s", out)
	}
	if out, _ := dana.run(exitOK, "", "inbox", "--json"); !strings.HasPrefix(out, `{"id":"`+mine+`"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("as JSON it is\n%s", out)
	}
	dana.run(exitOK, "", "answer", mine, "Stop")
	if out, _ := dana.run(exitOK, "", "inbox"); out != "Nothing waits for you.\n" {
		t.Errorf("after the answer it is %q", out)
	}
}
