package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/doctor"
)

func newSlack() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slack",
		Short: "Set up a Slack app",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSlackManifest())
	return cmd
}

func newSlackManifest() *cobra.Command {
	var o doctor.ManifestOptions
	var socket bool
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "Print a manifest to make the Slack app from",
		Long: `manifest prints a Slack app manifest with the scopes that askbridge uses and no others. At
https://api.slack.com/apps choose Create New App, From a manifest, and paste it; for an app that
exists, paste it under App Manifest. docs/platforms/slack.md says what comes next.

Without a flag the app uses Socket Mode, which needs no address that Slack can reach.`,
		Example: "  askbridge slack manifest\n  askbridge slack manifest --url https://ask.example.com",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if socket && o.URL != "" {
				return usage(errors.New("--socket and --url exclude each other: with Socket Mode nothing arrives over HTTP"))
			}
			text, err := doctor.Manifest(o)
			if err != nil {
				return usage(err)
			}
			fmt.Fprint(cmd.OutOrStdout(), text)
			return nil
		},
	}
	cmd.Flags().BoolVar(&socket, "socket", false, "use Socket Mode; this is the default")
	cmd.Flags().StringVar(&o.URL, "url", "", "have Slack post to the bridge at this `address`, such as https://ask.example.com")
	cmd.Flags().StringVar(&o.Name, "name", "askbridge", "call the app and its bot this `name`")
	return cmd
}
