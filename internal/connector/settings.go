package connector

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// SettingsError lists every problem of a platform's settings.
type SettingsError struct {
	// Platform is the name of the platform, such as "slack".
	Platform string
	// Problems have the setting as their path, such as "bot_token"; for a missing setting it is empty.
	Problems []ask.Problem
}

// Add adds a problem of a setting; an empty path means the whole section.
func (e *SettingsError) Add(path, format string, args ...any) {
	e.Problems = append(e.Problems, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// Error returns all of them on one line.
func (e *SettingsError) Error() string {
	all := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = strings.TrimSpace(p.Path + " " + p.Detail)
	}
	return e.Platform + ": settings: " + strings.Join(all, "; ")
}
