package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
)

func newBackup() *cobra.Command {
	var path, to string
	var running bool
	var reach func() (*client.Client, error)
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Copy all stored data into a file",
		Long: `backup writes all requests and other values (tokens, the audit trail) as JSON lines, which any type of store can
restore. Redis may be in use meanwhile, but a store in a file may not: stop askbridge serve, or use --running.

With --running a running askbridge serve copies its store of type file, as it is at one moment, into the file that store.backup of
its configuration names. It keeps serving. The copy is itself a store: to restore it, stop askbridge serve, replace the store with
the copy, and start again. This needs a token with the scope admin.

The backup is sealed with the keys of the store. Without encryption it holds questions and answers in plain text, and hashes of tokens.
A file is written under a temporary name and renamed when it is complete.`,
		Example: "  askbridge store backup --to askbridge-backup.jsonl --config askbridge.yaml\n  askbridge store backup --running",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if running {
				return backUpRunning(cmd, reach)
			}
			if to == "" {
				return usage(errors.New("say --to, the file to write, or --running; - is standard output"))
			}
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			return withStore(cmd, loadKept, path, func(s app.Store) error {
				if kept, is := s.(*file.Store); is && sameFile(to, kept.Path()) {
					return usage(errors.New("--to is the store of the configuration, whose place the backup would take; name another file"))
				}
				save := func(out io.Writer) (store.Counts, error) {
					return store.Backup(cmd.Context(), s, out, func(n store.Counts) { progress.say("%d requests, %d values", n.Records, n.Values) })
				}
				var n store.Counts
				var err error
				told, where := cmd.OutOrStdout(), "in "+to
				if to == "-" {
					n, err = save(cmd.OutOrStdout())
					told, where = cmd.ErrOrStderr(), "on standard output"
				} else {
					n, err = intoFile(to, save)
				}
				if err != nil {
					return err
				}
				progress.done()
				_, err = fmt.Fprintf(told, "%d requests and %d other values are %s.\n", n.Records, n.Values, where)
				return err
			})
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&to, "to", "", "the `file` to write; - is standard output")
	cmd.Flags().BoolVar(&running, "running", false, "have a running askbridge serve copy its store into its store.backup")
	reach = reachFlags(cmd)
	return cmd
}

// backUpRunning has a running bridge copy its store.
func backUpRunning(cmd *cobra.Command, reach func() (*client.Client, error)) error {
	if err := apart(cmd, "running", "to", "config"); err != nil {
		return err
	}
	c, err := reach()
	if err != nil {
		return err
	}
	made, err := c.Backup(cmd.Context())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "The store was copied to %s (%d bytes).\n", made.File, made.Size)
	return err
}

// intoFile has a file written under another name, which takes its own when it is whole. Of a link
// it is the file that it leads to.
func intoFile(path string, write func(io.Writer) (store.Counts, error)) (store.Counts, error) {
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return store.Counts{}, usage(fmt.Errorf("--to %s is no file; name one, or - for standard output", path))
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // Two at once do not write into one.
	if err != nil {
		return store.Counts{}, err
	}
	n, err := write(part)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return n, errors.Join(err, os.Remove(part.Name()))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = errors.Join(dir.Sync(), dir.Close()) // The file is whole. Not everywhere can its name be on the disk any sooner.
	}
	return n, nil
}

// whole checks whether a backup in a file is damaged and seeks to its beginning. A backup from a pipe is checked at its end.
func whole(backup *os.File) error {
	if info, err := backup.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	if err := store.CheckBackup(backup); err != nil {
		return err
	}
	_, err := backup.Seek(0, io.SeekStart)
	return err
}

// joins checks whether the audit trail of a backup can come into a store, and goes back to the
// beginning of the backup.
func joins(ctx context.Context, backup io.Reader, to app.Store) error {
	trail := audit.NewLog(to.KeyValue(), nil, 0)
	file, can := backup.(io.Seeker)
	if can {
		_, err := file.Seek(0, io.SeekCurrent)
		can = err == nil // A pipe has no beginning to go back to.
	}
	if !can {
		begun, err := trail.Heads(ctx)
		if err == nil && len(begun) > 0 {
			err = errors.New("an audit trail has begun in the store, which is compared with that of the backup first: hand the backup in as a file")
		}
		return err
	}
	if err := trail.Joins(ctx, store.SavedValues(backup, to, audit.Batch)); err != nil {
		return err
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

func newRestore() *cobra.Command {
	var path, from string
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Restore a backup",
		Long: `restore puts the requests and values of a backup into the store of the configuration. The backup may be from any kind of store.
It keeps existing entries, so it can run again after an error or an interrupt. It restores nothing if the store has another
audit trail, because two trails in one cannot be verified, and nothing of a file that was cut off or changed. From standard
input it restores everything before the damage and then fails.

Stop askbridge first. A backup is a snapshot: requests that were answered later are open again, and their cards in chat are outdated
until a person presses one or askbridge resend updates them. Tokens and grants that were revoked later are valid again, with the
grants made with those tokens: check askbridge token list and askbridge grant list, and revoke them again.`,
		Example: "  askbridge store restore --from askbridge-backup.jsonl --config askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := io.ReadCloser(os.Stdin)
			if from == "" {
				return usage(errors.New("say --from, the file to read; - is standard input"))
			}
			if from != "-" {
				f, err := os.Open(from)
				if err != nil {
					return usage(err)
				}
				defer func() { _ = f.Close() }() // Only read.
				switch err := whole(f); {
				case errors.Is(err, store.ErrDamaged):
					return fmt.Errorf("nothing was restored: %w\nTake another copy. As much of this one as can be read goes in with: askbridge store restore --from - < %s", err, from)
				case err != nil:
					return fmt.Errorf("nothing was restored: %w", err)
				}
				in = f
			}
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			return withStore(cmd, load, path, func(s app.Store) error {
				if err := joins(cmd.Context(), in, s); err != nil {
					return fmt.Errorf("nothing was restored: %w", err)
				}
				n, err := store.Restore(cmd.Context(), in, s, func(n store.Counts) { progress.say("%d requests, %d values", n.Records, n.Values) })
				progress.done()
				if errors.Is(err, store.ErrDamaged) {
					return fmt.Errorf("%d requests and %d values were restored: %w", n.Records, n.Values, err)
				}
				if err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
					return fmt.Errorf("%d requests and %d values were restored; run it again to go on: %w", n.Records, n.Values, err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%d requests and %d other values were restored.\n", n.Records, n.Values)
				return err
			})
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&from, "from", "", "the `file` to read; - is standard input")
	return cmd
}
