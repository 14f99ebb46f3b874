package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // The command failed.
	exitUsage       = 2   // The command line or the configuration is wrong.
	exitUnanswered  = 3   // The request ended without an answer.
	exitInterrupted = 130 // A signal ended the command.
)

// exit is an error with an exit code. If err is nil, the command has already printed what went wrong.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage marks an error as a mistake in the command line or configuration.
func usage(err error) error { return &exit{exitUsage, err} }

// silent returns the address of a bridge that refused the connection, or "" for other errors.
func silent(err error) string {
	var call *url.Error
	if !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &call) {
		return ""
	}
	to, err := url.Parse(call.URL)
	if err != nil || !strings.HasPrefix(to.Path, "/v1/") {
		return ""
	}
	return to.Scheme + "://" + to.Host
}

// noArguments rejects arguments and suggests the command that was probably meant.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s takes no argument such as %q", cmd.CommandPath(), args[0])
	if cmd.HasSubCommands() {
		text = fmt.Sprintf("there is no command %q", args[0])
		cmd.SuggestionsMinimumDistance = 2
		for _, near := range cmd.SuggestionsFor(args[0]) {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return usage(fmt.Errorf("%s\nSee: %s --help", text, cmd.CommandPath()))
}
