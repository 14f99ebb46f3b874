package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/test/redistest"
)

// prompt is the shell of a person with a home directory.
type prompt struct {
	*testing.T
	home string
	env  []string
}

func newPrompt(t *testing.T, env ...string) *prompt {
	t.Helper()
	return &prompt{t, t.TempDir(), env}
}

// run runs a command, checks its exit code, and returns its output.
func (s *prompt) run(code int, stdin string, args ...string) (out, stderr string) {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	cmd := exec.CommandContext(bounded(s.T), self, args...)
	cmd.Args[0] = "askbridge"
	cmd.Env = append([]string{"HOME=" + s.home, "XDG_CONFIG_HOME=" + filepath.Join(s.home, "config"), "PATH=" + os.Getenv("PATH")}, s.env...)
	cmd.Stdin = strings.NewReader(stdin)
	var to, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &to, &errs
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.Fatalf("askbridge %s: exit code %d, want %d: %s%s", strings.Join(args, " "), got, code, &to, &errs)
	}
	return to.String(), errs.String()
}

// needing returns a bridge that requires tokens, and the first token, created before its start.
func needing(t *testing.T) (p *process, settings, first string) {
	t.Helper()
	sim, dir := workspace(t), t.TempDir()
	store := fmt.Sprintf("{type: file, path: %q}\nrequire_tokens: true", filepath.Join(dir, "askbridge.db"))
	settings = filepath.Join(dir, "askbridge.yaml")
	text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret-of-slack, api_url: %s}\n", store, sim.APIURL())
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr := newPrompt(t).run(exitOK, "", "token", "create", "ops", "--scope", "tokens", "--scope", "read", "--config", settings)
	first = strings.TrimSpace(out)
	// Names are checked before the store is opened: no one could answer requests with this token.
	if _, stderr := newPrompt(t).run(exitUsage, "", "token", "create", "bot", "--responder", "slak:U1", "--config", settings); !strings.Contains(stderr, `responders[0]: "slak:U1": there is no platform for "slak" here`) {
		t.Errorf("unknown responder: %s", stderr)
	}
	if tokentext.Check(first) != nil || !strings.Contains(stderr, "for ops (tokens, read) is valid until ") || strings.Contains(stderr, first) {
		t.Fatalf("token create prints %q and %q", out, stderr)
	}
	return serve(t, sim, store+"\n"), settings, first
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	p, settings, first := needing(t)
	ops := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+first)
	stranger := newPrompt(t, "ASKBRIDGE_URL="+p.address)
	if _, stderr := stranger.run(exitFailed, "", "list"); !strings.Contains(stderr, "send your token") {
		t.Errorf("without a token: %s", stderr)
	}

	made, _ := ops.run(exitOK, "", "token", "create", "deploy-bot", "--to", "slack:C0000001", "--need", "2", "--rate", "7", "--json",
		"--schedule", `{"steps": [{"after": "1800s", "do": "remind"}], "pass_on": true}`)
	var bot client.MadeToken
	if err := json.Unmarshal([]byte(made), &bot); err != nil || bot.Rate != 7 || bot.Policy == nil || bot.Policy.Need != 2 || bot.By != "ops" {
		t.Fatalf("%+v, %v", bot, err)
	}
	if list, _ := ops.run(exitOK, "", "token", "list", "--json"); !strings.Contains(list, `"schedule":{"steps":[{"after":"30m0s","do":"remind"}],"pass_on":true}`) {
		t.Errorf("listed: %s", list)
	}
	as := func(token string) *prompt { return newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+token) }
	as(bot.Secret).run(exitOK, "", "list")
	if _, stderr := as(bot.Secret).run(exitFailed, "", "token", "list"); !strings.Contains(stderr, `lacks the scope "tokens"`) {
		t.Errorf("the bot: %s", stderr)
	}
	if list, _ := ops.run(exitOK, "", "token", "list"); !strings.Contains(list, bot.ID) || !strings.Contains(list, "slack:C0000001") || strings.Contains(list, bot.Secret) {
		t.Errorf("listed: %s", list)
	}

	second, stderr := ops.run(exitOK, "", "token", "rotate", "deploy-bot", "--grace", "0")
	if !strings.Contains(stderr, "it takes the place of "+bot.ID) {
		t.Errorf("rotate prints %s", stderr)
	}
	as(strings.TrimSpace(second)).run(exitOK, "", "list")
	if _, stderr := as(bot.Secret).run(exitFailed, "", "list"); !strings.Contains(stderr, "was replaced by a newer one") {
		t.Errorf("the old one: %s", stderr)
	}
	// A leaked token can revoke itself.
	if out, _ := ops.run(exitOK, "", "token", "revoke", strings.TrimSpace(second)); !strings.Contains(out, "(deploy-bot) is revoked.") {
		t.Errorf("revoke prints %s", out)
	}
	if strings.Contains(p.log.String(), strings.TrimSpace(second)) {
		t.Error("the token was sent to be revoked")
	}
	as(strings.TrimSpace(second)).run(exitFailed, "", "list")
	if out, _ := ops.run(exitOK, "", "token", "list"); strings.Contains(out, "deploy-bot") {
		t.Errorf("still listed: %s", out)
	}
	if out, _ := ops.run(exitOK, "", "token", "list", "--all"); strings.Count(out, "deploy-bot") != 4 { // As tenant too.
		t.Errorf("with those that ended: %s", out)
	}

	if _, stderr := ops.run(exitOK, "", "token", "create", "nobodys-shell", "--scope", "answer"); !strings.Contains(stderr, "warning: a token with the scope answer and without requester") {
		t.Errorf("token without people: %s", stderr)
	}
	if _, stderr := ops.run(exitOK, "", "token", "create", "danas-shell", "--scope", "answer", "--scope", "grant", "--requester", "slack:U0000001"); strings.Contains(stderr, "warning") {
		t.Errorf("a token of a person: %s", stderr)
	}

	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"token create x --scope grant", exitFailed, "requires answer"},
		{"token create", exitUsage, "give the token one name"},
		{"token create ops", exitFailed, "rotate that one"},
		{"token create x --scope fly", exitFailed, "scopes[0]"},
		{"token create x --need none", exitUsage, "policy.need"},
		{`token create x --schedule {"steps":[{"do":"dance"}]}`, exitFailed, "schedule.steps[0].do"},
		{`token create x --schedule {"stpes":[]}`, exitUsage, "not known: schedule.stpes"},
		{"token create x --schedule 30m", exitUsage, "--schedule: is no JSON"},
		{"token create x --schedule 30", exitUsage, "schedule: must be"},
		{`token create x --schedule {},"questions":[]`, exitUsage, "--schedule: is no JSON"},
		{"token rotate nobody", exitFailed, "no token has the id or the name"},
		{"token revoke", exitUsage, "name a token"},
		{"token revoke " + first[:20], exitUsage, "the token is damaged"},
		{"token list --config " + settings, exitFailed, "leave --config out"},
		{"token list --config nowhere.yaml", exitUsage, "nowhere.yaml"},
	} {
		if _, stderr := ops.run(test.code, "", strings.Fields(test.args)...); !strings.Contains(stderr, test.want) {
			t.Errorf("%s: %s, want %q", test.args, stderr, test.want)
		}
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	p, _, first := needing(t)
	ops := newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+first)
	made, _ := ops.run(exitOK, "", "token", "create", "dana", "--scope", "read", "--scope", "answer", "--expires-in", "1d")

	dana := newPrompt(t)
	out, warned := dana.run(exitOK, made, "login", "--url", p.address)
	file := filepath.Join(dana.home, "config", "askbridge", "login.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(out, "as dana, who may read, answer") || !strings.Contains(warned, "has the scope answer") {
		t.Fatalf("%v, %v: %s %s", info, err, out, warned)
	}
	if strings.Contains(out+warned, strings.TrimSpace(made)) {
		t.Error("the token is shown")
	}
	dana.run(exitOK, "", "list")

	if _, stderr := dana.run(exitFailed, "", "list", "--token", tokentext.New()); !strings.Contains(stderr, unknownToken) {
		t.Errorf("a flag comes first: %s", stderr)
	}
	for _, test := range []struct {
		name, stdin, want string
		code              int
	}{
		{"no token", "\n", "missing token", exitUsage},
		{"a damaged one", made[:30] + "\n", "the token is damaged", exitUsage},
		{"one that is not known", tokentext.New(), "nothing was saved", exitFailed},
	} {
		if _, stderr := dana.run(test.code, test.stdin, "login", "--url", p.address); !strings.Contains(stderr, test.want) {
			t.Errorf("%s: %s", test.name, stderr)
		}
	}
	dana.run(exitOK, "", "list")

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr := dana.run(exitFailed, "", "list"); !strings.Contains(stderr, "can be read by others") {
		t.Errorf("a file for all to read: %s", stderr)
	}
	dana.run(exitOK, "", "logout")
	if out, _ := dana.run(exitOK, "", "logout"); !strings.Contains(out, "Not logged in.") {
		t.Errorf("logged out twice: %s", out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := client.New(p.address, &client.Options{Token: strings.TrimSpace(made), Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if own, err := c.Self(ctx); err != nil || own.Name != "dana" {
		t.Errorf("logging out has ended the token: %+v, %v", own, err)
	}
}

// The token is sent only to its own bridge, and commands for agents do not use it.
func TestLoginTokenIsBoundToBridge(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("ASKBRIDGE_URL", "")
	t.Setenv("ASKBRIDGE_TOKEN", "")
	if _, err := (login{"https://askbridge.example/", "kept"}).write(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags      bridgeFlags
		url, token string
	}{
		{bridgeFlags{person: true}, "https://askbridge.example/", "kept"},
		{bridgeFlags{person: true, url: "https://askbridge.example"}, "https://askbridge.example", "kept"},
		{bridgeFlags{person: true, url: "https://elsewhere.example"}, "https://elsewhere.example", ""},
		{bridgeFlags{person: true, url: "http://askbridge.example"}, "http://askbridge.example", ""},
		{bridgeFlags{person: true, token: "given"}, "https://askbridge.example/", "given"},
		{bridgeFlags{}, defaultBridge, ""},
	} {
		url, token, err := test.flags.resolve()
		if err != nil || url != test.url || token != test.token {
			t.Errorf("%+v: %q is sent to %s, %v; want %q to %s", test.flags, token, url, err, test.token, test.url)
		}
	}
}

// Two processes on one Redis: what one does holds for the other with the next call.
func TestTokenChangesReachEveryReplica(t *testing.T) {
	t.Parallel()
	sim := workspace(t)
	store := fmt.Sprintf("{type: redis, redis: {url: %q}}\nagents: [{name: ops, token: ops-0123456789abcdefghijk, scopes: [tokens]}]\n", redistest.Start(t).URL)
	here, there := serve(t, sim, store), serve(t, sim, store)
	at := func(p *process, token string) *prompt {
		return newPrompt(t, "ASKBRIDGE_URL="+p.address, "ASKBRIDGE_TOKEN="+token)
	}
	const ops = "ops-0123456789abcdefghijk"
	for range 3 {
		made, _ := at(here, ops).run(exitOK, "", "token", "create", "bot")
		bot := strings.TrimSpace(made)
		at(there, bot).run(exitOK, "", "list")
		at(here, bot).run(exitOK, "", "list")
		at(there, ops).run(exitOK, "", "token", "revoke", "bot")
		for _, p := range []*process{here, there} {
			if _, stderr := at(p, bot).run(exitFailed, "", "list"); !strings.Contains(stderr, "was revoked on") {
				t.Errorf("the output is %s", stderr)
			}
		}
	}
}
