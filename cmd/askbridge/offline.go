package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store/file"
)

// loader reads a configuration: load, or loadKept.
type loader func(path string) (*config.Config, error)

// loadKept is load for a command that only does something to what is kept already. To open a
// store in a file makes it where it is missing, and a new one looks like one that holds nothing.
func loadKept(path string) (*config.Config, error) {
	cfg, err := load(path)
	if err != nil || cfg.Store.Type != config.StoreFile {
		return cfg, err
	}
	at, err := filepath.Abs(cfg.Store.Path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(at); errors.Is(err, os.ErrNotExist) {
		return nil, usage(fmt.Errorf("there is no store at %s; a store.path that does not begin with / is looked for where the command runs", at))
	}
	return cfg, nil
}

// inUse adds to an error what to do if a running askbridge has the store open.
func inUse(err error, instead string) error {
	if errors.Is(err, file.ErrInUse) {
		return fmt.Errorf("%w\nIf askbridge serve has it open, %s", err, instead)
	}
	return err
}

// rewriteStore is withStore for what must not be found in the file afterwards, nor in the part
// of it that is free.
func rewriteStore(cmd *cobra.Command, path string, f func(app.Store) error) error {
	compact := ""
	err := withStore(cmd, loadKept, path, func(s app.Store) error {
		if kept, is := s.(*file.Store); is {
			compact = kept.Path()
		}
		return f(s)
	})
	if compact != "" {
		err = errors.Join(err, file.Compact(compact))
	}
	return err
}

// withStore runs f with the store of a configuration, which read reads.
func withStore(cmd *cobra.Command, read loader, path string, f func(app.Store) error) (err error) {
	cfg, err := read(path)
	if err != nil {
		return err
	}
	if cfg.Store.Type == config.StoreMemory {
		return usage(errors.New("store.type is memory, which has no stored data"))
	}
	s, err := app.OpenStore(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	if err != nil {
		return inUse(err, "stop that until this is done: a store in a file takes one at a time. store backup --running copies it meanwhile")
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return f(s)
}
