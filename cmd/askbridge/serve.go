package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/collector"
)

// defaultConfig is read when no other file is named.
const defaultConfig = "askbridge.yaml"

func newServe() *cobra.Command {
	var path, level, format string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the bridge",
		Long: `serve connects to Slack and Discord, opens the store and serves the HTTP API until it gets a
SIGTERM or an interrupt. It then shuts down within 25 seconds; a second signal ends it at once.
On SIGHUP or askbridge config reload it loads changed agents, webhooks and keys of the store.

Waiting agents get a hint to ask again, and then find their question.`,
		Example: "  askbridge serve --config /etc/askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			again := &reloader{path: path, level: level, format: format}
			defer again.hear()()
			cfg, err := again.read()
			if err != nil {
				return err
			}
			log, err := newLogger(cmd.ErrOrStderr(), cfg.Log.Level, cfg.Log.Format)
			if err != nil {
				return usage(err)
			}
			if ignored := cfg.Removed(); ignored != nil {
				log.WarnContext(cmd.Context(), "removed setting ignored", "error", ignored)
			}
			app.LogLibraries(log)
			a, err := app.New(cfg, &app.Options{
				Version: readBuild().version, Logger: log, Reload: again.reload,
				Serving: func(ctx context.Context) {
					if err := notifyServing(ctx, os.Getenv("NOTIFY_SOCKET")); err != nil {
						log.WarnContext(ctx, "sd_notify failed", "error", err)
					}
				},
			})
			if err != nil {
				return usage(err)
			}
			again.app, again.log = a, log
			// A reload that comes while the program ends must not end it at once.
			ctx, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
			var tending sync.WaitGroup
			defer tending.Wait()
			defer stop()
			tending.Go(func() { again.onSignal(ctx) })
			tending.Go(func() { collector.Tune(ctx) })
			return a.Run(cmd.Context())
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&level, "log-level", "", "log at this `level`, in place of log.level: debug, info, warn or error")
	cmd.Flags().StringVar(&format, "log-format", "", "log in this `format`, in place of log.format: auto, text or json")
	return cmd
}

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Manage the configuration",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(), newConfigReload())
	return cmd
}

func newConfigCheck() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration file",
		Long: `check reads the configuration like serve, including environment variables and referenced files, and
reports every mistake with its line and column: first syntax errors, then all others. Places and people
are checked once the platforms' sections are correct. It makes no calls and opens no store. Valid
settings that look unintended are warnings on standard error and do not change the exit code.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(path)
			if err != nil {
				return err
			}
			if _, err := app.New(cfg, nil); err != nil {
				return usage(err)
			}
			if advice := cfg.Advise(); advice != nil {
				for line := range strings.Lines(advice.Error()) {
					fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", strings.TrimSpace(line))
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is fine.\n", path)
			if n := len(cfg.Names); n > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "It has names, which askbridge serve and doctor look up: %d.\n", n)
			}
			return nil
		},
	}
	configFlag(cmd, &path)
	return cmd
}

func configFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "config", "c", defaultConfig, "the configuration `file`; config.example.yaml explains every setting")
}

// load reads a configuration without calls: sample IDs take the place of names.
func load(path string) (*config.Config, error) { return loadWith(path, app.LoadOffline) }

// loadNamed reads a configuration and looks up the names in it.
func loadNamed(path string) (*config.Config, error) { return loadWith(path, app.Load) }

func loadWith(path string, read func(path string) (*config.Config, error)) (*config.Config, error) {
	cfg, err := read(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && path == defaultConfig:
		return nil, usage(fmt.Errorf("there is no %s here. Write one with askbridge init, or name a file with --config.\n"+
			"To try askbridge without any: askbridge sim", defaultConfig))
	case err != nil:
		return nil, usage(err)
	}
	return cfg, nil
}
