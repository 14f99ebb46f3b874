package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return nil
		},
	}
}

func versionLine() string {
	b := readBuild()
	return fmt.Sprintf("askbridge %s%s, %s %s/%s", b.version, b.commit, b.goVersion, runtime.GOOS, runtime.GOARCH)
}

// build is what the binary knows of its making.
type build struct{ version, commit, goVersion string }

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "(unknown)", goVersion: runtime.Version()}
	}
	b := build{version: info.Main.Version, goVersion: info.GoVersion}
	if b.version == "" || b.version == "(devel)" {
		b.version = "(development)"
	}
	values := map[string]string{}
	for _, s := range info.Settings {
		values[s.Key] = s.Value
	}
	if commit := values["vcs.revision"]; len(commit) >= 12 {
		b.commit = " (" + commit[:12]
		if values["vcs.modified"] == "true" {
			b.commit += ", changed"
		}
		b.commit += ")"
	}
	return b
}
