package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func newWebhooks() *cobra.Command {
	var at bridgeFlags
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "List and replay failed webhooks",
		Long: `webhooks shows calls to agents that a running askbridge has stopped retrying: the receiver replied 410, or did not
accept the call for three days. Nothing is lost until the request is deleted (store.retention, 7 days): fix
the receiver, then replay.`,
		Example: `  askbridge webhooks dead
  askbridge webhooks replay --all`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	at.addForPeople(cmd.PersistentFlags())
	reach := func(cmd *cobra.Command) (*client.Client, error) {
		return at.client(cmd.ErrOrStderr(), client.Options{Tries: 2})
	}
	cmd.AddCommand(&cobra.Command{
		Use: "dead", Short: "List failed calls", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := reach(cmd)
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "REQUEST\tENDED\tSTATE\tATTEMPTS\tWHY")
			err = eachDead(cmd.Context(), c, func(r client.Request) error {
				_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n",
					r.ID, r.EndedAt.UTC().Format(time.RFC3339), r.State, r.Webhook.Attempts, r.Webhook.Detail)
				return err
			})
			if err != nil {
				return err
			}
			return table.Flush()
		},
	})
	var all bool
	replay := &cobra.Command{
		Use: "replay [request...]", Short: "Repeat failed calls",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if all == (len(ids) > 0) || slices.Contains(ids, "") {
				return usage(fmt.Errorf("name the requests, or use --all"))
			}
			c, err := reach(cmd)
			if err != nil {
				return err
			}
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			if all {
				if err := eachDead(cmd.Context(), c, func(r client.Request) error {
					ids = append(ids, r.ID)
					progress.say("%d found", len(ids))
					return nil
				}); err != nil {
					return err
				}
			}
			called, failed := 0, []error{}
			for n, id := range ids {
				progress.say("%d of %d", n, len(ids))
				whole, err := findRequest(cmd.Context(), c, id)
				var r *client.Request
				if err == nil {
					r, err = c.Replay(cmd.Context(), whole)
				}
				switch {
				case errors.Is(err, ask.ErrNotFound):
					failed = append(failed, fmt.Errorf("replay %s: %w", id, err))
				case err != nil:
					return fmt.Errorf("%d of %d will be repeated; run it again to continue: replay %s: %w", called, len(ids), id, err)
				case r.Ended() && r.Webhook != nil && r.Webhook.State == client.Due:
					called++
				default:
					failed = append(failed, fmt.Errorf("replay %s: %s", id, whyNotCalled(r)))
				}
			}
			progress.done()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d to be repeated\n", called)
			return errors.Join(append(failed, err)...)
		},
	}
	replay.Flags().BoolVar(&all, "all", false, "every failed call")
	cmd.AddCommand(replay)
	return cmd
}

// whyNotCalled returns why there is no call to repeat.
func whyNotCalled(r *client.Request) string {
	switch {
	case r.Webhook == nil:
		return "it has no webhook"
	case !r.Ended():
		return "it is open; its webhook is called when it ends"
	}
	return "its webhook accepted the call"
}

// eachDead calls f with every request whose webhook was given up.
func eachDead(ctx context.Context, c *client.Client, f func(client.Request) error) error {
	q := client.ListQuery{Webhook: client.Dead}
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		for _, r := range page.Requests {
			if err := f(r); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		q.Cursor = page.Next
	}
}
