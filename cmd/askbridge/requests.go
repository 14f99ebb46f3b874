package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// operatorTries is the number of attempts of a call that a person waits for.
const operatorTries = 2

// needsRunning ends the help of every command that calls a running bridge.
const needsRunning = "\n\nIt needs a running askbridge serve, or askbridge sim."

// reachFlags adds the flags of the bridge's address and returns a function that creates the client.
func reachFlags(cmd *cobra.Command) func() (*client.Client, error) {
	at := &bridgeFlags{}
	at.addForPeople(cmd.Flags())
	return func() (*client.Client, error) {
		return at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
	}
}

func newList() *cobra.Command {
	var state string
	var limit int
	var within time.Duration
	var troubled, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List requests",
		Long: `list shows the requests that a token may see: open ones by deadline, ended ones oldest first. A star after the state
marks a failed card or webhook, or a card that has not been posted for over a minute; askbridge show has the details.
REV counts how often the agent has revised the request.

With --json each line is a request.` + needsRunning,
		Example: `  askbridge list
  askbridge list --trouble
  askbridge list --state ended --since 24h --json`,
		Args: noArguments,
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		if limit < 0 {
			return usage(errors.New("--limit takes a number, or 0 for all"))
		}
		q := client.ListQuery{State: ask.State(state)}
		if cmd.Flags().Changed("since") {
			if within <= 0 || q.State == ask.Open {
				return usage(errors.New("--since takes a time such as 24h and needs --state ended, or another state than open"))
			}
			q.Since = time.Now().Add(-within)
		}
		show := lines(cmd.OutOrStdout(), asJSON)
		n := 0
		err = eachRequest(cmd.Context(), c, q, func(r *client.Request) (bool, error) {
			if troubled && !trouble(r) {
				return true, nil
			}
			n++
			return limit == 0 || n < limit, show.add(r)
		})
		if err != nil {
			return err
		}
		return show.end()
	}
	flags := cmd.Flags()
	flags.StringVar(&state, "state", string(ask.Open), "requests in this `state`: open, ended (all that are not), answered, cancelled, expired, superseded or failed")
	lengthVar(flags, &within, "since", "only requests that ended within this `time`, as in 24h")
	flags.IntVar(&limit, "limit", 0, "at most this `number`; 0 is all")
	flags.BoolVar(&troubled, "trouble", false, "only requests with a failed card or webhook")
	flags.BoolVar(&asJSON, "json", false, "print each request as a line of JSON")
	return cmd
}

// eachRequest calls f with every request until it returns false.
func eachRequest(ctx context.Context, c *client.Client, q client.ListQuery, f func(*client.Request) (more bool, err error)) error {
	for {
		page, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		for n := range page.Requests {
			if more, err := f(&page.Requests[n]); err != nil || !more {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		q.Cursor = page.Next
	}
}

// patience is how long posting a card may take.
const patience = time.Minute

// trouble reports whether a card or the webhook of a request has failed, or a card has been queued for too long.
func trouble(r *client.Request) bool {
	late := !r.Ended() && time.Since(r.CreatedAt) > patience
	for _, d := range r.Delivery {
		if d.State == client.Undeliverable || d.State == client.Lost || d.Detail != "" || late && d.State != client.Posted {
			return true
		}
	}
	return r.Webhook != nil && (r.Webhook.State == client.Dead || r.Webhook.Detail != "")
}

// lister prints requests, one per line.
type lister struct {
	out   io.Writer
	table *tabwriter.Writer // nil for JSON
	began bool
}

func lines(out io.Writer, asJSON bool) *lister {
	l := &lister{out: out}
	if !asJSON {
		l.table = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	}
	return l
}

func (l *lister) add(r *client.Request) error {
	if l.table == nil {
		return writeJSON(l.out, r)
	}
	if !l.began {
		l.began = true
		fmt.Fprintln(l.table, "REQUEST\tSTATE\tREV\tASKED\tENDS\tAGENT\tWHERE\tQUESTION")
	}
	state := string(r.State)
	if trouble(r) {
		state += "*"
	}
	_, err := fmt.Fprintf(l.table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", r.ID, state, r.Revision, since(r.CreatedAt), ends(r), inCell(r.Agent, 20),
		strings.Join(places(r), ", "), inCell(questionsOf(r), 60))
	return err
}

func (l *lister) end() error {
	switch {
	case l.table == nil:
		return nil
	case !l.began:
		_, err := fmt.Fprintln(l.out, "There are none.")
		return err
	}
	return l.table.Flush()
}

// ends returns when a request ends or ended.
func ends(r *client.Request) string {
	switch {
	case r.Ended():
		return since(r.EndedAt)
	case r.ExpiresAt.IsZero():
		return "never"
	}
	return "in " + span(time.Until(r.ExpiresAt))
}

// questionsOf returns the questions of a request on one line.
func questionsOf(r *client.Request) string {
	var all []string
	for _, q := range r.Questions {
		all = append(all, q.Text)
	}
	return strings.Join(all, " / ")
}

// places returns where a request is shown.
func places(r *client.Request) []string {
	var all []string
	for _, d := range r.Delivery {
		all = append(all, r.Called(placeOf(&d)))
	}
	return all
}

// placeOf returns the requested place of a copy.
func placeOf(d *client.Delivery) ask.Place {
	at := d.Place()
	if at.User != "" {
		at.Channel = "" // That of the direct messages.
	}
	return at
}

// inCell returns a text on one line, cut at a number of characters.
func inCell(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return text
}

func since(t time.Time) string { return span(time.Since(t)) + " ago" }

// span formats a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
