package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
)

func newStore() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Manage stored data",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMigrate(), newBackup(), newRestore(), newStoreKey(), newReseal(), newErase())
	return cmd
}

func newMigrate() *cobra.Command {
	var path, from string
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Copy questions and answers from a file to another store",
		Long: `migrate copies every request of a file store into the store of the configuration: open ones with the choices
made so far, and ended ones that are still kept. People notice nothing, because the cards stay where they are.

Stop askbridge, change the store in the configuration, migrate, and start askbridge again. Entries that the new
store already has do not change, so migrate can run again after an error; the file keeps everything. If the new store has
another audit trail, migrate copies nothing: two trails in one cannot be verified.`,
		Example: "  askbridge store migrate --from askbridge.db --config askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := load(path)
			if err != nil {
				return err
			}
			here, missing := os.Stat(from)
			there, _ := os.Stat(cfg.Store.Path) // One that is not there yet is another file.
			switch {
			case missing != nil:
				return usage(fmt.Errorf("--from %s: there is no such file", from))
			case cfg.Store.Type == config.StoreMemory:
				return usage(errors.New("the store of the configuration is memory, which would forget everything at once"))
			case cfg.Store.Type == config.StoreFile && os.SameFile(here, there):
				return usage(errors.New("--from is the store of the configuration; change store there first"))
			}
			ring, err := app.Keys(cmd.Context(), cfg.Encryption)
			if err != nil {
				return err
			}
			old, err := file.Open(from, &file.Options{Retention: time.Duration(cfg.Store.Retention), Keys: app.KeysOf(ring)})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, old.Close()) }()
			next, err := app.OpenStore(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, next.Close()) }()
			coming := audit.NewLog(old.KeyValue(), nil, 0).Batches(cmd.Context())
			if err := audit.NewLog(next.KeyValue(), nil, 0).Joins(cmd.Context(), coming); err != nil {
				return fmt.Errorf("nothing was copied: %w", err)
			}
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			n, err := store.Migrate(cmd.Context(), old, next, func(n int) { progress.say("%d requests", n) })
			progress.done()
			if err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
				return fmt.Errorf("%d requests were copied; run it again to go on: %w", n, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d requests were copied.\n", n)
			values, failed := store.MigrateValues(cmd.Context(), old.KeyValue(), next.KeyValue(), func(values int) { progress.say("%d requests, %d values", n, values) })
			progress.done()
			if failed != nil && !errors.Is(failed, bridge.ErrNotReplicated) {
				return fmt.Errorf("%d other values were copied; run it again to go on: %w", values, failed)
			}
			if values > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%d other values were copied.\n", values)
			}
			return errors.Join(err, failed)
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&from, "from", "askbridge.db", "the `file` to copy from")
	return cmd
}
