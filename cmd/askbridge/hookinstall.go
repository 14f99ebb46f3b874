package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	flags.BoolVar(&s.project, "project", false, "the settings of this folder, .claude/settings.json")
	flags.BoolVar(&s.dryRun, "dry-run", false, "show what would change and leave it")
}

func newHookInstall() *cobra.Command {
	f, file, what := &hookFlags{}, &settingsFile{}, claude.Install{}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Write the hook into Claude Code's settings",
		Long: `install writes the hook into Claude Code's settings, with a timeout longer than the hook waits, and shows what
it changed. Doing it again replaces what it wrote before; everything else stays. The token is not written: put
ASKBRIDGE_TOKEN into the environment in which Claude Code runs.`,
		Example: `  askbridge hook claude install --to slack:C0000001 --permissions --plans`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.bridge.token != "" {
				return usage(errors.New("--token would stand in the settings for all to read; put it into ASKBRIDGE_TOKEN"))
			}
			if _, err := f.claude(); err != nil {
				return usage(err)
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			what.Command, what.Wait = quoted(self)+" hook claude"+given(cmd), f.installedWait()
			return file.change(cmd, what.Apply)
		},
	}
	f.add(cmd.Flags())
	flags := cmd.Flags()
	flags.BoolVar(&what.Permissions, "permissions", false, "have permission prompts answered too")
	flags.BoolVar(&what.Plans, "plans", false, "have plans approved too")
	flags.BoolVar(&what.Elicitations, "elicitations", false, "have the forms of MCP servers filled in too")
	file.add(flags)
	cmd.SetFlagErrorFunc(refused)
	return cmd
}

func newHookUninstall() *cobra.Command {
	file := &settingsFile{}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hook out of Claude Code's settings",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return file.change(cmd, claude.Remove) },
	}
	file.add(cmd.Flags())
	cmd.SetFlagErrorFunc(refused)
	return cmd
}

// refused is a flag error of a command that people type; only the hook itself
// must be mild.
func refused(cmd *cobra.Command, err error) error {
	return usage(fmt.Errorf("%w\nSee: %s --help", err, cmd.CommandPath()))
}

// given are the flags that the hook is to run with.
func given(cmd *cobra.Command) string {
	var words strings.Builder
	own := &hookFlags{}
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.add(known)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil {
			return
		}
		values := []string{f.Value.String()}
		if all, ok := f.Value.(pflag.SliceValue); ok {
			values = all.GetSlice()
		}
		for _, v := range values {
			words.WriteString(" --" + f.Name + "=" + quoted(v))
		}
	})
	return words.String()
}

// quoted is a word of a shell command.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:@,+", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// change shows and writes what f makes of the settings.
func (s *settingsFile) change(cmd *cobra.Command, f func([]byte) ([]byte, error)) error {
	path, err := s.find()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the settings: %w", err)
	}
	after, err := f(before)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	missing := before == nil && strings.TrimSpace(string(after)) == "{}"
	if missing || bytes.Equal(before, after) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s is as it should be.\n", path)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", path, claude.Diff(before, after))
	if s.dryRun {
		return nil
	}
	if err := replace(path, after); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

func (s *settingsFile) find() (string, error) {
	path := s.path
	switch {
	case path != "" && s.project:
		return "", usage(errors.New("give either --settings or --project"))
	case path == "" && s.project:
		path = filepath.Join(".claude", "settings.json")
	case path == "":
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the settings: %w", err)
		}
		path = filepath.Join(home, ".claude", "settings.json")
	}
	// A link, as dotfiles have them, stays one.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return path, nil
}

// replace writes a file at once, or not at all.
func replace(path string, data []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".settings-*.json")
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
