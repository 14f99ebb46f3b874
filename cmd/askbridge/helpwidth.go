package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/askbridge/askbridge/internal/visible"
)

// fitHelp folds what help prints at the width of the terminal that it is read on. Elsewhere the lines are as written.
func fitHelp(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		width := columns(out)
		if width == 0 {
			help(cmd, args)
			return
		}
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, folded(text.String(), width))
	})
}

// columns returns the width of a terminal, or 0 if it is unknown or no terminal.
func columns(w io.Writer) int {
	s, ok := w.(*screen)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(s.file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// entry matches a line of a list: a name, a gap and a description.
var entry = regexp.MustCompile(`^ +\S.*?  +`)

// folded wraps a help text at a width. It reflows paragraphs, indents the descriptions in lists and keeps commands to copy.
func folded(text string, width int) string {
	var out, paragraph []string
	long := false
	end := func() {
		if long {
			paragraph = visible.Wrap(strings.Join(paragraph, " "), width)
		}
		out, paragraph, long = append(out, paragraph...), nil, false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, " ") {
			paragraph = append(paragraph, line)
			long = long || utf8.RuneCountInString(line) > width
			continue
		}
		end()
		name := entry.FindString(line)
		if room := width - utf8.RuneCountInString(name); name != "" && room >= 20 {
			about := visible.Wrap(line[len(name):], room)
			line = name + strings.Join(about, "\n"+strings.Repeat(" ", utf8.RuneCountInString(name)))
		}
		out = append(out, line)
	}
	end()
	return strings.Join(out, "\n") + "\n"
}
