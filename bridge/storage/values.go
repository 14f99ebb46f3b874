package storage

import (
	"context"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Threads remembers which requests a message can answer, by the thread it is in;
// which requests a message has answered; and when it was edited. It is only an
// index: the record decides whether a request is open and who may answer it.
type Threads interface {
	// Put remembers a request for a thread, at most for life.
	Put(ctx context.Context, thread, request string, life time.Duration) error
	// Of returns the requests that were put for a thread.
	Of(ctx context.Context, thread string) ([]string, error)
	// Remove forgets one of them. Removing an unknown one is not an error.
	Remove(ctx context.Context, thread, request string) error
}

// Numbers remembers the highest number of equal requests. Ended records expire, so
// without it an older number could be reused while a later request is open.
type Numbers interface {
	// Number returns the number noted for a content, or zero.
	Number(ctx context.Context, content string) (int, error)
	// Note notes a number for a content for life, unless a higher one is noted.
	Note(ctx context.Context, content string, number int, life time.Duration) error
}

// Files keeps the texts of files outside of the records, because every interaction
// rewrites a record.
type Files interface {
	// Keep stores the text with a digest for a request, at most for life.
	Keep(ctx context.Context, tenant, request, digest, text string, life time.Duration) error
	// Read returns the text with a digest, which has size bytes, or [ErrNotFound].
	Read(ctx context.Context, tenant, request, digest string, size int) (string, error)
	// Forget removes the text with a digest, or all texts of the request if that is empty.
	Forget(ctx context.Context, tenant, request, digest string) error
}

// ViaGrant is the prefix of [ask.Outcome.Via] for a request that a grant answered;
// the grant's ID follows.
const ViaGrant = "grant:"

// Grant is a person's permission for a call for a limited time, without another
// question. It results from an answer; see [ask.Permit].
type Grant struct {
	// ID is a hash of everything that the permitted calls have in common.
	ID      string `json:"id"`
	Tenant  string `json:"tenant"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Scope is one session or all sessions of the agent.
	Scope ask.Same `json:"scope"`
	// What describes the permitted call on one line.
	What string `json:"what"`
	// Request is the request whose answer granted it, and By the person.
	Request string     `json:"request"`
	By      ask.Person `json:"by"`
	// Token is the ID of the API token used, if any. The grant is invalid without it.
	Token string    `json:"token,omitempty"`
	Made  time.Time `json:"made"`
	Until time.Time `json:"until"`
	// Revoked is zero for a grant that was not revoked; RevokedBy is who revoked it.
	Revoked   time.Time `json:"revoked,omitzero"`
	RevokedBy string    `json:"revoked_by,omitempty"`
	// Uses counts the requests that it answered, and Used is the time of the last one.
	Uses int       `json:"uses,omitempty"`
	Used time.Time `json:"used,omitzero"`
}

// Holds reports whether the grant is valid at a time.
func (g *Grant) Holds(now time.Time) bool { return g.Revoked.IsZero() && now.Before(g.Until) }

// Grants keeps grants.
type Grants interface {
	// Make stores a grant for life and replaces an older one with that ID. It keeps one
	// that is equally new, so that a repeated call does not undo a revocation.
	Make(ctx context.Context, g Grant, life time.Duration) error
	// Use counts a use of a grant and returns it, or [ErrNotFound] if no grant with that ID
	// made after since is valid at now. It is atomic with revocation.
	Use(ctx context.Context, id string, since, now time.Time) (Grant, error)
}

// Digests keeps what is known of the digest at each place.
type Digests interface {
	// Digest returns the value of a place and its version; both are empty if there is none.
	Digest(ctx context.Context, place string) (value []byte, version string, err error)
	// PutDigest replaces the value of that version for life and returns the next version. It returns
	// [ErrOvertaken] if another replica has written meanwhile.
	PutDigest(ctx context.Context, place string, value []byte, version string, life time.Duration) (next string, err error)
}
