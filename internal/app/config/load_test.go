package config

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/ask"
)

// TestLongDurationsInDays covers a retention of ten years, which was once read as 367 days.
func TestLongDurationsInDays(t *testing.T) {
	t.Parallel()
	got, err := parse("askbridge.yaml", []byte(`
store: {type: file, retention: 730d}
audit: {key: "`+strings.Repeat("0f", 32)+`", keep_for: 3650d}
slack: {bot_token: xoxb-1, signing_secret: 12345678901234567890123456789012}
`), chats(), surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	if store, trail := time.Duration(got.Store.Retention), time.Duration(got.Audit.KeepFor); store != 730*day || trail != 3650*day {
		t.Errorf("requests are kept for %s, and the trail for %s", store, trail)
	}
}

func TestLoadReadsEverySetting(t *testing.T) {
	t.Parallel()
	secret := func(text string) Secret { return NewSecret(text) }
	file := `
listen: 0.0.0.0:${PORT}
log: {level: debug, format: json}
store:
  type: redis
  retention: 36h
  redis:
    addrs: ["a:1", "b:2"]
    master: mymaster
    password: "pre${PASSWORD}post"
    tls: ${TLS}
slack:
  bot_token: ${file:/secret}
  signing_secret: 12345678901234567890123456789012
routes:
  deploys:
    to: [{platform: slack, channel: C1, thread: "1712.000100"}]
    responders: []
    expires_in: never
expires_in: 7d
max_questions: ${MOST:-6}
max_options: 12
agents:
  - name: bot
    token: canary-canary-canary-canary
`
	world := surroundings{
		env: func(name string) (string, bool) {
			value, ok := map[string]string{"PORT": "80", "TLS": "true", "PASSWORD": "a\nlisten: nowhere\n${TLS}"}[name]
			return value, ok
		},
		open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("xoxb-file\r\n")), nil },
	}
	got, err := parse("askbridge.yaml", []byte(file), chats(), world)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Listen: "0.0.0.0:80", ShutdownDelay: Span(time.Second),
		Log: Log{Level: "debug", Format: "json"},
		Store: Store{Type: StoreRedis, Retention: Span(36 * time.Hour), Redis: &Redis{
			Addrs: []string{"a:1", "b:2"}, Master: "mymaster", TLS: true,
			Password: secret("prea\nlisten: nowhere\n${TLS}post"),
		}},
		Platforms: Platforms{"slack": &slackSection{BotToken: secret("xoxb-file"), SigningSecret: secret("12345678901234567890123456789012")}},
		Routes: map[string]Route{"deploys": {
			To:    []Target{{Platform: "slack", Channel: "C1", Thread: "1712.000100"}},
			Terms: Terms{Responders: []string{}}, ExpiresIn: Expiry(ask.Never),
		}},
		ExpiresIn:    Expiry(7 * 24 * time.Hour),
		MaxQuestions: 6, MaxOptions: 12,
		Agents: []Agent{{Name: "bot", Token: secret("canary-canary-canary-canary")}},
	}
	same := cmp.Comparer(func(a, b Secret) bool { return a.Reveal() == b.Reveal() })
	if diff := cmp.Diff(want, got, same, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("config differs (-want +got):\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := parse("askbridge.yaml", []byte("slack: {mode: http}"), chats(), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	if got.Listen != "127.0.0.1:8080" || got.Store.Type != StoreFile || got.Store.Path != "askbridge.db" ||
		got.Log != (Log{Level: "info", Format: "auto"}) || got.ExpiresIn != 0 || got.Responders != nil {
		t.Errorf("defaults: %+v", got)
	}
}

func TestMissingFileIsNamedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	_, err := Load(path, chats(), false)
	if !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("Load: %v", err)
	}
}

func TestFileAndVariableAreRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ASKBRIDGE_TEST_SECRET", "from-the-environment")
	for name, text := range map[string]string{
		"token":          "from-a-file\n",
		"askbridge.yaml": "slack:\n  bot_token: ${file:" + dir + "/token}\n  signing_secret: ${ASKBRIDGE_TEST_SECRET}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(filepath.Join(dir, "askbridge.yaml"), chats(), false)
	if err != nil {
		t.Fatal(err)
	}
	read := c.Platforms["slack"].(*slackSection)
	if read.BotToken.Reveal() != "from-a-file" || read.SigningSecret.Reveal() != "from-the-environment" {
		t.Errorf("read %q and %q", read.BotToken.Reveal(), read.SigningSecret.Reveal())
	}
}

