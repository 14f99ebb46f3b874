package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
)

// eraseDesk is where texts are erased: a running bridge, or the store without one.
type eraseDesk interface {
	Erase(ctx context.Context, e client.Erase) (*client.Erased, error)
}

func newErase() *cobra.Command {
	var at bridgeFlags
	var path, before string
	var e client.Erase
	var sure bool
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what a person wrote, or all texts of requests that have ended",
		Long: `erase removes texts and names from ended requests: with --person what that person wrote; with only --request or --ended-before
what everyone wrote, including the agent's questions. Combined flags narrow each other down. Choices, user IDs of the platform
and times stay. If the configuration has audit, the same texts are removed from the trail, with --ended-before those written
before. The chain stays valid and records the erasure.

It calls a running askbridge, with a token that has the scope admin. With --config it opens the store of that configuration
directly; stop askbridge serve first if the store is a file.

Open requests do not change: end them first. Copies in chat, in backups, at agents, at receivers of webhooks and in debug logs
remain. With --dry-run it only counts. After an interrupt it continues with --cursor, or starts over without it.`,
		Example: `  askbridge store erase --person slack:U0123ABCD --dry-run
  askbridge store erase --person slack:U0123ABCD --yes
  askbridge store erase --request p0123456789abcdef --yes
  askbridge store erase --ended-before 2026-06-01 --yes --config askbridge.yaml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if e.EndedBefore, err = momentOf(before); err != nil {
				return usage(err)
			}
			switch {
			case e.Person == "" && e.Request == "" && before == "":
				return usage(errors.New("say what to erase: --person, --request or --ended-before"))
			case !sure && !e.DryRun:
				return usage(errors.New("this cannot be undone; see what it would do with --dry-run, and say --yes if you mean it"))
			}
			if path == "" {
				c, err := at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
				if err != nil {
					return err
				}
				return erase(cmd, c, e)
			}
			cfg, err := loadKept(path)
			if err != nil {
				return err
			}
			desk, err := app.OpenEraser(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
			if err != nil {
				return inUse(err, "leave --config out and ask that, with a token that has the scope admin")
			}
			defer func() { err = errors.Join(err, desk.Close()) }()
			return erase(cmd, desk, e)
		},
	}
	flags := cmd.Flags()
	at.addForPeople(flags)
	flags.StringVarP(&path, "config", "c", "", "open the store of this configuration `file` instead of calling a running askbridge")
	flags.StringVar(&e.Person, "person", "", "the `person` who wrote it, as in slack:U0123ABCD")
	flags.StringVar(&e.Request, "request", "", "the `request` whose texts to erase")
	flags.StringVar(&before, "ended-before", "", "of requests that ended before a `day` (2026-06-01, in UTC) or moment (RFC 3339)")
	flags.StringVar(&e.Cursor, "cursor", "", "go on at this `place`, where an erasure was interrupted")
	flags.BoolVar(&e.DryRun, "dry-run", false, "only count")
	flags.BoolVar(&sure, "yes", false, "yes, erase it")
	return cmd
}

// momentOf reads a day or a moment; nothing is the zero time.
func momentOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("--ended-before %q is neither a day (2026-06-01) nor a moment (2026-06-01T08:00:00Z)", text)
}

// erase erases in batches and prints the result.
func erase(cmd *cobra.Command, desk eraseDesk, e client.Erase) error {
	progress := newProgress(cmd.ErrOrStderr())
	defer progress.done()
	verb := "have lost texts"
	if e.DryRun {
		verb = "would lose texts"
	}
	var all client.Erased
	for more := true; more; more = e.Cursor != "" {
		n, err := desk.Erase(cmd.Context(), e)
		switch {
		case err != nil && all == (client.Erased{}):
			return goOn(err, e.Cursor)
		case err != nil: // How far the share came that failed is not known.
			return fmt.Errorf("at least %d requests and %d events of the audit trail %s: %w", all.Erased, all.Lines, verb, goOn(err, e.Cursor))
		}
		all.Requests, all.Erased, all.Open, all.Lines = all.Requests+n.Requests, all.Erased+n.Erased, all.Open+n.Open, all.Lines+n.Lines
		progress.say("%d requests, %d erased; %d events of the audit trail", all.Requests, all.Erased, all.Lines)
		e.Cursor = n.Next
	}
	progress.done()
	fmt.Fprintf(cmd.OutOrStdout(), "%d of %d requests that have ended %s.\n", all.Erased, all.Requests, verb)
	if all.Open > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%d requests are open and were left alone.\n", all.Open)
	}
	if all.Lines > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "%d events of the audit trail have lost their text.\n", all.Lines)
	}
	return nil
}
