package slack

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/render"
)

// An interaction carries the user name ("dana.meyer"), not the name that people
// see ("Dana"). Nothing may come before a click, so the other is asked for
// ahead, for everybody who is named as a responder or a target or belongs to a
// named group, and otherwise behind somebody's first act: for the next one, and
// for cards elsewhere that say who acted.
const (
	nameLife     = time.Hour
	nameFailLife = 10 * time.Minute
	// namelessFor is how long no name is asked for after Slack said that the app
	// lacks users:read.
	namelessFor = time.Hour
	// maxName is how long a name may be (https://slack.com/help/articles/360000665243).
	maxName = 80
)

// errNameless stands for a refusal that was heard before.
var errNameless = errors.New("slack: look up a name: the app lacks users:read")

// recently reports whether a name need not be asked for again.
func recently(f fact[string]) bool {
	return time.Since(f.at) < nameLife || time.Since(f.failed) < nameFailLife
}

// meet has a person's name looked up, unless it is known.
func (c *Connector) meet(id string) {
	if id == "" || recently(c.names.peek(id)) {
		return
	}
	c.errands.add(Name+":"+id, func(ctx context.Context) { c.names.get(ctx, id, recently) })
}

// NameOf returns the name by which people know somebody, or "" when Slack does
// not tell it: the app lacks users:read, or ctx ended. It implements
// [bridge.Namer].
func (c *Connector) NameOf(ctx context.Context, p ask.Person) string {
	return c.names.get(ctx, p.ID, recently).value
}

// nameOf is the name people see, or else the one Slack sent along.
func (c *Connector) nameOf(id, sent string) string {
	return cmp.Or(c.names.peek(id).value, sent)
}

// askName asks Slack for a person's name.
func (c *Connector) askName(ctx context.Context, id string) (string, error) {
	if refused := c.nameless.Load(); refused != nil && time.Since(*refused) < namelessFor {
		return "", errNameless
	}
	var reply struct {
		User struct {
			Name     string `json:"name"`
			RealName string `json:"real_name"`
			Profile  struct {
				DisplayName string `json:"display_name"`
				RealName    string `json:"real_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	const method = "users.info"
	err := c.do(ctx, call{op: method}, func(ctx context.Context) error {
		return c.form(ctx, method, url.Values{"user": {id}}, &reply)
	})
	if e, ok := errors.AsType[*bridge.PlatformError](err); ok && e.Code == "missing_scope" {
		now := time.Now()
		c.nameless.Store(&now)
	}
	if err != nil {
		return "", err
	}
	u := reply.User
	for _, name := range []string{u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name} {
		// Anybody can write anything there.
		if name = render.Cut(render.Line(name), maxName, nil); name != "" {
			return name, nil
		}
	}
	return "", nil
}
