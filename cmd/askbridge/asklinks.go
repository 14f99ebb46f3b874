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

// check returns what is wrong with the links, and with any beside a tool input of a host.
func (l linkFlags) check(dialect string) []ask.Problem {
	if len(l) > 0 && dialect != "" {
		return []ask.Problem{{Path: "--link", Detail: "goes with a question in words, not with --dialect", Kind: ask.ErrLinks}}
	}
	return ask.CheckLinks("--link", l)
}
