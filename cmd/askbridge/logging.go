package main

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"
)

// newLogger writes to w at a level, as text or JSON; auto is text on a terminal.
func newLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var o slog.HandlerOptions
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil || !slices.Contains([]string{"debug", "info", "warn", "error"}, level) {
		return nil, fmt.Errorf("the log level must be debug, info, warn or error")
	}
	o.Level, o.ReplaceAttr = l, withUnit
	switch {
	case format == "json", format == "auto" && !terminal(w):
		return slog.New(slog.NewJSONHandler(w, &o)), nil
	case format == "text", format == "auto":
		return slog.New(slog.NewTextHandler(w, &o)), nil
	}
	return nil, fmt.Errorf("the log format must be auto, text or json")
}

// withUnit writes every length of time as text with its unit, such as 1.25ms, in JSON too.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	d := a.Value.Duration()
	if d > time.Millisecond {
		d = d.Round(10 * time.Microsecond)
	}
	return slog.String(a.Key, d.String())
}
