package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
)

// tokenDesk creates tokens: a running bridge, or the store without one.
type tokenDesk interface {
	CreateToken(ctx context.Context, t client.NewToken) (*client.MadeToken, error)
	ListTokens(ctx context.Context) (*client.Tokens, error)
	RotateToken(ctx context.Context, of string, how client.RotateToken) (*client.MadeToken, error)
	RevokeToken(ctx context.Context, of string) (*client.Tokens, error)
}

// tokenCommand is shared by the commands about tokens.
type tokenCommand struct {
	at     bridgeFlags
	config string
	asJSON bool
}

func newToken() *cobra.Command {
	t := &tokenCommand{}
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, rotate and revoke tokens",
		Long: `token creates and revokes tokens for agents and for people at a shell, in addition to those of the configuration. Changes
apply at once on every replica, without a restart or a reload.

It calls a running askbridge serve with a token that has the scope tokens. Create the first one with --config, which opens the
store of that configuration directly; stop askbridge serve first if the store is a file.

The store holds only a hash of each token, so a token cannot be shown again.`,
		Example: `  askbridge token create ops --scope tokens --config askbridge.yaml
  askbridge token create deploy-bot --to slack:C0123ABCD --expires-in 30d
  askbridge token list
  askbridge token rotate deploy-bot --grace 1h
  askbridge token revoke deploy-bot`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	t.at.addForPeople(flags)
	flags.StringVarP(&t.config, "config", "c", "", "open the store of this configuration `file` instead of calling a running askbridge")
	flags.BoolVar(&t.asJSON, "json", false, "print JSON")
	cmd.AddCommand(t.create(), t.list(), t.rotate(), t.revoke())
	return cmd
}

