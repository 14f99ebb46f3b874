package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/client"
)

func newInbox() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Show what waits for you",
		Long: `inbox shows the open requests that wait for the person who holds the token: they may answer, and have not voted yet. The
first one is the next to expire. The token needs the scopes read and answer.

With --json each line is a request.` + needsRunning,
		Example: `  askbridge inbox
  askbridge answer 07abcdefghijklmnopqrstuvwx "Roll back"`,
		Args: noArguments,
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		w := bufio.NewWriter(cmd.OutOrStdout())
		n := 0
		err = eachRequest(cmd.Context(), c, client.ListQuery{Mine: true}, func(r *client.Request) (bool, error) {
			n++
			if asJSON {
				return true, writeJSON(w, r)
			}
			writeWaiting(w, r)
			return true, nil
		})
		if err != nil {
			return err
		}
		if n == 0 && !asJSON {
			fmt.Fprintln(w, "Nothing waits for you.")
		}
		return w.Flush()
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each request as a line of JSON")
	return cmd
}

// writeWaiting prints a request as someone needs it to answer.
func writeWaiting(w io.Writer, r *client.Request) {
	writeLine(w, "%s  asked %s%s, ends %s", r.ID, since(r.CreatedAt), by(r.Agent), ends(r))
	for n, q := range r.Questions {
		writeQuestion(w, n, q, nil)
	}
	writeVotes(w, r)
	for _, d := range r.Delivery {
		if d.URL != "" {
			writeLine(w, "%s", d.URL)
		}
	}
	fmt.Fprintln(w)
}
