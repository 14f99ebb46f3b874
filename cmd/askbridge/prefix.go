package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

const (
	// wholeID is the length from which an ID is taken as it is.
	wholeID = 24
	// minPrefix is the minimum length of a prefix.
	minPrefix = 4
	// prefixAge is how long a request can be named by a prefix after it ended.
	prefixAge = 7 * 24 * time.Hour
	// prefixPage is the page size of the lists in which a prefix is looked up.
	prefixPage = 200
	// maxNamed is how many requests an error about an ambiguous prefix lists.
	maxNamed = 5
)

// prefixHelp explains prefixes in the help of commands that take the ID of a request.
const prefixHelp = "\n\nA request can be named by the first characters of its ID, at least four, if no other request that is open or ended in the\nlast 7 days begins with them."

// findRequest returns the ID of the request that a person named by a prefix. A text that no recent request begins with is
// returned unchanged, and the bridge judges it.
func findRequest(ctx context.Context, c *client.Client, named string) (string, error) {
	if len(named) < minPrefix || len(named) >= wholeID {
		return named, nil
	}
	var found []string
	exact := false
	collect := func(r *client.Request) (bool, error) {
		exact = r.ID == named
		if strings.HasPrefix(r.ID, named) {
			found = append(found, r.ID)
		}
		return !exact, nil
	}
	for _, q := range []client.ListQuery{{State: ask.Open, Limit: prefixPage}, {State: "ended", Since: time.Now().Add(-prefixAge), Limit: prefixPage}} {
		if err := eachRequest(ctx, c, q, collect); err != nil {
			return "", err
		}
		if exact {
			return named, nil
		}
	}
	switch len(found) {
	case 0:
		return named, nil
	case 1:
		return found[0], nil
	}
	return "", severalBegin(found, "", named)
}

// severalBegin is the error about a prefix with which several requests begin. It lists the first of them.
func severalBegin(found []string, where, prefix string) error {
	more := ""
	if len(found) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(found)-maxNamed)
	}
	return usage(fmt.Errorf("%d requests %sbegin with %q: %s%s", len(found), where, prefix, strings.Join(found[:min(len(found), maxNamed)], ", "), more))
}