// with runs f with the bridge or the store of --config, whose configuration it reads with read.
func (t *tokenCommand) with(cmd *cobra.Command, read loader, f func(tokenDesk) error) (err error) {
	if t.config == "" {
		c, err := t.at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
		if err != nil {
			return err
		}
		return f(c)
	}
	cfg, err := read(t.config)
	if err != nil {
		return err
	}
	desk, err := app.OpenTokens(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	if err != nil {
		return inUse(err, "leave --config out and ask that: with a token that has the scope tokens, which can be listed under agents and reloaded")
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	if !cfg.TokensNeeded() {
		fmt.Fprintf(cmd.ErrOrStderr(), "askbridge: %s lets every program on this machine in without a token; set require_tokens: true there\n", t.config)
	}
	err = f(desk)
	if errors.Is(err, ask.ErrInvalid) {
		return usage(err)
	}
	return err
}

func (t *tokenCommand) create() *cobra.Command {
	var n client.NewToken
	var need, schedule string
	var grants client.GrantCeiling
	cmd := &cobra.Command{
		Use:   "create name",
		Short: "Create a token",
		Long: `create prints only the new token on standard output. The name appears in the log and on cards. The defaults are those of agents
in the configuration, except for limits, which every token has, and the lifetime.`,
		Example: `  askbridge token create deploy-bot --to slack:C0123ABCD --responder slack-group:S0123ABCD
  askbridge token create night-bot --schedule '{"steps": [{"after": "30m", "do": "remind"}], "pass_on": true}'
  askbridge token create dana-shell --tenant deploy-bot --scope read --scope cancel --scope answer --requester slack:U0123ABCD
  DEPLOY_BOT_TOKEN=$(askbridge token create deploy-bot)`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("give the token one name\nSee: %s --help", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n.Name = args[0]
			voting, err := policyOf(need, "", false)
			if err != nil {
				return usage(err)
			}
			if !voting.IsZero() {
				n.Policy = new(client.NewPolicy(voting))
			}
			if n.Schedule, err = scheduleOf(schedule); err != nil {
				return usage(err)
			}
			if grants.For != "" {
				n.Grants = &grants
			}
			return t.with(cmd, load, func(d tokenDesk) error {
				made, err := d.CreateToken(cmd.Context(), n)
				return t.printMade(cmd, made, err)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&n.Scopes, "scope", nil, "a `scope`: ask, read, cancel, admin, answer, grant or tokens; repeat it for more (default ask, read and cancel)")
	flags.StringVar(&n.ExpiresIn, "expires-in", "", "the `time` that it lasts: 30d, 12h or never (default 90d)")
	flags.StringArrayVar(&n.Targets, "to", nil, "a `place` where it may ask, as in slack:C0000001 or slack:*; repeat it for more (default anywhere)")
	flags.StringArrayVar(&n.Routes, "route", nil, "a `route` that it may use; repeat it for more")
	flags.StringVar(&n.Tenant, "tenant", "", "the `tenant` whose requests they are; agents of one tenant see each other's (default the name)")
	flags.StringArrayVar(&n.Requester, "requester", nil, "a `person` on whose behalf it asks or answers, as in slack:U0000001; repeat it for more")
	flags.StringArrayVar(&n.Responders, "responder", nil, "a `person` or group; only they may answer its requests, as in slack:U0000001 or slack-group:S0000001; repeat it for more")
	flags.BoolVar(&n.Override, "override-responders", false, "let its requests name other people")
	flags.StringArrayVar(&n.Notify, "notify", nil, "a `person` or group to notify if neither a request nor its route names any, as in slack-group:S0000001; repeat it for more")
	flags.StringVar(&n.Hold, "hold", "", "the minimum `time` in which people can undo an answer to its requests, from 1s to 10m (default none)")
	flags.StringVar((*string)(&n.AskBack), "ask-back", "", "the default `mode` in which people can ask it something: off, stay or end (default off)")
	flags.BoolVar(&n.Receipts, "receipts", false, "show on its cards when it received an answer")
	flags.StringVar(&need, "need", "", "how many people have to choose the same at least: a `number`, all or majority (default the first answer decides)")
	flags.StringVar(&schedule, "schedule", "", "the default schedule of its requests, as `JSON` of a request over the API")
	flags.StringVar(&n.Subagents, "subagents", "", "the `rule` for the questions of sub-agents: refuse or pass (default as its host does)")
	flags.StringArrayVar(&n.Variants, "variant", nil, "a `variant` of its hosts, where they differ from what they document: strict, released, partial or notes; repeat it for more")
	flags.StringVar(&n.Persist, "persist", "", "the `reach` up to which people may allow more than one call, where its host suggests it: none, session, local, project or user (default session)")
	flags.StringArrayVar(&n.ModelMaySet, "model-may-set", nil, "a `member` of a call that the model itself may set over MCP: to, route or responders; repeat it for more (default none)")
	flags.StringVar(&grants.For, "grants", "", "the `time` for which people may allow the same call again without being asked, as in 8h (default not at all)")
	flags.StringVar((*string)(&grants.Scope), "grants-scope", "session", "the `reach` of that: session, or agent for every session too")
	limit := func(at *int, name, about string, most int) {
		flags.IntVar(at, name, 0, about+" (default "+strconv.Itoa(most)+")")
	}
	limit(&n.Rate, "rate", "the `number` of requests it may hand in per minute", 60)
	limit(&n.MaxOpen, "max-open", "the `number` of its requests that may be open at a time", 1000)
	limit(&n.Calls, "calls", "the `number` of calls of any kind it may make per minute", 6000)
	limit(&n.MaxWaits, "max-waits", "the `number` of its calls that may wait for people at a time", 1000)
	limit(&n.MaxStreams, "max-streams", "the `number` of event streams it may hold", 10)
	return cmd
}

// scheduleOf reads a schedule as the API does, but for what it does not know, which is wrong
// here; nil for none.
func scheduleOf(text string) (*client.NewSchedule, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // Nothing is no mistake.
	}
	data, err := json.Marshal(map[string]json.RawMessage{"schedule": json.RawMessage(text)})
	if err != nil {
		return nil, errors.New("--schedule: is no JSON")
	}
	r, ignored, err := ask.DecodeRequest(data)
	if err == nil && len(ignored) > 0 {
		err = fmt.Errorf("--schedule: not known: %s", strings.Join(ignored, ", "))
	}
	if err != nil {
		return nil, err
	}
	return client.NewScheduleOf(r.Schedule), nil
}

func (t *tokenCommand) rotate() *cobra.Command {
	var how client.RotateToken
	cmd := &cobra.Command{
		Use:   "rotate name-or-id",
		Short: "Replace a token by a new one",
		Long: `rotate creates a token with the settings of another and prints it. The old one stays valid for its grace period: change the
agent until then. askbridge token list shows when the old one was last used.`,
		Example: `  askbridge token rotate deploy-bot
  askbridge token rotate deploy-bot --grace 0`,
		Args: someTokens(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := tokenName(args[0])
			if err != nil {
				return err
			}
			return t.with(cmd, loadKept, func(d tokenDesk) error {
				made, err := d.RotateToken(cmd.Context(), of, how)
				if err == nil && !t.asJSON {
					fmt.Fprintf(cmd.ErrOrStderr(), "askbridge: it takes the place of %s\n", made.Replaces)
				}
				return t.printMade(cmd, made, err)
			})
		},
	}
	cmd.Flags().StringVar(&how.Grace, "grace", "", "how long the old one still holds: a `time` such as 1h or 7d, or 0 (default 24h, at most 30d)")
	cmd.Flags().StringVar(&how.ExpiresIn, "expires-in", "", "the `time` that the new one lasts: 30d, 12h or never (default as long as the old one)")
	return cmd
}

// printMade prints only the new token on standard output, and information about it on standard error.
func (t *tokenCommand) printMade(cmd *cobra.Command, made *client.MadeToken, err error) error {
	if err != nil {
		return err
	}
	if t.asJSON {
		return writeJSON(cmd.OutOrStdout(), made)
	}
	until := "until it is revoked"
	if !made.ExpiresAt.IsZero() {
		until = "until " + moment(made.ExpiresAt)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "askbridge: token %s for %s (%s) is valid %s; save it now, it is not shown again\n",
		made.ID, made.Name, strings.Join(made.Scopes, ", "), until)
	if slices.Contains(made.Scopes, string(access.Answer)) && len(made.Requester) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s; make it with --requester\n", access.AnswersAsNobody)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), made.Secret)
	return err
}

func (t *tokenCommand) list() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens",
		Long: `list shows valid tokens except those of the configuration: their owners, scopes and last use, with a precision of five minutes.
With --json each line is a token.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.with(cmd, loadKept, func(d tokenDesk) error {
				list, err := d.ListTokens(cmd.Context())
				if err != nil {
					return err
				}
				return t.print(cmd.OutOrStdout(), list.Tokens, all)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include tokens that ended in the last thirty days")
	return cmd
}

func (t *tokenCommand) print(out io.Writer, tokens []client.Token, all bool) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	shown := 0
	for _, token := range tokens {
		if token.State != "active" && !all {
			continue
		}
		if t.asJSON {
			if err := writeJSON(out, &token); err != nil {
				return err
			}
			continue
		}
		if shown++; shown == 1 {
			fmt.Fprintln(table, "ID\tNAME\tTENANT\tSTATE\tENDS\tUSED\tSCOPES\tWHERE")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", token.ID, inCell(token.Name, 24), inCell(token.Tenant, 24), token.State,
			tokenEnd(&token), sinceOr(token.LastUsedAt, "never"), strings.Join(token.Scopes, ","), tokenPlaces(&token))
	}
	if shown == 0 && !t.asJSON {
		fmt.Fprintln(out, "There are none.")
	}
	return table.Flush()
}

// tokenEnd returns when a token ends or ended.
func tokenEnd(t *client.Token) string {
	switch {
	case !t.RevokedAt.IsZero():
		return since(t.RevokedAt)
	case t.ExpiresAt.IsZero():
		return "never"
	case t.State != "active":
		return since(t.ExpiresAt)
	}
	return "in " + span(time.Until(t.ExpiresAt))
}

func sinceOr(t time.Time, never string) string {
	if t.IsZero() {
		return never
	}
	return since(t)
}

func tokenPlaces(t *client.Token) string {
	where := append([]string{}, t.Targets...)
	for _, route := range t.Routes {
		where = append(where, "route "+route)
	}
	if len(where) == 0 {
		return "anywhere"
	}
	return inCell(strings.Join(where, ","), 60)
}

func (t *tokenCommand) revoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke name-or-id ...",
		Short: "Revoke tokens",
		Long: `revoke ends a token by its ID, or all tokens of an agent by its name. Once it returns, no replica accepts them: waiting calls
and event streams end without an answer. You can also give a leaked token itself; only its ID is sent.`,
		Example: `  askbridge token revoke deploy-bot
  askbridge token revoke k4tm3q2xw6b7a`,
		Args: someTokens(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := make([]string, len(args))
			for n, arg := range args {
				var err error
				if names[n], err = tokenName(arg); err != nil {
					return err
				}
			}
			return t.with(cmd, loadKept, func(d tokenDesk) error {
				var failed []error
				for _, name := range names {
					ended, err := d.RevokeToken(cmd.Context(), name)
					if err != nil {
						failed = append(failed, fmt.Errorf("revoke %s: %w", name, err))
						continue
					}
					for _, token := range ended.Tokens {
						if t.asJSON {
							failed = append(failed, writeJSON(cmd.OutOrStdout(), &token))
						} else {
							fmt.Fprintf(cmd.OutOrStdout(), "%s (%s) is revoked.\n", token.ID, token.Name)
						}
					}
				}
				return errors.Join(failed...)
			})
		},
	}
}

// someTokens requires at least one name or ID, and at most this many unless it is zero.
func someTokens(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || slices.Contains(args, "") || most > 0 && len(args) > most {
			return usage(fmt.Errorf("name a token by its ID or its agent's name, see askbridge token list\nSee: %s --help", cmd.CommandPath()))
		}
		return nil
	}
}
