package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/store/memory"
)

const (
	// testReady is how long a platform may take to connect, and its card to appear.
	testReady = 30 * time.Second
	// testPoll is the interval of checks for that.
	testPoll = 50 * time.Millisecond
)

// test posts a card with a bridge of its own, and shows who presses which button.
func (g *guide) test(ctx context.Context, c initChannel, section provider.Section) error {
	g.say("\nPosting a test card to %s on %s …\n", c.label, c.Title)
	err := withBridge(ctx, c, section, func(ctx context.Context, cl *client.Client) error { return g.press(ctx, cl) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	g.say("✗ %s\n", sentence(err.Error()))
	_, err = g.ask(ctx, "Press Enter to go on without this test, or Ctrl-C to stop here. ")
	return err
}

// press posts the card and waits until a person presses a button or types skip.
func (g *guide) press(ctx context.Context, cl *client.Client) error {
	asked, err := cl.Submit(ctx, ask.Request{
		Agent: "askbridge init", Context: "This is a test. No agent is waiting for the answer.",
		Questions: []ask.Question{{Text: "Can you see this card?", NoOther: true, Options: []ask.Option{{Label: "It works"}, {Label: "It looks wrong"}}}},
	})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, testReady)
	defer cancel()
	for asked.Delivery[0].State != client.Posted {
		if d := asked.Delivery[0]; d.State == client.Undeliverable {
			return fmt.Errorf("the card was not posted: %s", d.Detail)
		}
		if err := wait.For(limited, testPoll); err != nil {
			return errors.Join(context.Cause(ctx), fmt.Errorf("the card was not posted: %s %s", asked.Delivery[0].State, asked.Delivery[0].Detail))
		}
		if asked, err = cl.Get(ctx, asked.ID); err != nil {
			return err
		}
	}
	if url := asked.Delivery[0].URL; url != "" {
		g.say("  %s\n", url)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type end struct {
		r   *client.Request
		err error
	}
	over := make(chan end, 1)
	go func() {
		r, err := cl.Wait(ctx, asked.ID)
		over <- end{r, err}
	}()
	for {
		g.say("Press a button on it. To go on without, type skip: ")
		select {
		case <-ctx.Done():
			g.say("\n")
			return context.Cause(ctx)
		case l := <-g.typed():
			g.pending = nil
			if l.err != nil {
				return inputError(l.err)
			}
			if l.text != "skip" {
				continue
			}
			_, err := cl.Cancel(ctx, asked.ID, "The test was skipped")
			return err
		case e := <-over:
			if e.err != nil {
				return e.err
			}
			if e.r.State != ask.Answered {
				return fmt.Errorf("the card ended without a press: %s %s", e.r.State, e.r.Reason)
			}
			g.say("\n✓ %s pressed %q.\n", e.r.By.Name, e.r.Answers[0].Selected[0])
			return nil
		}
	}
}

// withBridge runs a bridge that asks in one channel while do runs.
func withBridge(ctx context.Context, c initChannel, section provider.Section, do func(context.Context, *client.Client) error) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start a bridge: %w", err)
	}
	const route = "test"
	cfg := &config.Config{
		Store: config.Store{Type: config.StoreMemory}, DefaultRoute: route,
		Routes:    map[string]config.Route{route: {To: []config.Target{{Platform: c.Name, Channel: c.id}}}},
		Platforms: config.Platforms{c.Name: section},
	}
	log := slog.New(slog.DiscardHandler)
	app.LogLibraries(log)
	store := memory.New()
	a, err := app.New(cfg, &app.Options{Version: readBuild().version, Logger: log, Listener: ln, Store: store})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(running) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // The test has its result.
		_ = store.Close()
	}()
	url := "http://" + ln.Addr().String()
	limited, cancel := context.WithTimeout(ctx, testReady)
	defer cancel()
	for {
		if err = ready(limited, url); err == nil {
			break
		}
		if wait.For(limited, testPoll) != nil {
			return err
		}
	}
	cl, err := client.New(url, nil)
	if err != nil {
		return err
	}
	return do(ctx, cl)
}
