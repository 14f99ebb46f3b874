package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help names the argument of a flag instead of its Go type or an example value.
func TestHelpNamesFlagValues(t *testing.T) {
	t.Parallel()
	types := []string{"string", "strings", "stringArray", "int", "duration", "durationSlice", "func", "value"}
	vague := []string{"more", "many", "who", "whose", "answer"}
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no help", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			what, about := pflag.UnquoteUsage(f)
			if about == "" {
				t.Errorf("%s --%s has no help", cmd.CommandPath(), f.Name)
			}
			if slices.Contains(types, what) || slices.Contains(vague, what) || slices.Contains(flagValues()[f.Name], what) {
				t.Errorf("%s --%s takes %q: name what it takes between backquotes", cmd.CommandPath(), f.Name, what)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot())
}
