package keyvalue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Grants stores temporary permissions. It implements [storage.Grants] on any [Store]. A revoked grant stays
// until it would have expired, so that a repeated delivery of its request does not restore it.
type Grants struct{ Store Store }

const grantKind = "grant"

func grantKey(id string) Key { return Key{Kind: grantKind, ID: id} }

func decodeGrant(e Entry) (storage.Grant, error) {
	var g storage.Grant
	if err := json.Unmarshal(e.Value, &g); err != nil {
		return g, fmt.Errorf("keyvalue: decode grant %s: %w", e.Key.ID, err)
	}
	return g, nil
}

// errKept ends an update without a change.
var errKept = errors.New("keyvalue: unchanged")

// change applies f to a grant, whose ID is empty if it does not exist, and stores it for the returned
// time to live.
func (k Grants) change(ctx context.Context, id string, f func(g *storage.Grant) (life time.Duration, err error)) (storage.Grant, error) {
	var next storage.Grant
	_, err := Update(ctx, k.Store, grantKey(id), func(old Entry) (value []byte, life time.Duration, err error) {
		next = storage.Grant{}
		if old.Version != "" {
			if next, err = decodeGrant(old); err != nil {
				return nil, 0, err
			}
		}
		if life, err = f(&next); err != nil {
			return nil, 0, err
		}
		value, err = json.Marshal(next)
		return value, max(life, time.Millisecond), err
	})
	return next, err
}

// Make implements [storage.Grants].
func (k Grants) Make(ctx context.Context, g storage.Grant, life time.Duration) error {
	_, err := k.change(ctx, g.ID, func(old *storage.Grant) (time.Duration, error) {
		if old.Request == g.Request || old.Made.After(g.Made) {
			return 0, errKept
		}
		*old = g
		return life, nil
	})
	if errors.Is(err, errKept) {
		return nil
	}
	return stored(err)
}

// Use implements [storage.Grants].
func (k Grants) Use(ctx context.Context, id string, since, now time.Time) (storage.Grant, error) {
	g, err := k.change(ctx, id, func(g *storage.Grant) (time.Duration, error) {
		if !g.Holds(now) || g.Made.Before(since) {
			return 0, storage.ErrNotFound
		}
		g.Uses++
		g.Used = now
		return g.Until.Sub(now), nil
	})
	return g, stored(err)
}

// List returns the valid grants of a tenant, or of all tenants, newest first.
func (k Grants) List(ctx context.Context, tenant string, all bool, now time.Time) ([]storage.Grant, error) {
	var found []storage.Grant
	for e, err := range All(ctx, k.Store, Range{Kind: grantKind}) {
		if err != nil {
			return nil, err
		}
		g, err := decodeGrant(e)
		if err != nil {
			return nil, err
		}
		if g.Holds(now) && (all || g.Tenant == tenant) {
			found = append(found, g)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Made.After(found[j].Made) })
	return found, nil
}

// Revoke revokes a grant of a tenant, or of any tenant with all, and returns it. A grant that is already
// revoked does not change. It returns [storage.ErrNotFound] if the grant does not exist or has expired.
func (k Grants) Revoke(ctx context.Context, id, tenant string, all bool, by string, now time.Time) (storage.Grant, error) {
	if grantKey(id).Validate() != nil {
		return storage.Grant{}, storage.ErrNotFound // An invalid key was never stored.
	}
	g, err := k.change(ctx, id, func(g *storage.Grant) (time.Duration, error) {
		switch {
		case !now.Before(g.Until), !all && g.Tenant != tenant:
			return 0, storage.ErrNotFound
		case g.Revoked.IsZero():
			g.Revoked, g.RevokedBy = now, by
		}
		return g.Until.Sub(now), nil // Also write an unchanged grant, for replicas that lack it.
	})
	return g, err
}

var _ storage.Grants = Grants{}
