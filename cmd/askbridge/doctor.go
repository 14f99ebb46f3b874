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
		Short: "Check the configuration against Slack, Discord and the store",
		Long: `doctor checks the configuration against Slack, Discord and the store: tokens and scopes, the bot's
membership in the channels of all routes, how clicks arrive, the settings of Redis, and clocks.
Each finding has a fix. It posts and changes nothing, so askbridge can keep running.

Exit codes: 0 everything works, 1 something is broken, 2 the configuration cannot be read.`,
		Example: "  askbridge doctor --config /etc/askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadNamed(path)
			if err != nil {
				return err
			}
			app.LogLibraries(slog.New(slog.DiscardHandler)) // The report contains everything.
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
