package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/hosts/claude"
)

// settingsFile is a file of Claude Code's settings.
type settingsFile struct {
	path    string
	project bool
	dryRun  bool
}

func (s *settingsFile) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.path, "settings", "", "the settings `file` (default ~/.claude/settings.json)")
	flags.BoolVar(&s.project, "project", false, "your own settings of this folder, .claude/settings.local.json")
	flags.BoolVar(&s.dryRun, "dry-run", false, "show what would change and leave it")
}

// change writes what f makes of the settings and prints a summary, or with --dry-run the whole change.
func (s *settingsFile) change(cmd *cobra.Command, paths []string, f func([]byte) (*claude.Change, error)) error {
	for n, path := range paths {
		// A link, as dotfiles have them, stays one.
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		before, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && n > 0 {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the settings: %w", err)
		}
		change, err := f(before)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if change.None() {
			fmt.Fprintf(cmd.OutOrStdout(), "%s is as it should be.\n", path)
			continue
		}
		if s.dryRun {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", path, change)
			continue
		}
		backup, err := rewrite(path, before, change.Text)
		if err != nil {
			return fmt.Errorf("write the settings: %w", err)
		}
		fmt.Fprint(cmd.OutOrStdout(), change.Summary(path))
		if backup != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "Backup: %s\n", backup)
		}
	}
	return nil
}

// own is the file that belongs to the user alone.
func (s *settingsFile) own() (string, error) {
	switch {
	case s.path != "" && s.project:
		return "", usage(errors.New("give either --settings or --project"))
	case s.path != "":
		return s.path, nil
	case s.project:
		// The hook's command names files of this machine, which are private. https://code.claude.com/docs/en/settings
		return filepath.Join(".claude", "settings.local.json"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the settings: %w", err)
	}
	return filepath.Join(home, ".claude", "settings.json"), nil
}

// rewrite writes the settings and returns the backup of what was there, empty if there was nothing.
func rewrite(path string, before, after []byte) (backup string, err error) {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if before != nil {
		if backup, err = backUp(path, before, mode); err != nil {
			return "", err
		}
	}
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return backup, err
	}
	if !bytes.Equal(now, before) {
		return backup, fmt.Errorf("%s changed while it was edited; try again", path)
	}
	return backup, replace(path, after, mode)
}

// backUp writes a copy that takes no other's place.
func backUp(path string, data []byte, mode fs.FileMode) (string, error) {
	stem := path + ".backup-" + time.Now().UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		return name, errors.Join(err, f.Close())
	}
}

// replace writes a file at once, or not at all.
func replace(path string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".askbridge-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
