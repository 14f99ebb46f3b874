package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// newInstallations returns the command that lists where the app of a platform is installed.
func newInstallations(b provider.Bundle) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "installations",
		Short: "List the workspaces that have installed the app",
		Long: `installations lists the workspaces and organizations that have installed the app of the configuration, with the person
who did, the scopes that they granted, and whether the token still works. It prints no token.

It reads the store itself. askbridge serve must not have a store in a file open meanwhile; with Redis it can run.`,
		Example: "  askbridge " + b.Name + " installations --config askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := load(path)
			if err != nil {
				return err
			}
			s, err := app.OpenStore(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
			if err != nil {
				return inUse(err, "stop that first")
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			all, err := b.Installations(cmd.Context(), s.KeyValue())
			if err != nil {
				return err
			}
			return printInstallations(cmd.OutOrStdout(), all)
		},
	}
	configFlag(cmd, &path)
	return cmd
}

func printInstallations(w io.Writer, all []provider.Installation) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "the app is not installed anywhere")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tINSTALLED\tBY\tSCOPES\tTOKEN")
	for _, i := range all {
		state := i.Problem
		if state == "" {
			state = "works as far as known"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", i.ID, i.Name, i.At.Format(time.DateOnly), i.By, strings.Join(i.Scopes, ","), state)
	}
	return table.Flush()
}
