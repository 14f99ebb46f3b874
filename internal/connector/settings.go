package connector

import (
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// SettingsError names everything wrong with the settings of a platform.
type SettingsError struct {
	// Platform is the name of the platform, such as "slack".
	Platform string
	// Problems have the setting as their path, such as "bot_token". What is missing has none, since it stands nowhere.
	Problems []ask.Problem
}

// Add puts a problem of a setting behind those there are; an empty path stands for the section as a whole.
func (e *SettingsError) Add(path, format string, args ...any) {
	e.Problems = append(e.Problems, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// Error tells all of them in one line.
func (e *SettingsError) Error() string {
	all := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = strings.TrimSpace(p.Path + " " + p.Detail)
	}
	return e.Platform + ": settings: " + strings.Join(all, "; ")
}
