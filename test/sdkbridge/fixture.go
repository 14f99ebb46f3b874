package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	discord "github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
)

// People and channel of both mocks.
var (
	slackPeople   = map[string]string{"dana": "U0000001", "sam": "U0000002", "kim": "U0000003"}
	discordPeople = map[string]string{"dana": "300000000000000001", "sam": "300000000000000002", "kim": "300000000000000003"}
)

// patience is how long the platforms wait for the bridge, so that a busy machine causes no violations.
const patience = 20 * time.Second

// quiet is the number of channels in addition to #deploys, C0000001. A channel accepts one card per second, so each
// test uses its own.
const quiet = 60

// channels returns C0000001, C0000002 and so on.
func channels() []slacksim.Channel {
	all := []slacksim.Channel{{ID: "C0000001", Name: "deploys"}}
	for n := range quiet {
		all = append(all, slacksim.Channel{ID: fmt.Sprintf("C%07d", n+2), Name: fmt.Sprintf("quiet-%d", n+2)})
	}
	return all
}

// fixture consists of the bridge, which can be restarted, and the platforms, which keep running.
type fixture struct {
	slack   *slacksim.Server
	discord *discordsim.Server
	proxy   *proxy
	folder  string

	token, reader string // of an agent, and of one that may only read
	secret        string // of webhooks

	mu    sync.Mutex // held while the bridge starts or stops
	stop  context.CancelFunc
	ended chan error
}

func start(ctx context.Context) (*fixture, error) {
	folder, err := os.MkdirTemp("", "sdkbridge")
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails.
	w := &fixture{
		slack:   slacksim.New(&slacksim.Options{Channels: channels(), Patience: patience}),
		discord: discordsim.New(&discordsim.Options{Patience: patience}),
		proxy:   &proxy{}, folder: folder,
		token: rand.Text(), reader: rand.Text(), secret: "whsec_" + base64.StdEncoding.EncodeToString(key),
	}
	if _, err := w.slack.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	if _, err := w.discord.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	if err := w.begin(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *fixture) config() *config.Config {
	return &config.Config{
		Store:        config.Store{Type: config.StoreFile, Path: filepath.Join(w.folder, "askbridge.db")},
		MaxQuestions: 10, Webhooks: config.Webhooks{Secret: config.NewSecret(w.secret), Local: true},
		Agents: []config.Agent{
			{Name: "sdk", Token: config.NewSecret(w.token)},
			{Name: "reader", Token: config.NewSecret(w.reader), Tenant: "sdk", Scopes: []string{"read"}},
		},
		Platforms: config.Platforms{
			"slack": &slack.Section{
				Mode: "http", APIURL: w.slack.APIURL(),
				BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(w.slack.SigningSecret()),
			},
			"discord": &discord.Section{
				Mode: "http", APIURL: w.discord.APIURL(), PublicKey: w.discord.PublicKey(),
				BotToken: config.NewSecret("discord-sim-token"), ApplicationID: "600000000000000001",
			},
		},
	}
}

// begin starts a bridge with the file of the previous one.
func (w *fixture) begin(ctx context.Context) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := "http://" + ln.Addr().String()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	a, err := app.New(w.config(), &app.Options{Version: "dev", Logger: log, Listener: ln, PlatformHTTP: &http.Client{}})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	w.slack.DeliverTo(address+provider.Callback("slack"), nil)
	w.discord.DeliverTo(address+provider.Callback("discord"), nil)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(run) }()
	w.stop, w.ended = stop, ended
	return w.proxy.set(address)
}

// restart stops the bridge as a deployment does, and starts it again.
func (w *fixture) restart(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	if err := <-w.ended; err != nil {
		return err
	}
	return w.begin(ctx)
}

// failed returns the error of the last bridge.
func (w *fixture) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	return <-w.ended
}

func (w *fixture) close() {
	_ = w.slack.Close()
	_ = w.discord.Close()
	_ = os.RemoveAll(w.folder)
}

// play runs steps of a scene; "on discord" as the first line plays them there.
func (w *fixture) play(ctx context.Context, steps string) error {
	cast := chatsim.Cast{People: map[string]chatsim.Seat{}, Onward: []string{"Answer", "Answer…", "Next"}}
	rest, discord := strings.CutPrefix(steps, "on discord\n")
	for name, id := range slackPeople {
		cast.People[name] = w.slack.Seat(id)
		if discord {
			cast.People[name] = w.discord.Seat(discordPeople[name])
		}
	}
	scene, err := chatsim.ParseScene("play", []byte("-- steps --\n"+rest))
	if err != nil {
		return err
	}
	return scene.Play(ctx, cast)
}

// cards counts the Slack cards that contain a text.
func (w *fixture) cards(text string) (count int, shown string) {
	dana := w.slack.Seat(slackPeople["dana"])
	for _, c := range channels() {
		for _, m := range dana.Messages(c.ID) {
			if strings.Contains(fmt.Sprint(m), text) {
				count++
			}
		}
	}
	return count, dana.Sees()
}

func (w *fixture) violations() []string {
	var all []string
	for _, v := range append(w.slack.Ledger().Unexpected(), w.discord.Ledger().Unexpected()...) {
		all = append(all, fmt.Sprint(v))
	}
	return all
}
