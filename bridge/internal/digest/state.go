package digest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
)

const (
	// kept is how long the state of a place is kept after the last change.
	kept = 60 * 24 * time.Hour
	// maxShown is the maximum number of requests that a message follows. It counts the others as they were.
	maxShown = 500
)

// message is one digest.
type message struct {
	// At is the moment that it was due.
	At time.Time `json:"at"`
	// Ref is zero until it is known to be posted.
	Ref platform.MessageRef `json:"ref,omitzero"`
	// Shown are the requests that it lists, and More the number of others.
	Shown []string `json:"shown,omitempty"`
	More  int      `json:"more,omitempty"`
	// Who is the person; zero in a channel.
	Who ask.Responder `json:"who,omitzero"`
}

// id identifies a digest within its place.
func (m *message) id() string { return fmt.Sprintf("digest-%d", m.At.Unix()) }

// status is what is known of the digest at a place.
type status struct {
	// Done is the last moment that was handled, with or without a message.
	Done time.Time `json:"done,omitzero"`
	// Current is the message that people see, and Old are earlier ones to delete.
	Current message               `json:"current,omitzero"`
	Old     []platform.MessageRef `json:"old,omitempty"`
	// Begun is a message whose post may have had an effect, since Since.
	Begun *message  `json:"begun,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// Until is when the claim of a replica ends.
	Until time.Time `json:"until,omitzero"`
}

// held is the status of a place as loaded or stored by this replica.
type held struct {
	status

	place   ask.Place
	version string
}

// load reads the status of a place.
func (d *Digests) load(ctx context.Context, place ask.Place) (*held, error) {
	value, version, err := d.Store.Digest(ctx, place.String())
	h := &held{place: place, version: version}
	if err == nil && version != "" {
		err = json.Unmarshal(value, &h.status)
	}
	return h, err
}

// save stores the status, or returns [storage.ErrOvertaken].
func (d *Digests) save(ctx context.Context, h *held) error {
	value, err := json.Marshal(h.status)
	if err != nil {
		return fmt.Errorf("bridge: encode a digest: %w", err)
	}
	next, err := d.Store.PutDigest(ctx, h.place.String(), value, h.version, kept)
	if err == nil {
		h.version = next
	}
	return err
}

// claim claims the place for this replica, or returns [storage.ErrOvertaken].
func (d *Digests) claim(ctx context.Context, h *held) error {
	h.Until = d.Records.Clock.Now().Add(claimTime)
	return d.save(ctx, h)
}

// release ends the claim, and stores what is known now.
func (d *Digests) release(ctx context.Context, h *held) error {
	h.Until = time.Time{}
	return d.save(ctx, h)
}
