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

	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/door/httpapi"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/config"
)

// simPage is where the page is, if nobody is there yet: the same address each time, so that an open page finds its way
// back.
const simPage = "127.0.0.1:7332"

// pageDrain is how long the page has for its last answers.
const pageDrain = 2 * time.Second

// world is everything that the simulator runs, each part on its own loopback port: the mock Slack, the bridge that thinks
// it is the real one, the sample agent's client, and the page.
type world struct {
	slack  *slacksim.Server
	client *httpapi.Client
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
	addr    string // of the page
	gallery string // a folder of golden cases, if the page is to draw them
	log     *slog.Logger
}

func startWorld(o worldOptions) (_ *world, err error) {
	w := &world{
		slack: slacksim.New(&slacksim.Options{TeamName: "Acme", BotName: "askbridge"}),
		calls: &http.Transport{MaxIdleConnsPerHost: 8},
		broke: make(chan error, 2),
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if _, err := w.slack.Listen("127.0.0.1:0"); err != nil {
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
	w.serve(ctx, pageAt, page.Handler(look, page.Slack(w.slack, simPeople...)))
	bridgeAt, err := listenLoopback(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := "http://" + bridgeAt.Addr().String()
	a, err := app.New(&config.Config{
		Store: config.Store{Type: config.StoreMemory},
		Slack: &config.Slack{
			Mode: "http", APIURL: w.slack.APIURL(),
			BotToken: config.NewSecret("xoxb-sim"), SigningSecret: config.NewSecret(w.slack.SigningSecret()),
		},
		MaxQuestions: 10,
	}, &app.Options{
		Version: readBuild().version, Logger: o.log, Listener: bridgeAt, SlackHTTPClient: &http.Client{Transport: w.calls},
	})
	if err != nil {
		return nil, errors.Join(err, bridgeAt.Close())
	}
	w.slack.DeliverTo(address+app.SlackInteractions, nil)
	w.all.Go(func() { w.broke <- a.Run(ctx) })
	if w.client, err = httpapi.NewClient(address, &httpapi.ClientOptions{HTTP: &http.Client{Transport: w.calls}}); err != nil {
		return nil, err
	}
	w.link = "http://" + pageAt.Addr().String() + "/"
	return w, nil
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
	_ = w.slack.Close() // Nothing of it outlives the process.
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
