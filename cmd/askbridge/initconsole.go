package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/askbridge/askbridge/internal/app/doctor"
)

// console asks a person at a terminal. An interrupt ends every question.
type console struct {
	out     io.Writer
	file    *os.File
	in      *bufio.Reader
	pending chan typedLine // a read that no one has awaited to its end
}

type typedLine struct {
	text string
	err  error
}

// interactive reports whether a command reads from and writes to a terminal.
func interactive(cmd *cobra.Command) bool {
	f, ok := cmd.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && terminal(cmd.OutOrStdout())
}

// newConsole returns the console of an interactive command.
func newConsole(cmd *cobra.Command) *console {
	f, _ := cmd.InOrStdin().(*os.File)
	return &console{out: cmd.OutOrStdout(), file: f, in: bufio.NewReader(f)}
}

func (c *console) say(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// typed returns a channel that gets the next line.
func (c *console) typed() <-chan typedLine {
	if c.pending == nil {
		c.pending = make(chan typedLine, 1)
		go func(to chan<- typedLine) {
			text, err := c.in.ReadString('\n')
			to <- typedLine{strings.TrimSpace(text), err}
		}(c.pending)
	}
	return c.pending
}

// ask prompts for a line.
func (c *console) ask(ctx context.Context, prompt string) (string, error) {
	c.say("%s", prompt)
	select {
	case <-ctx.Done():
		c.say("\n")
		return "", context.Cause(ctx)
	case l := <-c.typed():
		c.pending = nil
		return l.text, inputError(l.err)
	}
}

// askHidden prompts for a line that is not shown.
func (c *console) askHidden(ctx context.Context, prompt string) (string, error) {
	text, err := readHidden(ctx, int(c.file.Fd()), func() { c.say("%s", prompt) })
	c.say("\n")
	return strings.TrimSpace(text), inputError(err)
}

// inputError explains the end of the input.
func inputError(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the input ended")
	}
	return err
}

// report prints findings, and reports whether nothing is broken.
func (c *console) report(r *doctor.Report) bool {
	marks := map[doctor.State]string{doctor.OK: "✓", doctor.Note: "-", doctor.Warn: "!", doctor.Broken: "✗"}
	for _, f := range r.Findings {
		if f.State == doctor.OK && strings.HasSuffix(f.ID, "/clock") {
			continue // Only a wrong clock matters here.
		}
		c.say("%s %s\n", marks[f.State], sentence(f.Found))
		if f.Do != "" {
			c.say("  %s\n", f.Do)
		}
	}
	return r.Count(doctor.Broken) == 0
}

// sentence makes a sentence of a finding or an error. One that ends with an address gets no period.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[strings.LastIndexAny(text, " \n")+1:]; strings.Contains(last, "://") {
		return text
	}
	return text + "."
}
