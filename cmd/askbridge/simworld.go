package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/config"
)

// simPage is where the page is, if nobody is there yet: the same address each time, so that an open page finds its way
// back.
const simPage = "127.0.0.1:7332"

// pageDrain is how long the page has for its last answers.
const pageDrain = 2 * time.Second

// The platforms of the simulator.
const (
	onSlack   = "slack"
	onDiscord = "discord"
	onBoth    = "both"
)

// simPerson is somebody who may answer, on both platforms.
type simPerson struct{ name, slack, discord string }

// simPeople are those of both mocks.
var simPeople = []simPerson{
	{"Dana", "U0000001", "300000000000000001"}, {"Sam", "U0000002", "300000000000000002"}, {"Kim", "U0000003", "300000000000000003"},
}

// world is everything that the simulator runs, each part on its own loopback port: the mock platforms, the bridge that
// thinks they are the real ones, the sample agent's client, and the page.
type world struct {
	slack   *slacksim.Server   // nil without Slack
	discord *discordsim.Server // nil without Discord

	client *api.Client
	notes  page.Log // shown beside the chat
	link   string

	calls *http.Transport // of the client and of the bridge
	page  *http.Server
	stop  context.CancelFunc
	all   sync.WaitGroup
	broke chan error
}

// worldOptions are the settings of a world.
type worldOptions struct {
	platform string // which there are
	addr     string // of the page
	gallery  string // a folder of golden cases, if the page is to draw them
	log      *slog.Logger
}

func startWorld(o worldOptions) (_ *world, err error) {
	w := &world{calls: &http.Transport{MaxIdleConnsPerHost: 8}, broke: make(chan error, 2)}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	cfg := &config.Config{Store: config.Store{Type: config.StoreMemory}, MaxQuestions: 10}
	chats, err := w.mock(o.platform, cfg)
	if err != nil {
		return nil, err
	}
	pageAt, err := listenLoopback(ctx, o.addr)
	if err != nil {
		return nil, err
	}
	look := &page.Options{Notes: &w.notes}
	if o.gallery != "" {
		look.Cases = os.DirFS(o.gallery)
	}
	w.serve(ctx, pageAt, page.Handler(look, chats...))
	bridgeAt, err := listenLoopback(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := "http://" + bridgeAt.Addr().String()
	calls := &http.Client{Transport: w.calls}
	a, err := app.New(cfg, &app.Options{
		Version: readBuild().version, Logger: o.log, Listener: bridgeAt, SlackHTTPClient: calls, DiscordHTTPClient: calls,
	})
	if err != nil {
		return nil, errors.Join(err, bridgeAt.Close())
	}
	if w.slack != nil {
		w.slack.DeliverTo(address+app.SlackInteractions, nil)
	}
	if w.discord != nil {
		w.discord.DeliverTo(address+app.DiscordInteractions, nil)
	}
	w.all.Go(func() { w.broke <- a.Run(ctx) })
	if w.client, err = api.NewClient(address, &api.ClientOptions{HTTP: calls}); err != nil {
		return nil, err
	}
	w.link = "http://" + pageAt.Addr().String() + "/"
	return w, nil
}

// mock starts the platforms and writes into the configuration how they are reached.
func (w *world) mock(platform string, cfg *config.Config) ([]page.Chat, error) {
	var chats []page.Chat
	if platform != onDiscord {
		w.slack = slacksim.New(&slacksim.Options{TeamName: "Acme", BotName: "askbridge"})
		if _, err := w.slack.Listen("127.0.0.1:0"); err != nil {
			return nil, err
		}
		cfg.Slack = &config.Slack{
			Mode: "http", APIURL: w.slack.APIURL(),
			BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(w.slack.SigningSecret()),
		}
		var ids []string
		for _, p := range simPeople {
			ids = append(ids, p.slack)
		}
		chats = append(chats, page.Slack(w.slack, ids...))
	}
	if platform != onSlack {
		w.discord = discordsim.New(&discordsim.Options{GuildName: "Acme", BotName: "askbridge"})
		if _, err := w.discord.Listen("127.0.0.1:0"); err != nil {
			return nil, err
		}
		cfg.Discord = &config.Discord{
			Mode: "http", APIURL: w.discord.APIURL(), PublicKey: w.discord.PublicKey(),
			BotToken: config.NewSecret("discord-sim-token"), ApplicationID: "600000000000000001",
		}
		var ids []string
		for _, p := range simPeople {
			ids = append(ids, p.discord)
		}
		chats = append(chats, page.Discord(w.discord, ids...))
	}
	return chats, nil
}

// places are where the sample agent asks: #deploys of every platform.
func (w *world) places() []ask.Target {
	var all []ask.Target
	if w.slack != nil {
		all = append(all, ask.Target{Platform: onSlack, Channel: "C0000001"})
	}
	if w.discord != nil {
		all = append(all, ask.Target{Platform: onDiscord, Channel: "200000000000000001"})
	}
	return all
}

// seat is a person in front of the first platform.
func (w *world) seat(p simPerson) chatsim.Seat {
	if w.slack != nil {
		return w.slack.Seat(p.slack)
	}
	return w.discord.Seat(p.discord)
}

// broken lists the broken rules of the platforms.
func (w *world) broken() map[string][]chatsim.Violation {
	all := map[string][]chatsim.Violation{}
	if w.slack != nil {
		all["Slack"] = w.slack.Ledger().Unexpected()
	}
	if w.discord != nil {
		all["Discord"] = w.discord.Ledger().Unexpected()
	}
	return all
}

// serve shows the page until ctx ends, and its streams with it.
func (w *world) serve(ctx context.Context, ln net.Listener, h http.Handler) {
	w.page = &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	w.all.Go(func() {
		if err := w.page.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			w.broke <- err
		}
	})
}

// close ends everything and waits for it.
func (w *world) close() {
	w.stop()
	if w.page != nil {
		// What somebody just did on the page is still answered.
		ctx, cancel := context.WithTimeout(context.Background(), pageDrain)
		defer cancel()
		_ = w.page.Shutdown(ctx)
		_ = w.page.Close()
	}
	w.all.Wait()
	// Nothing of the mocks outlives the process.
	if w.slack != nil {
		_ = w.slack.Close()
	}
	if w.discord != nil {
		_ = w.discord.Close()
	}
	w.calls.CloseIdleConnections()
}

// listenLoopback listens on an address of this machine alone. Without one it takes the usual port, or any that is free.
func listenLoopback(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	if addr == "" {
		if ln, err := lc.Listen(ctx, "tcp", simPage); err == nil {
			return ln, nil
		}
		addr = "127.0.0.1:0"
	}
	if !app.Loopback(addr) {
		return nil, usage(fmt.Errorf("--addr %s can be reached from other machines; the simulator has no passwords, so it stays on loopback, such as 127.0.0.1:7332", addr))
	}
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve the page: %w", err)
	}
	return ln, nil
}
