package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
)

// reloader reads the configuration again for a program that runs.
type reloader struct {
	path, level, format string
	log                 *slog.Logger
	app                 *app.App
	hangups             chan os.Signal
}

// hear queues each SIGHUP for [reloader.onSignal] until stop is called. Otherwise the signal would end the program.
func (r *reloader) hear() (stop func()) {
	r.hangups = make(chan os.Signal, 1)
	signal.Notify(r.hangups, syscall.SIGHUP)
	return func() { signal.Stop(r.hangups) }
}

// reload applies all changes or none, and logs which.
func (r *reloader) reload(by string) ([]string, error) {
	changed, err := r.app.Reload(by, r.read)
	if err != nil {
		r.log.Error("configuration not reloaded; the one before holds", "by", by, "error", err)
	}
	return changed, err
}

// read reads the current configuration, with the overrides of the command line.
func (r *reloader) read() (*config.Config, error) {
	cfg, err := loadNamed(r.path)
	if err != nil {
		return nil, err
	}
	if r.level != "" {
		cfg.Log.Level = r.level
	}
	if r.format != "" {
		cfg.Log.Format = r.format
	}
	return cfg, nil
}

// onSignal reloads on each SIGHUP until ctx ends.
func (r *reloader) onSignal(ctx context.Context) {
	for {
		select {
		case <-r.hangups:
			_, _ = r.reload(access.Operator) // The result is in the log.
		case <-ctx.Done():
			return
		}
	}
}

func newConfigReload() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reload",
		Short: "Reload the configuration of a running askbridge",
		Long: `reload makes a running askbridge serve read its configuration again, with the files it refers to and the environment it was
started with. It applies changes of agents (tokens, scopes, places, limits), webhooks, and the keys of the store: all of them
or none. It names settings that need a restart. SIGHUP does the same.

It needs a token with the scope admin.`,
		Example: "  askbridge config reload",
		Args:    noArguments,
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		done, err := c.Reload(cmd.Context())
		if err != nil {
			return err
		}
		if len(done.Changed) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "Nothing has changed.")
			return nil
		}
		fmt.Fprintf(cmd.OutOrStdout(), "Taken over: %s.\n", strings.Join(done.Changed, ", "))
		return nil
	}
	return cmd
}
