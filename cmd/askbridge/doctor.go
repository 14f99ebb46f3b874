package main

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/doctor"
)

func newDoctor() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether everything the configuration names works",
		Long: `doctor asks Slack, Discord and the store whether the configuration holds: tokens and scopes, the
bot's place in every channel of a route, how clicks arrive, how Redis is set, whose clock is wrong.
It says what to do about each finding. It posts nothing and changes nothing; askbridge may run
meanwhile.

Exit codes: 0 everything works, 1 something is broken, 2 the configuration cannot be read.`,
		Example: "  askbridge doctor --config /etc/askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(path)
			if err != nil {
				return err
			}
			app.LogLibraries(slog.New(slog.DiscardHandler)) // The report says it all, once.
			r := app.Examine(cmd.Context(), cfg, nil)
			if asJSON {
				out := json.NewEncoder(cmd.OutOrStdout())
				out.SetEscapeHTML(false)
				out.SetIndent("", "  ")
				err = out.Encode(r)
			} else {
				err = r.WriteTable(cmd.OutOrStdout())
			}
			if err != nil {
				return fmt.Errorf("cannot write the report: %w", err)
			}
			if r.Count(doctor.Broken) > 0 {
				return &exit{exitFailed, nil}
			}
			return nil
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the findings as JSON")
	return cmd
}
