package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/visible"
)

func newShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show request",
		Short: "Show one request",
		Long: `show prints everything about one request: its questions, who may answer, the answers and who gave them, the votes and
who has yet to vote, who is asked when and which step is next, the state of each card, and why a card was not posted. askbridge
answer accepts the numbers of the questions, and askbridge answer --revision the revision, which counts how often the agent has
revised the request.` + prefixHelp + needsRunning,
		Example: `  askbridge show 07abcdefghijklmnopqrstuvwx
  askbridge show 07abcdefghijklmnopqrstuvwx --json`,
		Args: oneRequest,
	}
	reach := reachFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		c, err := reach()
		if err != nil {
			return err
		}
		id, err := findRequest(cmd.Context(), c, ids[0])
		if err != nil {
			return about(ids[0], err)
		}
		r, err := c.Get(cmd.Context(), id)
		if err != nil {
			return about(id, err)
		}
		return printRequest(cmd.OutOrStdout(), r, asJSON)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// oneRequest requires one ID.
func oneRequest(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usage(fmt.Errorf("name one request, see askbridge list\nSee: %s --help", cmd.CommandPath()))
	}
	return nil
}

// about adds the request to an error.
func about(id string, err error) error { return fmt.Errorf("request %s: %w", id, err) }

// printRequest prints one request for people, or as JSON.
func printRequest(out io.Writer, r *client.Request, asJSON bool) error {
	if asJSON {
		return writeJSON(out, r)
	}
	w := bufio.NewWriter(out)
	writeRequest(w, r)
	return w.Flush()
}

// writeLine prints one line with hidden characters escaped, see [visible.Line].
func writeLine(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, visible.Line(fmt.Sprintf(format, args...)))
}

func writeRequest(w io.Writer, r *client.Request) {
	line := func(name, format string, args ...any) {
		writeLine(w, "%-9s %s", name, fmt.Sprintf(format, args...))
	}
	line("Request", "%s", r.ID)
	line("State", "%s", stateOf(r))
	revision := strconv.Itoa(r.Revision)
	if r.Revision > 0 {
		revision += ", made " + moment(r.RevisedAt)
	}
	line("Revision", "%s", revision)
	line("Asked", "%s%s", moment(r.CreatedAt), by(r.Agent))
	for _, known := range []struct{ name, value string }{{"Session", r.Session}, {"Tool call", r.ToolCallID}, {"Context", r.Context}, {"Source", strings.TrimSpace(r.Source.Title + " " + r.Source.URL)}} {
		if known.value != "" {
			line(known.name, "%s", known.value)
		}
	}
	lists := []string{withNames(r, r.Responders)}
	for _, floor := range r.Floors {
		lists = append(lists, "one of "+withNames(r, floor))
	}
	line("Answers", "may come from %s", strings.Join(lists, "; and "))
	for n, q := range r.Questions {
		fmt.Fprintln(w)
		writeQuestion(w, n, q, r.Answers)
		writeUnanswered(w, n, "skipped", r.Skipped)
		writeUnanswered(w, n, "not answered", r.Left)
	}
	writeVotes(w, r)
	writeSteps(w, r)
	writeTalk(w, r)
	fmt.Fprintln(w, "\nCards")
	for _, d := range r.Delivery {
		writeLine(w, "  %s  %s", r.Called(placeOf(&d)), standing(&d))
		if d.URL != "" {
			writeLine(w, "    %s", d.URL)
		}
	}
	if r.Webhook != nil {
		fmt.Fprintln(w, "\nWebhook")
		writeLine(w, "  %s  %s", r.Webhook.URL, calling(r.Webhook))
	}
}

