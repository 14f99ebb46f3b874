package deliver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

// platforms are those that a bridge was made with, each with what is known of the
// calls to it. Nothing but the breakers changes after New.
type Platforms struct {
	Named    map[string]platform.Platform
	Breakers map[string]*ratelimit.Breaker
}

func NewPlatforms(all []platform.Platform) *Platforms {
	ps := &Platforms{Named: map[string]platform.Platform{}, Breakers: map[string]*ratelimit.Breaker{}}
	for _, p := range all {
		ps.Named[p.Name()] = p
		ps.Breakers[p.Name()] = ratelimit.NewBreaker(p)
	}
	return ps
}

func (ps *Platforms) Names() string {
	return strings.Join(slices.Sorted(maps.Keys(ps.Named)), ", ")
}

// direct reports whether a card stands in a conversation with one person whom its
// place does not name.
func (ps *Platforms) Direct(at ask.Place) bool {
	p, ok := ps.Named[at.Platform]
	if !ok {
		return false
	}
	known := p.Limits().Direct
	return known != nil && known(at.Channel)
}

// ready returns what is wrong with each platform that is known to be out of order.
func (ps *Platforms) Ready() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(ps.Breakers)) {
		if err := ps.State(name); err != nil {
			errs = append(errs, &PartError{Part: name, Err: err})
		}
	}
	return errs
}

// state is nil, or what is wrong with a platform.
func (ps *Platforms) State(name string) error {
	err := ps.Breakers[name].Connection.State()
	if p, ok := ps.Named[name].(platform.Readier); ok && err == nil {
		err = p.Ready()
	}
	return err
}

// PartError says which part of the bridge is out of order: "store", or a
// platform's name.
type PartError struct {
	Part string
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("%s: %v", e.Part, e.Err) }

// Unwrap returns the underlying error.
func (e *PartError) Unwrap() error { return e.Err }

// The calls of a platform, as an observer is told of them.
const (
	opPost   = "post"
	opUpdate = "update"
	opFind   = "find"
	opReply  = "reply"
	opUpload = "upload"
)
