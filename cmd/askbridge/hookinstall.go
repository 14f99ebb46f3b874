package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
)

func newHookInstall() *cobra.Command {
	f, file, what := &hookFlags{}, &settingsFile{}, claude.Install{}
	var program string
	var own bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Write the hook into Claude Code's settings",
		Long: `install writes the hook into Claude Code's settings, with a timeout longer than the hook waits, and prints a
summary. Running it again replaces what it wrote before. Everything else keeps every byte, and a backup of the
settings is saved in the same folder. --dry-run shows the change line by line.

The hook uses only the arguments in its command, because a project's settings can set its environment. The address is
that of --url or ASKBRIDGE_URL. The token is that of --token-file, or of ASKBRIDGE_TOKEN, which is written to a file that
only you can read. Keep it out of the environment of Claude Code, where every command of the agent could read it.

The terminal and the chat ask at the same time, and the first answer counts. With --own only the chat asks first, and
the terminal if there is no answer.

--defer is for runs without a terminal. If there is no answer within --wait, the run ends and the card stays open. Start
and resume such runs with the MCP server's prompt tool, see "askbridge mcp --help":

  claude -p --permission-prompt-tool mcp__askbridge__approve --output-format json "Your task"
  claude -p --permission-prompt-tool mcp__askbridge__approve --resume SESSION

Permissions and plans are decided by the people you name, or with --anyone by everyone who sees the card. If the hook fails,
for example while the bridge is away, Claude Code goes on without it, and its own dialog asks. With --fail-closed it
blocks the question, permission or plan instead. That needs Claude Code 2.1.295 or later.`,
		Example: `  askbridge hook claude install --to slack:C0000001
  askbridge hook claude install --to slack:C0000001 --permissions --plans --responder slack:U0000001`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if url := os.Getenv("ASKBRIDGE_URL"); url != "" && !cmd.Flags().Changed("url") {
				if err := cmd.Flags().Set("url", url); err != nil {
					return usage(err)
				}
			}
			if err := f.check(); err != nil {
				return usage(err)
			}
			path, err := file.own()
			if err != nil {
				return err
			}
			if err := f.setBeside(cmd.Flags(), own); err != nil {
				return usage(err)
			}
			if decides := what.Permissions || what.Plans; decides && len(f.opts.Responders) == 0 && !f.opts.Anyone {
				return usage(errors.New("who may decide about permissions and plans? name them with --responder, or say --anyone"))
			}
			self, err := programPath(program)
			if err != nil {
				return usage(err)
			}
			token, err := f.keep(file.dryRun)
			if err != nil {
				return usage(err)
			}
			if token == "" && (what.Permissions || what.Plans) {
				return usage(errors.New("permissions and plans need a token, by which the bridge can prove that it speaks: set ASKBRIDGE_TOKEN for this command, or give --token-file"))
			}
			if token != "" {
				if err := cmd.Flags().Set("token-file", token); err != nil {
					return err
				}
				// The hook itself is heard by its host alone, so its warning is given here.
				if _, err := (&bridgeFlags{url: f.url, token: token}).client(cmd.ErrOrStderr(), client.Options{}); err != nil {
					return err
				}
			}
			what.Command, what.Wait, what.Beside = quoted(self)+" hook claude"+given(cmd), f.installedWait(), f.opts.Beside != ""
			if what.FailClosed {
				what.FailClosed = canFailClosed(cmd)
			}
			if err := file.change(cmd, []string{path}, what.Apply); err != nil || file.dryRun {
				return err
			}
			next := "Start a new Claude Code session to use it."
			if f.opts.Defer {
				next = "Start and resume runs with --permission-prompt-tool mcp__askbridge__approve, see: askbridge mcp --help"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Next: %s\nUndo: askbridge hook claude uninstall\n", next)
			return nil
		},
	}
	f.add(cmd.Flags())
	flags := cmd.Flags()
	flags.BoolVar(&what.Permissions, "permissions", false, "have permission prompts answered too")
	flags.BoolVar(&what.Plans, "plans", false, "have plans approved too")
	flags.BoolVar(&what.Elicitations, "elicitations", false, "have the forms of MCP servers filled in too")
	flags.BoolVar(&what.FailClosed, "fail-closed", false, "block the action if the hook fails; needs Claude Code 2.1.295 or later")
	flags.BoolVar(&own, "own", false, "ask in chat only, and in the terminal if there is no answer")
	flags.StringVar(&program, "program", "", "the `file` of askbridge that the hook is to run (default this one)")
	file.add(flags)
	cmd.SetFlagErrorFunc(refused)
	return cmd
}

