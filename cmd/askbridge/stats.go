package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/client"
)

func newStats() *cobra.Command {
	var period time.Duration
	var tenant string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count requests and how long people took",
		Long: `stats counts the requests of a period, in total, by route, by agent and, if places name it, by
installation: how they ended, how many a grant answered, how many reminders were needed, and the median and 90th percentile of
the time to the first act of a person and to the end. OTHER counts requests that were withdrawn, replaced or not delivered. With count_people in the configuration it also counts what each person did.

The numbers come from the audit trail, so the configuration needs audit, and the token the scope admin.` + needsRunning,
		Example: `  askbridge stats
  askbridge stats --since 30d --json`,
		Args: noArguments,
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if period <= 0 {
			return usage(errors.New("--since takes a time such as 24h or 7d, at most 366d"))
		}
		c, err := reach()
		if err != nil {
			return err
		}
		q := client.StatsQuery{Since: time.Now().Add(-period)}
		if cmd.Flags().Changed("tenant") {
			q.Tenant = &tenant
		}
		s, err := c.Stats(cmd.Context(), q)
		switch {
		case err != nil:
			return err
		case asJSON:
			return writeJSON(cmd.OutOrStdout(), s)
		}
		return printStats(cmd.OutOrStdout(), s)
	}
	period = 7 * 24 * time.Hour
	lengthVar(cmd.Flags(), &period, "since", "count the requests that were asked within this `time`, as in 24h or 30d")
	cmd.Flags().StringVar(&tenant, "tenant", "", "only the requests of this `tenant`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, with times in seconds")
	return cmd
}

// printStats prints the numbers as tables.
func printStats(out io.Writer, s *client.Stats) error {
	if s.Total.Asked == 0 {
		_, err := fmt.Fprintf(out, "No requests since %s.\n", moment(s.Since))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "Requests since %s\n\n", moment(s.Since))
	const columns = "%s\tASKED\tOPEN\tANSWERED\tBY GRANT\tDISMISSED\tEXPIRED\tOTHER\tREMINDERS\tFIRST ACT\tEND\n"
	row := func(name string, n client.Numbers) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", inCell(name, 30), n.Asked, n.Open, n.Answered, n.Granted, n.Dismissed, n.Expired,
			n.Withdrawn+n.Superseded+n.Failed, n.Reminders, times(n.ToFirstAct), times(n.ToEnd))
	}
	fmt.Fprintf(w, columns, "")
	row("all", s.Total)
	for _, group := range []struct {
		name   string
		shares []client.Share
	}{{"ROUTE", s.Routes}, {"AGENT", s.Agents}, {"INSTALLATION", s.Installations}} {
		if len(group.shares) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n"+columns, group.name)
		for _, share := range group.shares {
			row(share.Name, share.Numbers)
		}
	}
	if len(s.People) > 0 {
		fmt.Fprint(w, "\nPERSON\tACTED\tDECIDED\tFIRST ACT\n")
		for _, p := range s.People {
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", inCell(p.Person, 30), p.Acted, p.Decided, times(p.ToFirstAct))
		}
	}
	return w.Flush()
}

// times formats a median and a 90th percentile, as in "40s / 5m".
func times(t client.Times) string {
	if t.Count == 0 {
		return "-"
	}
	length := func(seconds float64) string { return span(time.Duration(seconds * float64(time.Second))) }
	return length(t.Median) + " / " + length(t.P90)
}
