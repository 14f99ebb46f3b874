package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestAuditCommands(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	private, stderr := newPrompt(t).run(exitOK, "", "audit", "key")
	public := strings.TrimSpace(strings.TrimPrefix(stderr, "public key: "))
	copied, store := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "askbridge.db")
	more := fmt.Sprintf("{type: file, path: %q}\naudit: {key: %q, file: %q}\nmetrics: {listen: \"127.0.0.1:0\"}\nagents:\n"+
		"  - {name: bot, token: bot-0123456789abcdefghijk, tenant: team}\n"+
		"  - {name: dana-shell, token: dana-0123456789abcdefghij, tenant: team, scopes: [read, answer]}\n"+
		"  - {name: auditor, token: auditor-0123456789abcdefghij, scopes: [admin, tokens]}\n", store, strings.TrimSpace(private), copied)
	p := serve(t, sim, more)
	bot, err := client.New(p.address, &client.Options{Token: "bot-0123456789abcdefghijk"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := bot.Submit(ctx, ask.Request{Key: "k1", To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, Questions: []ask.Question{
		{Text: "Deploy 4.2?", Header: "Deploy", Options: []ask.Option{{Label: "Deploy"}, {Label: "Stop"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	as := func(token string) *prompt {
		return newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+token+"-0123456789abcdefghij")
	}
	as("dana").run(exitOK, "", "answer", r.ID, "--reply", "not before Dana is back")
	auditor := as("auditor")
	auditor.run(exitOK, "", "token", "create", "shop")
	if _, stderr := as("dana").run(exitFailed, "", "audit", "export"); !strings.Contains(stderr, `lacks the scope "admin"`) {
		t.Errorf("a token for answers reads the trail: %s", stderr)
	}

	// The trail lags by a second or two.
	var trail string
	for !strings.Contains(trail, `"kind":"cancelled"`) || !strings.Contains(trail, `"kind":"token_create"`) {
		if trail, _ = auditor.run(exitOK, "", "audit", "export", "--texts"); ctx.Err() != nil {
			t.Fatalf("trail remains incomplete:\n%s", trail)
		}
	}
	for _, want := range []string{`"kind":"started"`, `"kind":"asked"`, `"kind":"posted"`, `"by":"auditor"`, `"detail":"shop"`, `"by":"api:dana-shell"`, "not before Dana is back"} {
		if !strings.Contains(trail, want) {
			t.Errorf("trail lacks %s:\n%s", want, trail)
		}
	}
	shown, _ := auditor.run(exitOK, "", "audit", "show", r.ID)
	if lines := strings.Split(strings.TrimSpace(shown), "\n"); len(lines) != 4 || !strings.Contains(lines[2], "cancelled  api:dana-shell") || !strings.Contains(lines[3], "not before") {
		t.Errorf("output is\n%s", shown)
	}
	for !strings.Contains(shown, "#deploys (slack:C0000001)") {
		if shown, _ = auditor.run(exitOK, "", "audit", "show", r.ID); ctx.Err() != nil {
			t.Fatalf("the channel is not named:\n%s", shown)
		}
	}
	if again, _ := auditor.run(exitOK, "", "audit", "show", r.ID[:minPrefix]); again != shown {
		t.Errorf("by the first characters of the ID:\n%s\nwant:\n%s", again, shown)
	}
	auditor.run(exitFailed, "", "audit", "show", r.ID[:minPrefix-1])
	out, _ := auditor.run(exitOK, "", "audit", "verify", "--key", public)
	if !strings.Contains(out, "nothing was changed") || strings.Contains(out, "note:") {
		t.Errorf("verify prints %s", out)
	}
	heads, _ := auditor.run(exitOK, "", "audit", "heads")

	// The heads cover all chains.
	everything := filepath.Join(dir, "everything.jsonl")
	if err := os.WriteFile(everything, []byte(heads), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := auditor.run(exitOK, "", "audit", "verify", "--key", strings.ToUpper(public), "--tenant", "team", "--heads", everything); !strings.Contains(out, "in 1 chains: nothing was changed") {
		t.Errorf("verify of one tenant prints %s", out)
	}
	if _, stderr := auditor.run(exitUsage, "", "audit", "verify", "--tenant", "shop", "--heads", everything); !strings.Contains(stderr, "holds no heads to compare with") {
		t.Errorf("verify of a tenant without heads prints %s", stderr)
	}
	if out, _ := auditor.run(exitFailed, "", "audit", "verify", "--tenant", "taem"); !strings.Contains(out, "there are no events here") || strings.Contains(out, "nothing was changed") {
		t.Errorf("verify of an unknown tenant prints %s", out)
	}
	// The private key is passed instead of the public key.
	if out, stderr := auditor.run(exitFailed, "", "audit", "verify", "--key", strings.TrimSpace(private)); !strings.Contains(out, "signed with a different key: "+public) || strings.Contains(out+stderr, strings.TrimSpace(private)) {
		t.Errorf("verify with the private key prints %s%s", out, stderr)
	}

	erased, _ := auditor.run(exitOK, "", "audit", "erase", "--tenant", "team", "--person", "api:dana-shell", "--yes")
	if !strings.HasPrefix(erased, "1 events") {
		t.Errorf("erase prints %s", erased)
	}
	for out = ""; !strings.Contains(out, `"kind":"erased"`); {
		if out, _ = auditor.run(exitOK, "", "audit", "export", "--texts"); ctx.Err() != nil {
			t.Fatalf("trail lacks the erasure:\n%s", out)
		}
	}
	if strings.Contains(out, "not before") {
		t.Errorf("erased text is still in the trail:\n%s", out)
	}

	// The copy is modified.
	p.kill(syscall.SIGTERM)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kept, err := os.ReadFile(copied)
	if err != nil || bytes.Contains(kept, []byte("not before")) {
		t.Fatalf("the copy holds texts, or %v:\n%s", err, kept)
	}
	known := file("heads.jsonl", heads)
	auditor.run(exitOK, "", "audit", "verify", "--key", public, "--heads", known, copied)
	first, _, _ := strings.Cut(string(kept), "\n")
	for name, tt := range map[string]struct{ trail, want string }{
		"a line twice":   {first + "\n" + string(kept), "repeated: it was inserted"},
		"a changed byte": {strings.Replace(string(kept), `"detail":"shop"`, `"detail":"shoq"`, 1), "the hash does not match"},
		"nothing left":   {"", "lines were cut off"},
	} {
		if out, _ := auditor.run(exitFailed, "", "audit", "verify", "--key", public, "--heads", known, file("changed.jsonl", tt.trail)); !strings.Contains(out, tt.want) {
			t.Errorf("%s: verify prints %s", name, out)
		}
	}

	whole, _ := auditor.run(exitOK, "", "audit", "verify", "--key", public, "--heads", known, copied)
	twice, _ := auditor.run(exitOK, "", "audit", "verify", "--key", public, "--heads", known, copied, copied)
	if note, rest, _ := strings.Cut(twice, "; each counted once\n"); !strings.Contains(note, "note: repeated batches: ") || !strings.HasSuffix(whole, rest) {
		t.Errorf("verify of a repeated copy prints\n%s\nand of one copy\n%s", twice, whole)
	}

	for args, want := range map[string]string{
		"audit show":                                 "name one request",
		"audit erase --person slack:U1 --yes":        "say --tenant",
		"audit erase --tenant team --yes":            "say whose texts",
		"audit erase --tenant team --person slack:U": "say --yes",
		"audit verify --heads " + copied:             "is no file of heads",
	} {
		if _, stderr := auditor.run(exitUsage, "", strings.Fields(args)...); !strings.Contains(stderr, want) {
			t.Errorf("%s prints %s, want %q", args, stderr, want)
		}
	}
}

func TestAuditNamesWhoReloaded(t *testing.T) {
	t.Parallel()
	ctx, sim := bounded(t), workspace(t)
	private, _ := newPrompt(t).run(exitOK, "", "audit", "key")
	p := serve(t, sim, fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "askbridge.db")),
		fmt.Sprintf("audit: {key: %q}\nagents:\n  - {name: auditor, token: auditor-0123456789abcdefghij, scopes: [admin]}\n", strings.TrimSpace(private)))
	auditor := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN=auditor-0123456789abcdefghij")
	add := func(name string) {
		p.rewrite(func(text string) string {
			return text + fmt.Sprintf("  - {name: %s, token: %[1]s-0123456789abcdefghijk}\n", name)
		})
	}
	add("carol")
	if out, _ := auditor.run(exitOK, "", "config", "reload"); out != "Taken over: agents.\n" {
		t.Errorf("reload prints %s", out)
	}
	add("dave")
	p.hangUp(ctx, `"configuration reloaded"`)
	by := map[string]string{}
	for len(by) < 2 {
		out, _ := auditor.run(exitOK, "", "audit", "export")
		if ctx.Err() != nil {
			t.Fatalf("trail lacks the reloads:\n%s", out)
		}
		for line := range strings.Lines(out) {
			var l struct{ Kind, By, Detail string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if _, added, ok := strings.Cut(l.Detail, "agents_added="); ok && l.Kind == "configuration" {
				by[strings.Fields(added)[0]] = l.By
			}
		}
	}
	if want := map[string]string{"carol": "auditor", "dave": "operator"}; !maps.Equal(by, want) {
		t.Errorf("trail has %v, want %v", by, want)
	}
}

func TestAuditVerifyUsageErrors(t *testing.T) {
	t.Parallel()
	p, none := newPrompt(t), filepath.Join(t.TempDir(), "none.jsonl")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--heads " + none:         "holds no heads to compare with",
		"--heads elsewhere":       "no such file",
		"--tenant team " + none:   "--tenant goes with the trail of a running askbridge",
		"--key 00 " + none:        "a public key, which has 64 hex digits",
		"--key 3b6a27bc… " + none: "a public key, which has 64 hex digits",
	} {
		if _, stderr := p.run(exitUsage, "", append([]string{"audit", "verify"}, strings.Fields(args)...)...); !strings.Contains(stderr, want) {
			t.Errorf("verify %s prints %s, want %q", args, stderr, want)
		}
	}
	if help, _ := p.run(exitOK, "", "audit", "erase", "--help"); strings.Contains(help, "default all") {
		t.Errorf("erase takes one tenant, help is\n%s", help)
	}
}

func TestAuditShowListsRequestsThatShareAPrefix(t *testing.T) {
	t.Parallel()
	trail := ""
	for n := range 7 {
		for _, id := range []string{fmt.Sprintf("07ab%d", n), fmt.Sprintf("other%d", n)} {
			trail += fmt.Sprintf("{\"n\":%d,\"kind\":\"asked\",\"request\":%q}\n", n+1, id)
		}
	}
	var out strings.Builder
	err := showTrail(&out, strings.NewReader(trail), "07ab", func(_, text string) string { return text })
	const want = `7 requests in the trail begin with "07ab": 07ab0, 07ab1, 07ab2, 07ab3, 07ab4 and 2 more`
	var e *exit
	if !errors.As(err, &e) || e.code != exitUsage || e.Error() != want || out.Len() > 0 {
		t.Errorf("error is %v, want %s; output is %q", err, want, &out)
	}
}
