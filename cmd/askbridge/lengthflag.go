package main

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/ask"
)

// length is a flag that takes a length of time, in days too: 90s, 30m, 24h or 2d. Zero is as
// if the flag was left out.
type length time.Duration

func (l *length) Set(text string) error {
	d, err := ask.ParseSpan(text)
	if err != nil || d < 0 || d > ask.MaxExpiresIn {
		return errors.New("give a time such as 90s, 30m, 24h or 2d, at most 366d")
	}
	*l = length(d)
	return nil
}

func (l *length) String() string {
	if *l == 0 {
		return "0" // Which pflag takes for no default.
	}
	return time.Duration(*l).String()
}

// Type implements [pflag.Value].
func (l *length) Type() string { return "duration" }

// lengthVar adds such a flag, whose default is what d holds.
func lengthVar(flags *pflag.FlagSet, d *time.Duration, name, about string) {
	flags.Var((*length)(d), name, about)
}
