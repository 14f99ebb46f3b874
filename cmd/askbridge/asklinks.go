package main

import (
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// linkFlags are the links of a question in words, each given as "Label=https://…".
type linkFlags []ask.Link

func (l *linkFlags) add(s string) error {
	label, address, _ := strings.Cut(s, "=")
	*l = append(*l, ask.Link{Label: label, URL: address})
	return nil
}
