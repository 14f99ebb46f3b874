package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

func TestWebhookCommands(t *testing.T) {
	t.Parallel()
	var mended, calls atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if mended.Load() == 0 {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer receiver.Close()
	ctx, sim := bounded(t), workspace(t)
	p := serve(t, sim, "{type: memory}\nwebhooks: {secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=, local: true}")
	sim.DeliverTo(p.callbacks(), nil)
	q := request()
	q.Webhook = receiver.URL + "/answers"
	made, err := p.agent.Submit(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	says := func(want string, args ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := run(ctx, append([]string{"webhooks"}, append(args, "--url", p.address)...), &out, &stderr); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%v prints %q, want %q", args, out.String(), want)
		}
	}
	becomes := func(state client.WebhookState) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for r, err := p.agent.Get(ctx, made.ID); err != nil || r.Webhook.State != state; r, err = p.agent.Get(ctx, made.ID) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("the call does not become %s: %v", state, err)
			}
		}
	}
	// refuses replays several webhooks and checks the errors of those that cannot be replayed.
	refuses := func(called string, why map[string]string, ids ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := run(ctx, append([]string{"webhooks", "replay", "--url", p.address}, ids...), &out, &stderr); code != exitFailed || out.String() != called+" to be repeated\n" {
			t.Errorf("%v: exit code %d, %s", ids, code, &out)
		}
		for id, want := range why {
			if !strings.Contains(stderr.String(), "replay "+id+": ") || !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: %s", id, &stderr)
			}
		}
	}
	says("0 to be repeated", "replay", "--all")
	refuses("0", map[string]string{made.ID: "it is open", "nope": "no such request"}, "nope", made.ID)
	dana := sim.Seat("U0000001")
	if err := dana.AwaitText(ctx, "[SQLite]"); err != nil {
		t.Fatal(err)
	}
	if err := dana.Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	becomes(client.Dead)
	says(made.ID, "dead")
	says("410", "dead")
	mended.Store(1)
	refuses("1", map[string]string{"nope": "no such request"}, "nope", made.ID)
	becomes(client.Taken)
	q.ToolCallID, q.Webhook = "toolu_02", ""
	plain, err := p.agent.Submit(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	refuses("0", map[string]string{made.ID: "accepted the call", plain.ID: "has no webhook"}, made.ID, plain.ID)
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
	for _, args := range [][]string{{"replay"}, {"replay", "--all", made.ID}} {
		var out, stderr bytes.Buffer
		if code := run(ctx, append([]string{"webhooks"}, args...), &out, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "--all") {
			t.Error(fmt.Sprint(args), code, stderr.String())
		}
	}
}
