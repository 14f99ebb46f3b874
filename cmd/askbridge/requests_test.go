package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// team configures a bot and a person at a shell.
const team = "agents:\n" +
	"  - {name: bot, token: bot-0123456789abcdefghijk, tenant: team}\n" +
	"  - {name: dana-shell, token: dana-0123456789abcdefghij, tenant: team, scopes: [read, cancel, answer], requester: [\"slack:U0000001\"]}\n"

func TestRequestCommands(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}\n"+team)
	sim.DeliverTo(p.callbacks(), nil)
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	submit := func(key, text string, to ...ask.Place) string {
		t.Helper()
		r, err := bot.Submit(ctx, ask.Request{Key: key, To: to, Questions: []ask.Question{
			{Text: text, Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	channel := ask.Place{Platform: "slack", Channel: "C0000001"}
	at := func(token string, args ...string) (int, string, string) {
		t.Helper()
		var out, stderr bytes.Buffer
		code := run(ctx, append(args, "--url", p.address, "--token", token), &out, &stderr)
		return code, out.String(), stderr.String()
	}
	dana := func(want string, args ...string) string {
		t.Helper()
		code, out, stderr := at("dana-0123456789abcdefghij", args...)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, prints %q %q, want %q", args, code, out, stderr, want)
		}
		return out
	}

	dana("There are none.", "list")
	first := submit("k1", "Which database?", channel)
	dana(first, "list")
	dana("There are none.", "list", "--trouble")
	dana("Which database?", "show", first)
	// Names are looked up when they are first shown.
	for _, command := range [][]string{{"list"}, {"show", first}} {
		for out := ""; !strings.Contains(out, "#deploys (slack:C0000001)"); out = dana("", command...) {
			if ctx.Err() != nil {
				t.Fatalf("%v does not name the channel:\n%s", command, out)
			}
		}
	}
	dana("may come from anyone", "show", first[:8])
	if code, _, stderr := at("wrong-0123456789abcdefgh", "show", first); code != exitFailed || stderr != "askbridge: request "+first+": "+unknownToken+"\n" {
		t.Errorf("a wrong token: %d %s", code, stderr)
	}
	dana("slack:C0000001)  posted (message ", "show", first)

	// A deleted card is reposted, even after the bridge has used up its own attempts.
	before, err := bot.Get(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	deleted, err := http.PostForm(sim.APIURL()+"chat.delete", url.Values{"token": {"xoxb-sim"}, "channel": {"C0000001"}, "ts": {before.Delivery[0].Message}})
	if err != nil {
		t.Fatal(err)
	}
	deleted.Body.Close()
	dana(first, "resend", first[:8])
	if err := sim.Seat("U0000001").AwaitText(ctx, "[SQLite]"); err != nil {
		t.Error(err)
	}

	// An agent cannot answer, a person can, once.
	if code, _, stderr := at("bot-0123456789abcdefghijk", "answer", first, "SQLite"); code != exitFailed || !strings.Contains(stderr, `lacks the scope "answer"`) {
		t.Errorf("the agent answers itself: %d %s", code, stderr)
	}
	dana("answered by dana-shell, over the API", "answer", first, "sqlite")
	if err := sim.Seat("U0000001").AwaitText(ctx, "dana-shell over the API"); err != nil {
		t.Error(err)
	}
	if r, err := bot.Wait(ctx, first); err != nil || r.Text != "Which database?\nSQLite" || r.By.Key() != "api:dana-shell" {
		t.Errorf("the agent gets %+v, %v", r, err)
	}
	if code, _, stderr := at("dana-0123456789abcdefghij", "answer", first, "Postgres"); code != exitFailed || !strings.Contains(stderr, "answered already") {
		t.Errorf("answered twice: %d %s", code, stderr)
	}

	// After the agent updates a request, an answer must name the revision.
	changed := submit("k-revised", "Restart staging?", channel)
	dana("Revision  0\n", "show", changed)
	if _, err := bot.Revise(ctx, changed, ask.Revision{Questions: []ask.Question{{Text: "Drop the production database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "Wait"}}}}}); err != nil {
		t.Fatal(err)
	}
	dana("Revision  1, made ", "show", changed)
	for _, args := range [][]string{{"Postgres"}, {"Postgres", "--revision", "0"}, {"SQLite", "--revision", "0"}, {"--reply", "no"}, {"--dismiss"}, {"Postgres", "--revision", "2"}} {
		code, out, stderr := at("dana-0123456789abcdefghij", append([]string{"answer", changed}, args...)...)
		if code != exitFailed || out != "" || !strings.Contains(stderr, "1. Drop the production database?\n   - Postgres") || !strings.Contains(stderr, "nothing was answered. To answer the current questions, add --revision 1") {
			t.Errorf("%q: %d %s%s", args, code, out, stderr)
		}
	}
	dana("answered by dana-shell, over the API", "answer", changed, "Wait", "--revision", "1")

	second := submit("k2", "Which database now?", channel)
	var r client.Request
	if err := json.Unmarshal([]byte(dana(`"reason":"asked by mistake"`, "cancel", second, "--reason", "asked by mistake", "--json")), &r); err != nil || r.State != ask.Cancelled {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
	if n := strings.Count(dana(first, "list", "--state", "ended", "--since", "1h", "--json"), "\n"); n != 3 {
		t.Errorf("%d have ended in the last hour", n)
	}
	if n := strings.Count(dana("", "list", "--state", "ended", "--since", "1ns", "--json"), "\n"); n != 0 {
		t.Errorf("%d have ended in the last moment", n)
	}
	if n := strings.Count(dana(first, "list", "--state", "ended", "--json"), "\n"); n != 3 {
		t.Errorf("%d lines of JSON", n)
	}
}

func TestRequestCommandErrors(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}\n"+team)
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := bot.Submit(ctx, ask.Request{Key: "k", To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, Questions: []ask.Question{
		{Text: "Which database?", Header: "Database", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}, NoOther: true},
		{Text: "Which checks?", Header: "Checks", Options: []ask.Option{{Label: "Unit"}, {Label: "Lint"}}, MultiSelect: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"show", exitUsage, "name one request"},
		{"show nobody", exitFailed, "404"},
		{"answer", exitUsage, "name one request"},
		{"answer ID", exitUsage, "give a label"},
		{"answer ID Postgres", exitUsage, "each needs an --answer"},
		{"answer ID --answer 1=Oracle --answer 2=Unit", exitUsage, "not an option"},
		{"answer ID --answer 1=Postgres", exitUsage, `no --answer for "Checks"`},
		{"answer ID --dismiss --reply no", exitUsage, "exclude each other"},
		{"cancel", exitUsage, "name the requests"},
		{"cancel nobody ID", exitFailed, "request nobody"},
		{"resend", exitUsage, "name the requests"},
		{"list --state ajar", exitFailed, "is not one of open"},
		{"list --since 24h", exitUsage, "needs --state ended"},
		{"list --state ended --since 0s", exitUsage, "takes a time"},
		{"list all", exitUsage, "takes no argument"},
	} {
		var out, stderr bytes.Buffer
		args := append(strings.Fields(strings.ReplaceAll(test.args, "ID", r.ID)), "--url", p.address, "--token", "dana-0123456789abcdefghij")
		if code := run(ctx, args, &out, &stderr); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: exit code %d, prints %q", test.args, code, stderr.String())
		}
	}
	if now, err := bot.Get(ctx, r.ID); err != nil || now.State != ask.Cancelled {
		t.Errorf("one request that is not there kept cancel from the other: %+v, %v", now, err)
	}
	var out, stderr bytes.Buffer
	if code := run(ctx, []string{"list", "--url", "http://127.0.0.1:1"}, &out, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "Start askbridge serve there") {
		t.Errorf("without a bridge: %d %s", code, &stderr)
	}
}

func TestEmptyIDIsUsageError(t *testing.T) {
	t.Parallel()
	p := newPrompt(t, "ASKBRIDGE_URL=http://127.0.0.1:1")
	for want, commands := range map[string][][]string{
		"name one request": {{"show", ""}, {"answer", "", "Yes"}, {"revise", "", "Go?"}, {"audit", "show", ""}},
		"name the request": {{"cancel", ""}, {"resend", "07abc", ""}, {"webhooks", "replay", ""}},
		"name a request":   {{"reply", "", "Yes."}},
		"name a grant":     {{"grant", "revoke", ""}},
		"name a token":     {{"token", "revoke", ""}, {"token", "rotate", ""}},
	} {
		for _, args := range commands {
			if _, stderr := p.run(exitUsage, "", args...); !strings.Contains(stderr, want) {
				t.Errorf("%q prints %s, want %q", args, stderr, want)
			}
		}
	}
}

// The runbook for undelivered cards uses list --trouble, which once listed nothing while thousands of
// cards were queued for an hour.
func TestListTrouble(t *testing.T) {
	t.Parallel()
	queues := []client.Delivery{{State: client.Posted}, {State: client.Delayed, Queue: 4987}}
	for name, tt := range map[string]struct {
		request client.Request
		want    bool
	}{
		"just asked":         {client.Request{State: ask.Open, CreatedAt: time.Now().Add(-time.Second), Delivery: queues}, false},
		"minutes ago":        {client.Request{State: ask.Open, CreatedAt: time.Now().Add(-5 * time.Minute), Delivery: queues}, true},
		"not posted yet":     {client.Request{State: ask.Open, CreatedAt: time.Now().Add(-5 * time.Minute), Delivery: []client.Delivery{{State: client.Pending}}}, true},
		"everybody sees it":  {client.Request{State: ask.Open, CreatedAt: time.Now().Add(-5 * time.Minute), Delivery: queues[:1]}, false},
		"ended in the queue": {client.Request{State: ask.Cancelled, CreatedAt: time.Now().Add(-5 * time.Minute), Delivery: queues}, false},
	} {
		if got := trouble(&tt.request); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}
