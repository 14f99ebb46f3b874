package client

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// idForm matches every ID of a bridge, and only text that is safe as a file name, a command argument, and in shells, patterns and
// addresses. Hooks use IDs as file names, and people copy commands with IDs, but another program at the bridge's address could
// send any text.
var idForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$`)

// errNotBridge means that a response is not from a bridge.
var errNotBridge = errors.New("client: not a reply of a bridge")

// checkIDs rejects IDs that are not from a bridge.
func checkIDs(ids ...string) error {
	for _, id := range ids {
		if !idForm.MatchString(id) {
			return fmt.Errorf("%w: %+.200q is no id of a bridge", errNotBridge, id)
		}
	}
	return nil
}

func (r *Request) ids() []string { return []string{r.ID} }

func (p *Page) ids() []string {
	ids := make([]string, len(p.Requests))
	for n := range p.Requests {
		ids[n] = p.Requests[n].ID
	}
	return ids
}

// checkPath rejects an ID that would change the path of a call.
func checkPath(path string) error {
	for part := range strings.SplitSeq(path[1:], "/") {
		switch part {
		case "":
			return errors.New("client: the id is empty")
		case ".", "..":
			return fmt.Errorf("client: %q is no id", part)
		}
	}
	return nil
}
