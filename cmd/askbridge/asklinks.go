package main

import (
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// linkFlags are the links of a question in words, each given as "Label=https://…".
type linkFlags []ask.Link

// sourceFlag reads the place where the agent works, given as "Title=https://…".
func sourceFlag(to *ask.Source) func(string) error {
	return func(s string) error {
		to.Title, to.URL, _ = strings.Cut(s, "=")
		return nil
	}
}

func (l *linkFlags) add(s string) error {
	label, address, _ := strings.Cut(s, "=")
	*l = append(*l, ask.Link{Label: label, URL: address})
	return nil
}
