package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/page"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/render/testdata/cases"
)

// simPage and simBridgeAt are the addresses of the page and of the bridge, unless they are in use. They are the same each time, so
// that an open page reconnects, and agents find the bridge at the address of askbridge serve.
const (
	simPage     = "127.0.0.1:7332"
	simBridgeAt = "127.0.0.1:8080"
	// simPorts is how many ports after those are tried.
	simPorts = 20
)

// simRoute is the default route, to #deploys of every platform. danaRoute leads to Dana's direct messages, samRoute to #deploys where
// only Sam may answer, and notifyRoute to #deploys with Sam notified.
const (
	simRoute    = "deploys"
	danaRoute   = "dana"
	samRoute    = "sam"
	notifyRoute = "tell-sam"
)

// simGrants are what the people of the simulator may allow beyond one call.
var simGrants = ask.Grants{Scope: ask.SameSession, For: 8 * time.Hour}

// pageDrain is how long the page has for its last answers.
const pageDrain = 2 * time.Second

// onBoth means all platforms of the simulator.
const onBoth = "both"

// simPlatforms are the names of those that there is a mock of.
func simPlatforms() []string {
	var names []string
	for _, b := range app.Platforms() {
		if b.Simulate != nil {
			names = append(names, b.Name)
		}
	}
	return names
}

// simPeople are those of every mock.
var simPeople = []string{"Dana", "Sam", "Kim"}

// fixture is everything that the simulator runs, each part on its own loopback port: the mock platforms, the bridge that
// thinks they are the real ones, the sample agent's client, and the page.
type fixture struct {
	doubles []played
	people  []string // the names of all people
	bridge  *simBridge

	client  *client.Client
	traffic chatsim.Traffic // between agents and the bridge, shown next to the chat
	link    string          // to the page
	url     string          // of the bridge

	calls *http.Transport // of the client and of the bridge
	page  *http.Server
	stop  context.CancelFunc
	all   sync.WaitGroup
	broke chan error
}

// played is a mock platform with what people call it.
type played struct {
	*provider.Double

	title string
}

// worldOptions are the settings of a world.
type worldOptions struct {
	platform string // which there are
	addr     string // of the page
	listen   string // of the bridge
	gallery  string // a folder of golden cases, if the page is to draw them
	scenes   sceneList
	preview  *simPreview // nil for the simulator's own routes and people
	log      *slog.Logger
}

// traffic is how many exchanges the page keeps.
const traffic = 500

func startWorld(o worldOptions) (_ *fixture, err error) {
	w := &fixture{calls: &http.Transport{MaxIdleConnsPerHost: 8}, broke: make(chan error, 2)}
	w.traffic.Keep(traffic)
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	cfg, err := w.mock(o)
	if err != nil {
		return nil, err
	}
	pageAt, err := listenLoopback(ctx, "--addr", o.addr, simPage)
	if err != nil {
		return nil, err
	}
	w.link = "http://" + pageAt.Addr().String() + "/"
	bridgeAt, err := listenLoopback(ctx, "--listen", o.listen, simBridgeAt)
	if err != nil {
		return nil, errors.Join(err, pageAt.Close())
	}
	w.url = "http://" + bridgeAt.Addr().String()
	var lc net.ListenConfig
	hooksAt, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, pageAt.Close(), bridgeAt.Close())
	}
	hooks := "http://" + hooksAt.Addr().String()
	calls := &http.Client{Transport: w.calls}
	w.bridge = newSimBridge(cfg, app.Options{
		Version: readBuild().version, Logger: o.log, Around: w.recorded, PlatformHTTP: calls,
		AnonymousAnswers: true, AnonymousGrants: simGrants, // Only simulated people are asked.
	}, w.replaced, w.broke)
	w.serve(ctx, pageAt, page.Handler(w.shown(o), w.chats()...))
	if err := w.bridge.start(bridgeAt, hooksAt); err != nil {
		return nil, errors.Join(err, bridgeAt.Close(), hooksAt.Close())
	}
	for _, d := range w.doubles {
		d.DeliverTo(hooks + provider.Callback(d.Platform()))
	}
	if w.client, err = client.New(w.url, &client.Options{HTTP: calls}); err != nil {
		return nil, err
	}
	return w, nil
}

// ready returns when the bridge has reached both platforms. Earlier clicks would be lost.
func (w *fixture) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, simPlay)
	defer cancel()
	for {
		err := ready(ctx, w.url)
		if err == nil {
			return nil
		}
		if wait.For(ctx, simLook) != nil {
			return err
		}
	}
}

// replaced prepares the doubles for a bridge that replaces one that died.
func (w *fixture) replaced() {
	for _, d := range w.doubles {
		if d.Replaced != nil {
			d.Replaced()
		}
	}
}

// unrecorded marks calls of the page that are no agent's.
const unrecorded = "Sim-Unrecorded"

// fromPage marks calls that pass through the page: those of its box stand for an agent's.
const fromPage = "Sim-Page"

// recorded records the calls of agents. It skips calls of the platforms, which record their own, and calls of browsers, which show
// the console or the reference and send an origin.
func (w *fixture) recorded(next http.Handler) http.Handler {
	return w.traffic.Record("agent", "askbridge", next, func(r *http.Request) bool {
		posted := slices.ContainsFunc(w.doubles, func(d played) bool { return r.URL.Path == provider.Callback(d.Platform()) })
		looks := r.Header.Get("Sec-Fetch-Site") != "" && r.Header.Get(fromPage) == ""
		return posted || looks || r.URL.Path == "/readyz" || r.Header.Get(unrecorded) != ""
	})
}