// writeVotes prints how many people decide, the votes as far as they are public, and who has yet to vote.
func writeVotes(w io.Writer, r *client.Request) {
	if r.Policy == nil {
		return
	}
	poll := r.Policy.Mode == ask.Poll
	if need := r.Policy.NeedOf(nil); poll {
		fmt.Fprintf(w, "\nVotes (most votes decide, at least %d must vote)\n", need)
	} else {
		fmt.Fprintf(w, "\nVotes (%d must agree)\n", need)
	}
	line := func(choice string, votes, need int, has func(ask.Vote) bool) {
		text := fmt.Sprintf("%s: %d", choice, votes)
		if need > 0 {
			text += fmt.Sprintf(" of %d", need)
		}
		var by []string
		for _, v := range r.Votes {
			if has(v) {
				by = append(by, person(v.By))
			}
		}
		if len(by) > 0 {
			text += ", " + strings.Join(by, ", ")
		}
		writeLine(w, "  %s", text)
	}
	for _, c := range r.Tally {
		need := r.Policy.NeedOf(c.Selected)
		if poll {
			need = 0
		}
		line(choiceText(r, c), c.Votes, need, func(v ask.Vote) bool { return slices.ContainsFunc(v.Choices, c.Choice().Same) })
	}
	dismissals := func(v ask.Vote) bool { return v.Dismissed }
	if slices.ContainsFunc(r.Votes, dismissals) {
		votes := len(slices.DeleteFunc(slices.Clone(r.Votes), func(v ask.Vote) bool { return !v.Dismissed }))
		line("To dismiss it", votes, r.Policy.ToDismiss(), dismissals)
	}
	switch {
	case len(r.Votes) > 0:
	case !r.Ended() && r.Policy.Show == ask.ShowSealed:
		fmt.Fprintln(w, "  hidden until the end")
	case r.Voted > 0:
		fmt.Fprintf(w, "  %d voted\n", r.Voted)
	default:
		fmt.Fprintln(w, "  none yet")
	}
	for _, voter := range r.NotVoted {
		var accounts []string
		for _, p := range voter.Accounts {
			accounts = append(accounts, p.Key())
		}
		text := withNames(r, accounts)
		if voter.Name != "" {
			text = fmt.Sprintf("%s (%s)", voter.Name, text)
		}
		writeLine(w, "  Has not voted: %s", text)
	}
}

// choiceText is a counted choice, with the number of its question if there are several.
func choiceText(r *client.Request, c ask.Count) string {
	parts := slices.Clone(c.Selected)
	switch {
	case c.Skipped:
		parts = []string{"skip"}
	case c.Other != "":
		parts = append(parts, "typed: "+c.Other)
	}
	text := strings.Join(parts, ", ")
	if len(r.Questions) > 1 {
		text = fmt.Sprintf("%d. %s", c.Index+1, text)
	}
	return text
}

// writeSteps prints the steps of the schedule, and who delays them. The first step that is left is marked as next.
func writeSteps(w io.Writer, r *client.Request) {
	if len(r.Steps) == 0 && r.ClaimFor == "" {
		return
	}
	fmt.Fprintln(w, "\nSteps")
	next := !r.Ended()
	for _, s := range r.Steps {
		mark := ""
		switch {
		case s.Done:
			mark = ", done"
		case r.Ended():
			mark = ", not reached"
		case next:
			mark, next = ", next", false
		}
		writeLine(w, "  %s  %s%s", moment(s.At), stepText(r, &s), mark)
	}
	switch {
	case r.Ended():
	case r.Claim != nil:
		writeLine(w, "  %s is on it, which delays the steps until %s", person(r.Claim.By), moment(r.Claim.Until))
	case r.ClaimFor != "":
		writeLine(w, "  a person who is on it delays the steps for %s", r.ClaimFor)
	}
}

// stepText is what a step does, and who is notified.
func stepText(r *client.Request, s *client.Step) string {
	text := string(s.Do)
	switch s.Do {
	case ask.Remind:
	case ask.HandOver:
		return fmt.Sprintf("passed from %s to %s", person(s.By), person(s.PassedTo))
	default:
		var added []string
		if len(s.Responders) > 0 {
			added = append(added, withNames(r, s.Responders))
		}
		for _, place := range s.To {
			added = append(added, r.Called(place))
		}
		text += " " + strings.Join(added, ", ")
	}
	if len(s.Notify) > 0 {
		text += "; notifies " + withNames(r, s.Notify)
	}
	return text
}

// writeTalk prints the messages between people and the agent.
func writeTalk(w io.Writer, r *client.Request) {
	for n, asked := range r.AskedBack {
		if n == 0 {
			fmt.Fprintln(w, "\nAsked back")
		}
		writeLine(w, "  %d. %s: %s", asked.Number, person(asked.By), asked.Text)
		if asked.Reply != "" {
			writeLine(w, "     → %s", asked.Reply)
		}
	}
	if r.Receipt == nil || !r.Ended() || r.By.ID == "" {
		return
	}
	switch {
	case r.Receipt.Instead != "":
		fmt.Fprintln(w)
		writeLine(w, "The agent followed another decision: %s", r.Receipt.Instead)
	case !r.Receipt.TakenAt.IsZero():
		fmt.Fprintf(w, "\nThe agent has it, %s\n", moment(r.Receipt.TakenAt))
	default:
		fmt.Fprintln(w, "\nThe agent has not taken it")
	}
}

