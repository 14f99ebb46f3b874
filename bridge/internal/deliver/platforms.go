package deliver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

// Platforms holds the platforms of a bridge with their circuit breakers. It does not
// change after New.
type Platforms struct {
	Named    map[string]platform.Platform
	Breakers map[string]*ratelimit.Breaker
}

// NewPlatforms returns the platforms with closed circuit breakers.
func NewPlatforms(all []platform.Platform) *Platforms {
	ps := &Platforms{Named: map[string]platform.Platform{}, Breakers: map[string]*ratelimit.Breaker{}}
	for _, p := range all {
		ps.Named[p.Name()] = p
		ps.Breakers[p.Name()] = ratelimit.NewBreaker(p)
	}
	return ps
}

// Names returns the names of the platforms.
func (ps *Platforms) Names() string {
	return strings.Join(slices.Sorted(maps.Keys(ps.Named)), ", ")
}

// Direct reports whether a place is a direct conversation although it names no person.
func (ps *Platforms) Direct(at ask.Place) bool {
	p, ok := ps.Named[at.Platform]
	if !ok {
		return false
	}
	known := p.Limits().Direct
	return known != nil && known(at.Channel)
}

// Permalink returns the address of a posted card; "" if there is none.
func (ps *Platforms) Permalink(ctx context.Context, to ask.Place, ref platform.MessageRef) string {
	linker, ok := ps.Named[to.Platform].(platform.Linker)
	if !ok || ref == (platform.MessageRef{}) {
		return ""
	}
	return linker.Permalink(ctx, to, ref)
}

// PlaceName returns the name of a place's channel or person; "" if it is unknown.
func (ps *Platforms) PlaceName(ctx context.Context, at ask.Place) string {
	namer, ok := ps.Named[at.Platform].(platform.PlaceNamer)
	if !ok {
		return ""
	}
	return namer.PlaceName(ctx, at)
}

// Ready returns the errors of all platforms that are not ready.
func (ps *Platforms) Ready() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(ps.Breakers)) {
		if err := ps.State(name); err != nil {
			errs = append(errs, &PartError{Part: name, Err: err})
		}
	}
	return errs
}

// State returns why a platform is not ready, or nil.
func (ps *Platforms) State(name string) error {
	err := ps.Breakers[name].Connection.State()
	if p, ok := ps.Named[name].(platform.Readier); ok && err == nil {
		err = p.Ready()
	}
	return err
}

// PartError reports which part of the bridge is not ready: "store", or a platform's
// name.
type PartError struct {
	Part string
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("%s: %v", e.Part, e.Err) }

// Unwrap returns the cause.
func (e *PartError) Unwrap() error { return e.Err }

// Names of platform calls for the observer.
const (
	opPost   = "post"
	opUpdate = "update"
	opFind   = "find"
	opReply  = "reply"
	opUpload = "upload"
)
