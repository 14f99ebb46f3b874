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

// grantCommand is shared by the commands about grants.
type grantCommand struct {
	at     bridgeFlags
	asJSON bool
}

func newGrant() *cobra.Command {
	g := &grantCommand{}
	cmd := &cobra.Command{
		Use:   "grant",
		Short: "List and revoke temporary permissions",
		Long: `grant manages calls that a person allowed for some time on the card of a permission prompt, as in "Allow for 8 h":
until then the bridge does not ask about the same call. Cards offer this if grants of the agent's token allow it.

Requests that a grant answered are in the history: askbridge list --state answered, with via grant:<id>.`,
		Example: `  askbridge grant list
  askbridge grant revoke 8fk2v0qj5m1xw7t3c9dn`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	g.at.addForPeople(flags)
	flags.BoolVar(&g.asJSON, "json", false, "print JSON")
	cmd.AddCommand(g.list(), g.revoke())
	return cmd
}

func (g *grantCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List current grants",
		Long:  `list shows each grant with its person, its end and how often it was used. With --json each line is a grant.`,
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

// grantWhere returns where a grant is valid.
func grantWhere(g *client.Grant) string {
	if g.Session == "" {
		return "every session"
	}
	return "session " + inCell(g.Session, 24)
}

func (g *grantCommand) revoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke id ...",
		Short:   "Revoke grants",
		Long:    `revoke ends grants by ID. Once it returns, no replica uses them. Requests that they answered do not change.`,
		Example: `  askbridge grant revoke 8fk2v0qj5m1xw7t3c9dn`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || slices.Contains(args, "") {
				return usage(fmt.Errorf("name a grant by its ID, see askbridge grant list\nSee: %s --help", cmd.CommandPath()))
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