// stateOf describes the state of a request and who caused it.
func stateOf(r *client.Request) string {
	text := string(r.State)
	switch {
	case !r.Ended() && r.ExpiresAt.IsZero():
		return text + ", without a deadline"
	case !r.Ended():
		return text + ", until " + moment(r.ExpiresAt)
	}
	if r.By.ID != "" {
		text += " by " + person(r.By)
	}
	text += ", " + moment(r.EndedAt)
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return text
}

func by(agent string) string {
	if agent == "" {
		return ""
	}
	return " by " + agent
}

// person returns the name and the account of a person.
func person(p ask.Person) string {
	switch {
	case p.Platform == ask.API:
		return p.ID + ", over the API"
	case p.Name == "":
		return p.Key()
	}
	return fmt.Sprintf("%s (%s)", p.Name, p.Key())
}

// withNames lists people and groups, each with the name that the bridge knows.
func withNames(r *client.Request, entries []string) string {
	all := slices.Clone(entries)
	for n, who := range all {
		if name := r.Names[who]; name != "" {
			all[n] = fmt.Sprintf("%s (%s)", name, who)
		}
	}
	return strings.Join(all, ", ")
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func writeQuestion(w io.Writer, n int, q ask.Question, answers []ask.Answer) {
	title := q.Text
	if q.Header != "" && q.Header != q.Text {
		title = q.Header + ": " + q.Text
	}
	if q.MultiSelect {
		title += "  (any number)"
	}
	if q.Optional {
		title += "  (optional)"
	}
	writeLine(w, "%d. %s", n+1, title)
	for _, o := range q.Options {
		text := o.Label
		if o.Description != "" {
			text += ": " + o.Description
		}
		writeLine(w, "   - %s", text)
	}
	switch {
	case q.NoOther:
	case len(q.Options) == 0:
		fmt.Fprintln(w, "   in own words")
	default:
		fmt.Fprintln(w, "   - or own words")
	}
	for _, a := range answers {
		if a.Index != n {
			continue
		}
		for _, label := range a.Selected {
			writeLine(w, "   → %s", label)
		}
		if a.Other != "" {
			writeLine(w, "   → typed: %s", a.Other)
		}
		writeNotes(w, a.Notes, a.NotesBy)
		writeLine(w, "     %s, %s", person(a.By), moment(a.At))
	}
}

// writeUnanswered prints why question n has no answer.
func writeUnanswered(w io.Writer, n int, word string, all []ask.Unanswered) {
	for _, u := range all {
		if u.Index != n {
			continue
		}
		writeLine(w, "   → %s", word)
		writeNotes(w, u.Notes, u.NotesBy)
		if u.By.ID != "" {
			writeLine(w, "     %s", person(u.By))
		}
	}
}

// writeNotes prints the note on an answer.
func writeNotes(w io.Writer, notes string, by ask.Person) {
	switch {
	case notes == "":
	case by.ID == "":
		writeLine(w, "     note: %s", notes)
	default:
		writeLine(w, "     note by %s: %s", person(by), notes)
	}
}

// standing describes the state of a card.
func standing(d *client.Delivery) string {
	text := string(d.State)
	if d.Message != "" {
		text += fmt.Sprintf(" (message %s in %s)", d.Message, d.Channel)
	}
	if d.Queue > 0 {
		text += fmt.Sprintf(", number %d in the queue", d.Queue)
	}
	return text + because(d.Detail, d.RetryAt)
}

// calling describes the state of the webhook.
func calling(h *client.Webhook) string {
	return fmt.Sprintf("%s after %d calls%s", h.State, h.Attempts, because(h.Detail, h.RetryAt))
}

// because describes an error and the time of the next attempt.
func because(detail string, again time.Time) string {
	text := ""
	if detail != "" {
		text = ": " + detail
	}
	if !again.IsZero() {
		text += ", again at " + moment(again)
	}
	return text
}
