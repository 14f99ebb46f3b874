package app_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	discord "github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/logbuffer"
)

func TestMain(m *testing.M) {
	app.LogLibraries(nil)
	goleak.VerifyTestMain(m)
}

const (
	dana  = "U0000001"
	sam   = "U0000002"
	robin = "U0000009" // Of another workspace.
	gus   = "U0000011" // A guest.
)

// fixture is a program connected to a mock Slack, a mock Discord or both, all on loopback TCP ports.
type fixture struct {
	*testing.T

	slack   *slacksim.Server   // nil without Slack
	discord *discordsim.Server // nil without Discord
	address string             // of the API
	hooks   string             // of the callbacks
	http    *http.Client
	agent   *client.Client
	log     *logbuffer.Buffer
	app     *app.App
	cfg     *config.Config
	stop    func()
	ended   chan error
}

// start runs the program until the test ends. Mode is the transport of Slack, "http" or "socket", of Discord, "discord
// http" or "discord gateway", or "both" for both platforms. Change may modify the configuration.
func start(t *testing.T, mode string, change func(*config.Config)) *fixture {
	t.Helper()
	w := &fixture{T: t, log: &logbuffer.Buffer{}, ended: make(chan error, 1)}
	cfg := &config.Config{Store: config.Store{Type: config.StoreMemory}, MaxQuestions: 10, Platforms: config.Platforms{}}
	way, onDiscord := strings.CutPrefix(mode, "discord ")
	if mode == "both" {
		way = "http"
	}
	if !onDiscord {
		w.withSlack(cfg, way)
	}
	if onDiscord || mode == "both" {
		w.withDiscord(cfg, way)
	}
	if change != nil {
		change(cfg)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.address = "http://" + ln.Addr().String()
	hooks, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.hooks = "http://" + hooks.Addr().String()
	calls := &http.Transport{}
	w.http = &http.Client{Transport: calls}
	a, err := app.New(cfg, &app.Options{
		Listener: ln, CallbackListener: hooks, Logger: slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		PlatformHTTP: w.http,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.app, w.cfg = a, cfg
	ctx, cancel := context.WithCancel(context.Background())
	go func() { w.ended <- a.Run(ctx) }()
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-w.ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		w.stop()
		calls.CloseIdleConnections()
		if t.Failed() {
			t.Logf("log:\n%s", w.log)
			for _, timeline := range w.timelines() {
				t.Logf("timeline:\n%s", timeline)
			}
		}
	})
	if w.agent, err = client.New(w.address, &client.Options{HTTP: w.http}); err != nil {
		t.Fatal(err)
	}
	if w.slack != nil && way == "http" {
		w.slack.DeliverTo(w.hooks+provider.Callback("slack"), w.http)
	}
	if w.discord != nil && way == "http" {
		w.discord.DeliverTo(w.hooks+provider.Callback("discord"), w.http)
	}
	w.await("the program to be ready", func() bool {
		resp, err := w.http.Get(w.address + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return w
}

// slackOf returns the section of Slack for changes.
func slackOf(cfg *config.Config) *slack.Section { return cfg.Platforms["slack"].(*slack.Section) }

func (w *fixture) withSlack(cfg *config.Config, way string) {
	w.Helper()
	w.slack = slacksim.Start(w.T, &slacksim.Options{Patience: time.Minute, People: []slacksim.Person{
		{ID: dana, Name: "dana", RealName: "Dana"},
		{ID: sam, Name: "sam", RealName: "Sam"},
		{ID: "U0000003", Name: "kim", RealName: "Kim"},
		{ID: robin, Name: "robin", RealName: "Robin", Team: "T0000009"},
		{ID: gus, Name: "gus", RealName: "Gus", Guest: slacksim.MultiChannelGuest},
	}})
	if _, err := w.slack.Listen("127.0.0.1:0"); err != nil {
		w.Fatal(err)
	}
	cfg.Platforms["slack"] = &slack.Section{
		Mode: way, APIURL: w.slack.APIURL(), BotToken: config.NewSecret("xoxb-sim"),
		SigningSecret: config.NewSecret(w.slack.SigningSecret()), AppToken: config.NewSecret("xapp-sim"),
	}
}

func (w *fixture) withDiscord(cfg *config.Config, way string) {
	w.Helper()
	w.discord = discordsim.Start(w.T, &discordsim.Options{Patience: time.Minute})
	if _, err := w.discord.Listen("127.0.0.1:0"); err != nil {
		w.Fatal(err)
	}
	cfg.Platforms["discord"] = &discord.Section{
		Mode: way, APIURL: w.discord.APIURL(), BotToken: config.NewSecret("discord-sim-token"), PublicKey: w.discord.PublicKey(),
	}
}

func (w *fixture) timelines() []*chatsim.Timeline {
	var all []*chatsim.Timeline
	if w.slack != nil {
		all = append(all, w.slack.Timeline())
	}
	if w.discord != nil {
		all = append(all, w.discord.Timeline())
	}
	return all
}

// await waits for a condition, checked after changes in the mock Slack and in the log.
func (w *fixture) await(what string, ok func() bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.Fatalf("waited for %s in vain", what)
		}
	}
}

// post calls the API. It returns nil if there was no reply.
func (w *fixture) post(path, text string) *http.Response {
	req, err := http.NewRequestWithContext(context.WithoutCancel(w.Context()), http.MethodPost, w.address+path, strings.NewReader(text))
	if err != nil {
		w.Error(err)
		return nil
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.http.Do(req)
	if err != nil {
		w.Errorf("POST %s: %v", path, err)
		return nil
	}
	return resp
}

// soon is the deadline of questions that expire in a test: late enough for their card to be posted on
// a busy machine.
const soon = 2 * time.Second

// asking submits a request and waits for its result in the background.
type asking struct {
	*client.Request

	w    *fixture
	done chan struct{}
	last *client.Request
	err  error
}

func (w *fixture) ask(r ask.Request) *asking {
	w.Helper()
	if r.To == nil && r.Route == "" {
		r.To = []ask.Place{{Platform: "slack", Channel: "C0000001"}}
	}
	made, err := w.agent.Submit(w.Context(), r)
	if err != nil {
		w.Fatal(err)
	}
	a := &asking{Request: made, w: w, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		a.last, a.err = w.agent.Wait(ctx, made.ID)
	}()
	w.Cleanup(func() { <-a.done })
	return a
}

// by returns a person in the channel of the card.
func (a *asking) by(person string) *slacksim.Seat {
	a.w.Helper()
	if len(a.Delivery) == 0 || a.Delivery[0].Message == "" {
		a.w.Fatalf("no card was posted: %+v", a.Delivery)
	}
	return a.w.slack.Seat(person).In(a.Delivery[0].Channel)
}

// end returns how the request ended.
func (a *asking) end() *client.Request {
	a.w.Helper()
	<-a.done
	if a.err != nil {
		a.w.Fatal(a.err)
	}
	return a.last
}

func must(t *testing.T, steps ...error) {
	t.Helper()
	for n, err := range steps {
		if err != nil {
			t.Fatalf("step %d: %v", n+1, err)
		}
	}
}

// form presses a button and waits for the form it opens.
func form(ctx context.Context, seat *slacksim.Seat, button string, under ...string) error {
	if err := seat.Press(ctx, button, under...); err != nil {
		return err
	}
	return seat.AwaitText(ctx, "[Cancel]")
}

// body reads a whole response and closes it.
func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