// shown returns the options of the page in addition to the platforms.
func (w *fixture) shown(o worldOptions) *page.Options {
	to, err := url.Parse(w.url)
	if err != nil {
		panic(err) // It is the address of a listener.
	}
	shown := &page.Options{
		Traffic: &w.traffic, Controls: w.bridge.controls(),
		Agent: &page.Agent{
			URL: w.url, Forms: pageForms(), Scenes: o.scenes.page(), Test: w.sessionTest,
			API: &httputil.ReverseProxy{
				Rewrite: func(r *httputil.ProxyRequest) {
					r.SetURL(to)
					r.Out.Header.Set(fromPage, "1")
				},
				Transport: w.calls, ErrorHandler: away,
			},
		},
	}
	shown.Cases, shown.Names = cases.Files, cases.Names
	if o.gallery != "" {
		shown.Cases = os.DirFS(o.gallery)
	}
	return shown
}

// away answers the page while the bridge is not there.
func away(w http.ResponseWriter, _ *http.Request, _ error) {
	w.WriteHeader(http.StatusBadGateway)
}

// mock starts the platforms and returns a configuration of them.
func (w *fixture) mock(o worldOptions) (*config.Config, error) {
	cfg := &config.Config{
		Store: config.Store{Type: config.StoreMemory}, MaxQuestions: 10, People: config.People{},
		Routes: map[string]config.Route{}, DefaultRoute: simRoute, Platforms: config.Platforms{},
	}
	if o.preview != nil {
		cfg = o.preview.cfg
	}
	for _, b := range app.Platforms() {
		cast := b.Cast
		switch {
		case b.Simulate == nil:
			continue
		case o.preview != nil:
			own := o.preview.casts[b.Name]
			if own == nil {
				continue
			}
			cast = *own
		case o.platform != onBoth && o.platform != b.Name:
			continue
		}
		d, err := b.Simulate(cast)
		if err != nil {
			return nil, err
		}
		w.doubles = append(w.doubles, played{d, b.Title})
		for _, p := range d.People {
			if !slices.Contains(w.people, p.Name) {
				w.people = append(w.people, p.Name)
			}
		}
		cfg.Platforms[b.Name] = d.Section
		if o.preview == nil {
			lead(cfg, d)
		}
	}
	return cfg, nil
}

// lead adds a platform with its #deploys to the routes.
func lead(cfg *config.Config, d *provider.Double) {
	channel := config.Target{Platform: d.Platform(), Channel: d.Channel}
	for _, p := range d.People {
		name := strings.ToLower(p.Name)
		cfg.People[name] = append(cfg.People[name], ask.Entry{Platform: d.Platform(), ID: p.ID}.String())
	}
	add := func(name string, to config.Target, responders ...string) {
		r := cfg.Routes[name]
		r.To, r.Responders = append(r.To, to), append(r.Responders, responders...)
		cfg.Routes[name] = r
	}
	add(simRoute, channel)
	add(danaRoute, config.Target{Platform: d.Platform(), User: d.People[0].ID})
	sam := ask.Entry{Platform: d.Platform(), ID: d.People[1].ID}.String()
	add(samRoute, channel, sam)
	add(notifyRoute, channel)
	route := cfg.Routes[notifyRoute]
	route.Notify = append(route.Notify, sam)
	cfg.Routes[notifyRoute] = route
}

// chats are the platforms as the page shows them.
func (w *fixture) chats() []page.Chat {
	var all []page.Chat
	for _, d := range w.doubles {
		all = append(all, d.Chat)
	}
	return all
}

// seat is a person in front of the first platform that has them.
func (w *fixture) seat(person string) chatsim.Seat {
	for _, d := range w.doubles {
		for _, p := range d.People {
			if p.Name == person {
				return d.Person(p.ID)
			}
		}
	}
	panic("no platform has " + person) // It is one of the people.
}

// serve shows the page until ctx ends, and its streams with it.
func (w *fixture) serve(ctx context.Context, ln net.Listener, h http.Handler) {
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
func (w *fixture) close() {
	w.stop()
	if w.page != nil {
		// Finish the requests of the page.
		ctx, cancel := context.WithTimeout(context.Background(), pageDrain)
		defer cancel()
		_ = w.page.Shutdown(ctx)
		_ = w.page.Close()
	}
	if w.bridge != nil {
		w.bridge.end()
	}
	w.all.Wait()
	for _, d := range w.doubles {
		_ = d.Close() // Nothing of the mocks outlives the process.
	}
	if w.calls != nil {
		w.calls.CloseIdleConnections()
	}
}

// onLoopback refuses an address that is not of this machine alone.
func onLoopback(flag, addr, usual string) error {
	if loopback.Is(addr) {
		return nil
	}
	return fmt.Errorf("%s %s can be reached from other machines; the simulator has no passwords, so it stays on loopback, such as %s", flag, addr, usual)
}

// listenLoopback listens on an address of this machine alone. Without one it takes the usual port, or the next that is
// free.
func listenLoopback(ctx context.Context, flag, addr, usual string) (net.Listener, error) {
	var lc net.ListenConfig
	if addr != "" {
		if err := onLoopback(flag, addr, usual); err != nil {
			return nil, usage(err)
		}
		ln, err := lc.Listen(ctx, "tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		return ln, nil
	}
	host, text, err := net.SplitHostPort(usual)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	for n := range simPorts {
		var ln net.Listener
		if ln, err = lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port+n))); err == nil {
			return ln, nil
		}
	}
	return nil, fmt.Errorf("no port from %d to %d is free; name one with %s: %w", port, port+simPorts-1, flag, err)
}