// canFailClosed reports whether the version of Claude Code can block a call if its hook fails. It prints a warning if it cannot, or
// if the version is unknown.
func canFailClosed(cmd *cobra.Command) bool {
	ctx, cancel := context.WithTimeout(cmd.Context(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "claude", "--version").Output()
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	can, known := claude.CanFailClosed(version)
	switch {
	case err != nil || !known:
		fmt.Fprintf(cmd.ErrOrStderr(), "The version of Claude Code is unknown. Before %s it ignores --fail-closed: if the hook fails, it goes on without it.\n", claude.FailClosedSince)
		return true
	case !can:
		fmt.Fprintf(cmd.ErrOrStderr(), "Claude Code %s does not know --fail-closed: if the hook fails, it goes on without it. Update to %s or later and run this again.\n", version, claude.FailClosedSince)
	}
	return can
}

func newHookUninstall() *cobra.Command {
	file := &settingsFile{}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hook out of Claude Code's settings",
		Long: `uninstall removes the hook from Claude Code's settings, whatever the program was called when it was installed, and
saves a backup of the settings in the same folder. The file with the token stays.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own, err := file.own()
			if err != nil {
				return err
			}
			paths := []string{own}
			if file.project {
				// Earlier versions wrote into the settings that a team shares.
				paths = append(paths, filepath.Join(".claude", "settings.json"))
			}
			return file.change(cmd, paths, claude.Remove)
		},
	}
	file.add(cmd.Flags())
	cmd.SetFlagErrorFunc(refused)
	return cmd
}

// setBeside sets the folder in which the hooks of a session find each other, unless only the chat asks.
func (f *hookFlags) setBeside(flags *pflag.FlagSet, own bool) error {
	switch {
	case own && f.opts.Beside != "":
		return errors.New("give either --beside or --own")
	case own || f.opts.Defer:
		return nil
	}
	folder := f.opts.Beside
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("find a folder for --beside: %w", err)
		}
		folder = filepath.Join(cache, "askbridge", "claude")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("--beside: %w", err)
	}
	return flags.Set("beside", folder)
}

// programPath is the program that a hook can run for as long as it is installed.
func programPath(given string) (string, error) {
	if given != "" {
		path, err := filepath.Abs(given)
		if err != nil {
			return "", fmt.Errorf("--program: %w", err)
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return "", fmt.Errorf("--program %s: it is not a program", given)
		}
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	// The name it was called by may outlive the file behind it, as a link of a
	// package manager does.
	if called, err := exec.LookPath(os.Args[0]); err == nil && sameFile(called, self) {
		if self, err = filepath.Abs(called); err != nil {
			return "", fmt.Errorf("find this program: %w", err)
		}
	}
	if cache := buildCache(self); cache != "" {
		return "", fmt.Errorf("%s is in %s, which is emptied now and then: install askbridge, or give --program", self, cache)
	}
	return self, nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// buildCache is the cache or temporary folder that a program is in, "" for none.
func buildCache(program string) string {
	folders := []string{os.TempDir(), "/tmp", "/var/tmp", os.Getenv("GOCACHE")}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, cache)
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		real = program
	}
	for _, folder := range folders {
		if target, err := filepath.EvalSymlinks(folder); err == nil {
			folder = target
		}
		if rest, err := filepath.Rel(folder, real); folder != "" && err == nil && filepath.IsLocal(rest) {
			return folder
		}
	}
	for dir := filepath.Dir(real); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if strings.HasPrefix(filepath.Base(dir), "go-build") || filepath.Base(dir) == "_npx" {
			return dir
		}
	}
	return ""
}

// keep puts the token where the hook finds it, and returns the file; "" where
// there is none.
func (f *hookFlags) keep(dryRun bool) (string, error) {
	if f.tokenFile != "" {
		path, err := filepath.Abs(f.tokenFile)
		if err == nil {
			_, err = readToken(path)
		}
		return path, err
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find your configuration: %w", err)
	}
	path := filepath.Join(dir, "askbridge", "hook.token")
	token := os.Getenv("ASKBRIDGE_TOKEN")
	switch {
	case token != "" && dryRun:
		return path, nil
	case token != "":
		if err := replace(path, []byte(token+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("keep the token: %w", err)
		}
	default:
		if _, err := os.Stat(path); err != nil {
			return "", nil //nolint:nilerr // There is none.
		}
	}
	_, err = readToken(path)
	return path, err
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
