package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/visible"
)

// unknownToken is [client.ErrUnknownToken] for people.
const unknownToken = "the bridge does not know this token; check the token and the address"

// run is the whole program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	stdout, stderr = printed(stdout), printed(stderr)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitFailed, err}
	}
	text := e.Error()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		e.code, text = exitInterrupted, strings.Replace(text, context.Canceled.Error(), "interrupted", 1)
	}
	text = strings.Replace(text, client.ErrUnknownToken.Error(), unknownToken, 1)
	if at := silent(err); at != "" {
		fmt.Fprintf(stderr, "askbridge: nothing listens at %s. Start askbridge serve there, or askbridge sim to try it without a workspace.\n", at)
	} else if text != "" {
		// The text may contain untrusted parts, and a hook's host shows it.
		fmt.Fprintf(stderr, "askbridge: %s\n", visible.Reveal(text))
	}
	return e.code
}

func newRoot() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "askbridge",
		Short: "Let agents ask people in chat",
		Long: `askbridge sends an agent's questions and approvals to the right people in Slack or Discord. They
answer with a tap, and the agent gets exactly what they chose.

Try it without a workspace:  askbridge sim`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !version {
				return cmd.Help()
			}
			fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return nil
		},
	}
	// Cobra's own version flag uses a template, which would keep every method of every type in the program.
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Set up and run:", append(newPlatforms(), newSim(), newInit(), newConfig(), newDoctor(), newServe(), newHealthcheck())},
		{"Ask people:", []*cobra.Command{newAsk(), newMCP(), newHook(), newConnect()}},
		{"See requests, and act:", []*cobra.Command{
			newLogin(), newLogout(), newInbox(), newList(), newShow(), newAnswer(), newRevise(), newReply(), newCancel(), newResend(), newWebhooks(), newGrant(),
		}},
		{"Operate:", []*cobra.Command{newToken(), newStats(), newAudit(), newStore()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(newVersion())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok && bad.GetFlag().Value.Type() == "int" {
			err = fmt.Errorf("invalid argument %q for %q flag: give a whole number", bad.GetValue(), "--"+bad.GetFlag().Name)
		}
		return usage(fmt.Errorf("%w\nSee: %s --help", err, cmd.CommandPath()))
	})
	completeValues(root, flagValues())
	refuseUnknown(root)
	fitHelp(root)
	return root
}

// refuseUnknown makes cobra's own commands fail on unknown arguments. By default they print help and succeed.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args, cmd.RunE = noArguments, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					return usage(err)
				}
				return noArguments(found, rest)
			}
		}
	}
}
