package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/doctor"
)

func newDiscord() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "discord",
		Short: "Set up a Discord bot",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDiscordInvite())
	return cmd
}

func newDiscordInvite() *cobra.Command {
	var id, path string
	cmd := &cobra.Command{
		Use:   "invite",
		Short: "Print the link that invites the bot to a server",
		Long: `invite prints the link by which somebody who looks after a Discord server lets the bot in, with the
permissions that askbridge uses and no others: View Channel, Send Messages, Read Message History and
Send Messages in Threads. No privileged intent is needed.`,
		Example: "  askbridge discord invite --application-id 123456789012345678\n  askbridge discord invite --config askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if id == "" {
				cfg, err := load(path)
				if err != nil {
					return err
				}
				if id, err = applicationOf(cfg); err != nil {
					return usage(err)
				}
			}
			link, err := doctor.Invite(id)
			if err != nil {
				return usage(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), link)
			return nil
		},
	}
	cmd.Flags().StringVar(&id, "application-id", "", "the application's `id`, in place of that in the configuration")
	configFlag(cmd, &path)
	return cmd
}

func applicationOf(cfg *config.Config) (string, error) {
	if cfg.Discord == nil || cfg.Discord.ApplicationID == "" {
		return "", errors.New("the configuration has no discord.application_id; name it with --application-id")
	}
	return cfg.Discord.ApplicationID, nil
}
