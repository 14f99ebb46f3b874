// Command manual generates the manual pages and shell completions of askbridge. The help of each command becomes a
// page of section 1.
//
//	go run ./scripts/manual -program bin/askbridge -man bin/man -completions bin/completions -date 2026-11-22
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	program := flag.String("program", "bin/askbridge", "the built `program`")
	man := flag.String("man", "bin/man", "the `folder` for the manual pages")
	completions := flag.String("completions", "bin/completions", "the `folder` for the completions of shells")
	date := flag.String("date", time.Now().UTC().Format(time.DateOnly), "the `date` of the pages")
	flag.Parse()
	if err := write(context.Background(), *program, *man, *completions, *date); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write runs the program for its help texts and completions, and writes the files.
func write(ctx context.Context, program, man, completions, date string) error {
	for _, dir := range []string{man, completions} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	say := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, program, args...).Output()
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
		}
		return string(out), nil
	}
	pages, err := walk(say, nil, "Let agents ask people in chat")
	if err != nil {
		return err
	}
	for _, p := range pages {
		if err := os.WriteFile(filepath.Join(man, p.name()+".1"), []byte(p.roff(pages, date)), 0o644); err != nil {
			return err
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := say("completion", shell)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(completions, "askbridge."+shell), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
