// Command unpaced runs the bridge like askbridge serve with Redis, with settings for measurements: it ignores the
// posting pace that platforms allow (five cards a second in a Slack workspace), and calls may wait longer than a
// minute.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/collector"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/test/bench/fastchat"
)

// The connectors without the method Pace.
type (
	slackCards interface {
		platform.Platform
		platform.Finder
		platform.Replier
		platform.Readier
		platform.GroupFinder
	}
	discordCards interface {
		platform.Platform
		platform.Finder
		platform.Replier
		platform.Readier
		platform.Grouper
	}
)

// Connectors without a posting pace.
type (
	openSlack   struct{ slackCards }
	openDiscord struct{ discordCards }
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	runtime.MemProfileRate = 0 // The shipped program links no profiler, so it does not sample allocations.
	var (
		server  = flag.String("redis", "", "the `address` of Redis; a comma-separated list is a Cluster")
		url     = flag.String("url", "", "the base `URL` of the platform's API")
		key     = flag.String("key", "", "Slack's signing `secret`, or Discord's public key")
		kind    = flag.String("platform", "slack", "slack or discord")
		mode    = flag.String("mode", "http", "how Discord sends clicks: http or gateway")
		maxWait = flag.Duration("max-wait", 0, "how long a call may wait; 0 means the program's default")
		profile = flag.String("cpuprofile", "", "write a CPU profile to this `file`")
		level   = flag.String("log-level", "info", "log at this `level`")
	)
	flag.Parse()
	var l slog.Level
	if err := l.UnmarshalText([]byte(*level)); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
	app.LogLibraries(log)
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go collector.Tune(ctx)
	st, err := redis.Open(ctx, redis.Options{Addrs: strings.Split(*server, ",")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	mux := http.NewServeMux()
	var asked platform.Platform
	var listening <-chan struct{}
	if *kind == "discord" {
		c, err := discord.New(discord.Config{BotToken: "bench", ApplicationID: fastchat.Application, PublicKey: *key, APIURL: *url, Mode: *mode, Logger: log})
		if err != nil {
			return err
		}
		asked, listening = openDiscord{c}, c.Listening()
		mux.Handle(provider.Callback("discord"), c.Handler())
	} else {
		c, err := slack.New(slack.Config{BotToken: "xoxb-bench", SigningSecret: *key, APIURL: *url, Mode: slack.ModeHTTP, Logger: log})
		if err != nil {
			return err
		}
		asked, listening = openSlack{c}, c.Listening()
		mux.Handle(provider.Callback("slack"), c.Handler())
	}
	b, err := bridge.New(st, []platform.Platform{asked}, &bridge.Options{Logger: log})
	if err != nil {
		return err
	}
	gate, err := access.New(b, &access.Options{AllowAnonymous: true})
	if err != nil {
		return err
	}
	handler, err := api.New(gate, &api.Options{MaxWait: *maxWait, Logger: log})
	if err != nil {
		return err
	}
	mux.Handle("/", handler)
	return serve(ctx, b, api.NewServer(mux, log), listening)
}

// serve runs the bridge and its server until ctx ends.
func serve(ctx context.Context, b *bridge.Bridge, server *http.Server, listening <-chan struct{}) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	bridged := make(chan error, 1)
	go func() { bridged <- b.Run(ctx) }()
	<-listening
	fmt.Fprintf(os.Stderr, "{\"listen\":%q}\n", listener.Addr())
	go func() {
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(closing) != nil {
			_ = server.Close() // This closes the connections of waiting calls.
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-bridged
}
