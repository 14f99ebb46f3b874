package client

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// idForm is what every id of a bridge looks like, and more than that: nothing of it leads out of a folder, is an option of a
// command, or means anything in a shell, a pattern or an address. Ids become names of files beside a host, and stand in commands
// that people copy; whoever listens at the bridge's address could name a request as they please.
var idForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$`)

// errNotBridge means that what came back was not written by a bridge.
var errNotBridge = errors.New("client: the reply is not what a bridge says")

// checkIDs refuses ids that no bridge gives.
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

// checkPath refuses a call whose address would be another one for its id.
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
