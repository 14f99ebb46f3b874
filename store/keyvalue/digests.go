package keyvalue

import (
	"context"
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Digests stores what is known of the digest at each place. It implements [storage.Digests] on any [Store]:
//
//	digest//<place>
type Digests struct{ Store Store }

func digestKey(place string) Key { return Key{Kind: "digest", ID: place} }

// Digest implements [storage.Digests].
func (d Digests) Digest(ctx context.Context, place string) (value []byte, version string, err error) {
	e, err := d.Store.Get(ctx, digestKey(place))
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil
	}
	return e.Value, e.Version, err
}

// PutDigest implements [storage.Digests].
func (d Digests) PutDigest(ctx context.Context, place string, value []byte, version string, life time.Duration) (next string, err error) {
	o := &PutOptions{If: version, TTL: life}
	if version == "" {
		o.If = Absent
	}
	e, err := d.Store.Put(ctx, digestKey(place), value, o)
	if errors.Is(err, ErrConflict) {
		return "", storage.ErrOvertaken
	}
	return e.Version, stored(err)
}

var _ storage.Digests = Digests{}
