package slack

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/askbridge/askbridge/platform"
)

const (
	// maxInstalled is the number of installations that are kept in memory. The others are read
	// again when they are used.
	maxInstalled = 4096
	// readTime limits reading an installation while a person waits for an acknowledgement.
	readTime = time.Second
)

// installed are the workspaces in use, by the id of their installation.
type installed struct {
	c      *Connector
	source Installations
	used   *lru.Cache[string, *workspace]
	asking singleflight.Group
}

func newInstalled(c *Connector) *installed {
	used, _ := lru.New[string, *workspace](maxInstalled) // New fails only for a size below one.
	return &installed{c: c, source: c.cfg.Installations, used: used}
}

// get returns the workspace of an installation, which it reads unless it is in use.
func (n *installed) get(ctx context.Context, op, id string) (*workspace, error) {
	if !installationID.MatchString(id) {
		return nil, &platform.Error{Platform: Name, Op: op, Kind: platform.Unreachable, Code: "no_installation", Err: errNoInstallation}
	}
	if w, known := n.used.Get(id); known {
		return w, nil
	}
	w, err, _ := n.asking.Do(id, func() (any, error) {
		if w, known := n.used.Get(id); known {
			return w, nil
		}
		i, err := n.source.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		w := newInstalledWorkspace(n.c, i)
		n.used.Add(id, w)
		return w, nil
	})
	if err != nil {
		return nil, unread(op, id, err)
	}
	return w.(*workspace), nil
}

// forget drops what is in memory of an installation.
func (n *installed) forget(id string) { n.used.Remove(id) }

// newInstalledWorkspace returns the workspace of an installation.
func newInstalledWorkspace(c *Connector, i Installation) *workspace {
	w := newWorkspace(c.cfg, c.log.With("installation", i.ID), c.jobs, i.ID)
	w.api.tokens = &tokens{source: c.cfg.Installations, id: i.ID, api: w.api, self: w.self}
	w.api.tokens.set(i)
	return w
}

// at returns the workspace that the installation of a place, message or person names.
func (c *Connector) at(ctx context.Context, op, installation string) (*workspace, error) {
	if c.only != nil {
		return c.only, nil
	}
	return c.installed.get(ctx, op, installation)
}

// receiving returns the workspace that a payload is for, while a person waits.
func (c *Connector) receiving(installation string) (*workspace, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), readTime, errCallTimeout)
	defer cancel()
	return c.at(ctx, "receive", installation)
}

// homeFor returns the identity of the installation that a payload is for. A workspace that joins or leaves an
// organization keeps its installation, and the next payload is the first sign. Slack then has to
// confirm that: what a payload names decides nothing.
func (w *workspace) homeFor(p *payload) home {
	us := w.self.home()
	if us.id == "" || us.wide || us.app != p.AppID || us.id != p.owner() || p.within(us) {
		return us
	}
	t := w.api.tokens
	t.identifying.Lock()
	defer t.identifying.Unlock()
	if now := time.Now(); now.Sub(t.identified) >= readAgain {
		t.identified = now
		ctx, cancel := context.WithTimeoutCause(context.Background(), readTime, errCallTimeout)
		defer cancel()
		next, err := t.source.Identify(ctx, us.id)
		if err != nil {
			w.api.log.Warn("organization of a slack workspace not known", "error", err)
			return us
		}
		t.set(next)
	}
	return w.self.home()
}
