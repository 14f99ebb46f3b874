package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/dialect"
)

// flagValues are the values that a shell completes, by the flag's name; for a
// flag that means something else at another command, by both.
func flagValues() map[string][]string {
	var dialects []string
	for _, d := range dialect.All() {
		dialects = append(dialects, d.Name)
	}
	return map[string][]string{
		"log-level":         {"debug", "info", "warn", "error"},
		"log-format":        {"auto", "text", "json"},
		"dialect":           dialects,
		"variant":           dialect.Variants(),
		"platform":          append(simPlatforms(), onBoth),
		"scene":             simScenes.names(),
		"as":                simPeople,
		"on-timeout":        {leavePending, rejectLate},
		"claude on-timeout": {handBack, denyLate},
		"expires-in":        {"30m", "4h", "24h", "never"},
		"create expires-in": {"30d", "90d", "never"},
		"rotate expires-in": {"30d", "90d", "never"},
		"grace":             {"0", "1h", "24h", "7d"},
		"scope":             {"ask", "read", "cancel", "admin", "answer", "tokens"},
		"subagents":         {"refuse", "pass"},
		"model-may-set":     access.ModelMembers(),
	}
}

// completeValues has shells complete the values of flags: what a flag can be, and
// files and folders where it names one.
func completeValues(cmd *cobra.Command, values map[string][]string) {
	for _, sub := range cmd.Commands() {
		completeValues(sub, values)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		known := values[cmd.Name()+" "+f.Name]
		if known == nil {
			known = values[f.Name]
		}
		var err error
		switch what, _ := pflag.UnquoteUsage(f); {
		case known != nil:
			err = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(slices.Clone(known), cobra.ShellCompDirectiveNoFileComp))
		case what == "folder":
			err = cmd.MarkFlagDirname(f.Name)
		case what != "file" && f.Value.Type() != "bool":
			err = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
		}
		if err != nil {
			panic("complete --" + f.Name + ": " + err.Error())
		}
	})
}
