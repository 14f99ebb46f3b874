package main

import (
	"flag"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// newPlatforms returns a command for each platform with help for its setup.
func newPlatforms() []*cobra.Command {
	var all []*cobra.Command
	for _, b := range app.Platforms() {
		cmd := &cobra.Command{
			Use:   b.Name,
			Short: b.Help,
			Args:  noArguments,
			RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		}
		for _, c := range b.Commands {
			cmd.AddCommand(newPlatform(b.Name, c))
		}
		if b.Installations != nil {
			cmd.AddCommand(newInstallations(b))
		}
		all = append(all, cmd)
	}
	return all
}

func newPlatform(name string, c provider.Command) *cobra.Command {
	var path string
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	text := c.Flags(flags)
	cmd := &cobra.Command{
		Use: c.Name, Short: c.Short, Long: c.Long, Example: c.Example,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := text(func() (provider.Section, error) {
				cfg, err := load(path)
				if err != nil {
					return nil, err
				}
				section, _ := cfg.Platforms[name].(provider.Section)
				return section, nil
			})
			if err != nil {
				return usage(err)
			}
			fmt.Fprint(cmd.OutOrStdout(), out)
			return nil
		},
	}
	cmd.Flags().AddGoFlagSet(flags)
	if c.Configured {
		configFlag(cmd, &path)
	}
	return cmd
}
