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
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/store"
)

func newErase() *cobra.Command {
	var path, before string
	var e store.Erasure
	var sure bool
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what a person wrote, or all texts of requests that have ended",
		Long: `erase takes texts and names out of requests that have ended: what a person wrote, with --person; or what everybody wrote, the
agent's questions too, with --request or --ended-before alone. Together they narrow each other down. What was chosen stays, by
whom (as the platform's id) and when. Where the configuration has audit, a person's or a request's texts are taken out of the trail
as well; the chain holds, and tells of the erasure.

Open requests are left alone: end them first. What stands in chat, in backups, with agents and with receivers of webhooks is not
touched, nor is what the log says at the level debug. With --dry-run it only counts. It can be interrupted, and goes on where it was
when it is run again. A Redis can be in use meanwhile; a store in a file cannot, so stop askbridge serve.`,
		Example: `  askbridge store erase --person slack:U0123ABCD --dry-run --config askbridge.yaml
  askbridge store erase --request p0123456789abcdef --yes --config askbridge.yaml
  askbridge store erase --ended-before 2026-06-01 --yes --config askbridge.yaml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if e.Before, err = momentOf(before); err != nil {
				return usage(err)
			}
			switch {
			case e.Person == "" && e.Request == "" && before == "":
				return usage(errors.New("say what to erase: --person, --request or --ended-before"))
			case !sure && !e.DryRun:
				return usage(errors.New("this cannot be undone; see what it would do with --dry-run, and say --yes if you mean it"))
			}
			cfg, err := load(path)
			if err != nil {
				return err
			}
			if err := eraseRequests(cmd, path, e); err != nil || e.DryRun || !cfg.Audit.On() || e.Person == "" && e.Request == "" {
				return err
			}
			return eraseTrail(cmd, cfg, e)
		},
	}
	configFlag(cmd, &path)
	flags := cmd.Flags()
	flags.StringVar(&e.Person, "person", "", "the `person` who wrote it, as in slack:U0123ABCD")
	flags.StringVar(&e.Request, "request", "", "the `request` whose texts to erase")
	flags.StringVar(&before, "ended-before", "", "of requests that ended before a `day` (2026-06-01, in UTC) or moment (RFC 3339)")
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

func eraseRequests(cmd *cobra.Command, path string, e store.Erasure) error {
	with := rewriteStore
	if e.DryRun {
		with = withStore
	}
	progress := newProgress(cmd.ErrOrStderr())
	defer progress.done()
	return with(cmd, path, func(s app.Store) error {
		n, err := store.Erase(cmd.Context(), s, e, func(n store.Erasing) {
			progress.say("%d of %d requests, %d erased", n.Requests, n.Total, n.Erased)
		})
		progress.done()
		if err != nil {
			return fmt.Errorf("%d requests have lost texts; run it again to go on: %w", n.Erased, err)
		}
		said := "have lost texts"
		if e.DryRun {
			said = "would lose texts"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%d of %d requests that have ended %s.\n", n.Erased, n.Total, said)
		if n.Open > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "%d requests are open and were left alone.\n", n.Open)
		}
		return nil
	})
}

// eraseTrail does the same with the audit trail, tenant by tenant.
func eraseTrail(cmd *cobra.Command, cfg *config.Config, e store.Erasure) (err error) {
	trail, err := app.OpenAudit(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trail.Close()) }()
	tenants, err := trail.Tenants(cmd.Context())
	if err != nil {
		return err
	}
	progress := newProgress(cmd.ErrOrStderr())
	defer progress.done()
	lines := 0
	for _, tenant := range tenants {
		n, err := eraseAll(cmd.Context(), trail, client.AuditErase{Tenant: tenant, Request: e.Request, Person: e.Person}, func(n int) {
			progress.say("%d events of the trail have lost their text", lines+n)
		})
		if lines += n; err != nil {
			return fmt.Errorf("%d events of the trail have lost their text; run it again to go on: %w", lines, err)
		}
	}
	progress.done()
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d events of the audit trail have lost their text.\n", lines)
	return err
}

// eraseAll erases in the trail of one tenant, share by share.
func eraseAll(ctx context.Context, desk auditDesk, e client.AuditErase, progress func(int)) (lines int, err error) {
	for {
		erased, err := desk.EraseAudit(ctx, e)
		if err != nil {
			return lines, goOn(err, e.Cursor)
		}
		lines += erased.Lines
		progress(lines)
		if e.Cursor = erased.Next; e.Cursor == "" {
			return lines, nil
		}
	}
}