// A byte order mark made the first key unknown, and a carriage return made a secret invalid.
func TestWindowsTextFilesLoad(t *testing.T) {
	t.Parallel()
	world := anywhere()
	world.open = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("\ufeffxoxb-file\r\n")), nil
	}
	c, err := parse("askbridge.yaml", []byte("\ufefflisten: 127.0.0.1:1\r\nslack:\r\n  bot_token: ${file:token}\r\n"), chats(), world)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Platforms["slack"].(*slackSection).BotToken.Reveal(); c.Listen != "127.0.0.1:1" || got != "xoxb-file" {
		t.Errorf("listen is %q, and the token %q", c.Listen, got)
	}
	wide := "\xff\xfe" + strings.Join(strings.Split("listen: 127.0.0.1:1\r\nslack:\r\n  bot_token: ${file:token}\r\n", ""), "\x00") + "\x00"
	if c, err := parse("askbridge.yaml", []byte(wide), chats(), world); err != nil || c.Listen != "127.0.0.1:1" {
		t.Errorf("UTF-16: %+v, %v", c, err)
	}
	if _, err := parse("askbridge.yaml", []byte("\xff\xfea"), chats(), world); err == nil || !strings.Contains(err.Error(), "byte order mark of UTF-16") {
		t.Errorf("a truncated character: %v", err)
	}
	_, err = parse("askbridge.yaml", []byte("\ufeffliten: x\n"), chats(), world)
	if err == nil || !strings.Contains(err.Error(), "askbridge.yaml:1:1: liten: unknown key; did you mean listen?") {
		t.Errorf("a mistake on the first line is %v", err)
	}
}

func TestExplainAddsPositions(t *testing.T) {
	t.Parallel()
	c, err := parse("askbridge.yaml", []byte("slack: {mode: http}\nroutes:\n  deploys:\n    to:\n      - platform: teams\n"), chats(), anywhere())
	if err != nil {
		t.Fatal(err)
	}
	err = c.Explain(&ask.InvalidError{Problems: []ask.Problem{
		{Path: "default_route", Detail: "there is no route"},
		{Path: "routes.deploys.to[0].platform", Detail: "there is no platform"},
	}})
	want := "askbridge.yaml:5:9: routes.deploys.to[0].platform: there is no platform\naskbridge.yaml: default_route: there is no route"
	if err == nil || err.Error() != want {
		t.Errorf("Explain:\n%v\nwant:\n%s", err, want)
	}
	if other := errors.New("disk full"); !errors.Is(c.Explain(other), other) {
		t.Error("an unrelated error was changed")
	}
}

func TestJoinOrdersAndDeduplicatesErrors(t *testing.T) {
	t.Parallel()
	c, err := parse("askbridge.yaml", []byte("language: fr\nlisten: nowhere\nslack: {mode: http}\nrotas: {week: {members: [], zone: UTC, from: x, every: 1d}}\n"), chats(), anywhere())
	if c == nil || err == nil {
		t.Fatalf("parse = %v, %v", c, err)
	}
	err = Join(err, nil, c.At("slack", errors.New("signing_secret is missing")), c.At("listen", errors.New("can be reached")),
		c.Explain(&ask.InvalidError{Problems: []ask.Problem{{Path: "language", Detail: "is not known"}, {Path: "rotas.week", Detail: "names nobody"}}}), errors.New("disk full"))
	want := "askbridge.yaml:1:1: language: is not known\n" +
		"askbridge.yaml:2:1: listen: must be an address and a port, such as 127.0.0.1:8080\n" +
		"askbridge.yaml:3:1: slack: signing_secret is missing\n" +
		"askbridge.yaml:4:16: rotas.week.members: is empty\n" +
		"askbridge.yaml:4:40: rotas.week.from: \"x\" is not a date and time such as \"2026-01-05 09:00\"\n" +
		"disk full"
	if err == nil || err.Error() != want {
		t.Errorf("Join:\n%v\nwant:\n%s", err, want)
	}
	if err := Join(nil, c.At("slack", nil)); err != nil {
		t.Errorf("no errors: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("slack: {bot_token: canary}\nroutes:\n  a: {to: [{platform: slack, channel: C1}]}\n")
	f.Add("a: &b [*b]\n<<: *b\n? {x: y}\n: !!int z\n")
	f.Add("slack:\n  bot_token: ${file:x}${Y:-z}$${\n---\n")
	f.Fuzz(func(t *testing.T, file string) {
		c, err := parse("askbridge.yaml", []byte(file), chats(), anywhere())
		if c == nil && err == nil {
			t.Fatal("neither a config nor an error")
		}
	})
}
