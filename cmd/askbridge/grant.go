package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/client"
)

// grantCommand is what the commands about grants have in common.
type grantCommand struct {
	at     bridgeFlags
	asJSON bool
}

func newGrant() *cobra.Command {
	g := &grantCommand{}
	cmd := &cobra.Command{
		Use:   "grant",
		Short: "See and take back what people have allowed for a time",
		Long: `grant is about calls that somebody has allowed for a time on the card of a permission prompt, as in "Allow for 8 hours in this
session": the same call is not asked about again until then. Cards offer that where grants of the agent's token let them.

What a grant has met stands in the history: askbridge list --state answered, with via grant:<id>.`,
		Example: `  askbridge grant list
  askbridge grant revoke 8fk2v0qj5m1xw7t3c9dn`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	g.at.addForPeople(flags)
	flags.BoolVar(&g.asJSON, "json", false, "print what the HTTP API tells")
	cmd.AddCommand(g.list(), g.revoke())
	return cmd
}

func (g *grantCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what is allowed now",
		Long:  `list shows what nobody is asked about now: who has allowed it, until when, and how often that was used. With --json each line is a grant.`,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := g.at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
			if err != nil {
				return err
			}
			all, err := c.Grants(cmd.Context())
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if g.asJSON {
				var failed []error
				for _, grant := range all.Grants {
					failed = append(failed, writeJSON(out, &grant))
				}
				return errors.Join(failed...)
			}
			if len(all.Grants) == 0 {
				fmt.Fprintln(out, "There are none.")
				return nil
			}
			table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "ID\tAGENT\tWHERE\tENDS\tUSED\tBY\tWHAT")
			for _, grant := range all.Grants {
				fmt.Fprintf(table, "%s\t%s\t%s\tin %s\t%d\t%s\t%s\n", grant.ID, inCell(grant.Agent, 24), grantWhere(&grant),
					span(time.Until(grant.Until)), grant.Uses, inCell(cmp.Or(grant.By.Name, grant.By.Key()), 24), inCell(grant.What, 60))
			}
			return table.Flush()
		},
	}
}

// grantWhere says where a grant holds.
func grantWhere(g *client.Grant) string {
	if g.Session == "" {
		return "every session"
	}
	return "session " + inCell(g.Session, 24)
}

func (g *grantCommand) revoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke id ...",
		Short:   "Have people asked again",
		Long:    `revoke ends grants by their ids. When it returns no replica allows anything by them any more; what they have met stays as it is.`,
		Example: `  askbridge grant revoke 8fk2v0qj5m1xw7t3c9dn`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || slices.Contains(args, "") {
				return usage(fmt.Errorf("name a grant by its id, as askbridge grant list does\nSee: %s --help", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := g.at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
			if err != nil {
				return err
			}
			var failed []error
			for _, id := range args {
				grant, err := c.RevokeGrant(cmd.Context(), id)
				switch {
				case err != nil:
					failed = append(failed, fmt.Errorf("revoke %s: %w", id, err))
				case g.asJSON:
					failed = append(failed, writeJSON(cmd.OutOrStdout(), grant))
				default:
					fmt.Fprintf(cmd.OutOrStdout(), "%s is revoked: people are asked again before %s\n", grant.ID, inCell(grant.What, 60))
				}
			}
			return errors.Join(failed...)
		},
	}
}
