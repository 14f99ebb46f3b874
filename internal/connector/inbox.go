package connector

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/askbridge/askbridge/internal/connlimit"
)

const (
	// MaxBody is more than a platform sends: an interaction contains its message or form, whose texts [ask.MaxText] limits.
	MaxBody = 512 << 10
	// usualBody is the size allocated before any of a body has arrived, since the announced length may never be sent.
	usualBody = 16 << 10
	// maxReading is the number of unverified bodies that are read at once. It limits the memory that strangers can occupy to
	// maxReading times MaxBody.
	maxReading = 32
	// bodyTime limits reading a body: platforms expect a response within three seconds.
	bodyTime = 2500 * time.Millisecond
	// roomTime is how long a request waits for its turn to be read.
	roomTime = 500 * time.Millisecond
	// refusedTime is how long the rest of a refused body is discarded, so that its sender reads the response.
	refusedTime = time.Second
)

// Why a signed request was not read.
var (
	errTooLarge = errors.New("the body is too large")
	errTooSlow  = errors.New("the body did not arrive in time")
	errBroken   = errors.New("the body is incomplete")
	errNoRoom   = errors.New("too many requests are being read")
)

// Signed describes how a platform signs its requests.
type Signed struct {
	// Signature and Stamp are the names of the headers, Prefix precedes the signature's hex digits, Size is its length in
	// bytes.
	Signature, Stamp, Prefix string
	Size                     int
	// Proves verifies the signature of a body.
	Proves func(s Signature, body []byte) bool
}

// Inbox reads signed requests. Anyone can send one, so the headers are checked before the body is read, and the number of
// bodies that are read at once is limited.
type Inbox struct {
	signed Signed
	room   chan struct{}
}

// NewInbox returns an inbox for a platform's requests.
func NewInbox(s Signed) *Inbox { return &Inbox{s, make(chan struct{}, maxReading)} }

// Read returns the body of a request and its verified signature. Otherwise it responds to the request and returns an error,
// which does not contain the expected signature.
func (in *Inbox) Read(w http.ResponseWriter, r *http.Request, now time.Time) ([]byte, Signature, error) {
	s, err := in.headers(r.Header, now)
	if err != nil {
		refuse(w, http.StatusUnauthorized)
		return nil, s, err
	}
	body, status, err := in.body(w, r)
	if err != nil {
		refuse(w, status)
		return nil, s, err
	}
	if !in.signed.Proves(s, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return nil, s, ErrMismatch
	}
	connlimit.Verified(r.Context())
	return body, s, nil
}

func (in *Inbox) headers(h http.Header, now time.Time) (Signature, error) {
	s, err := ReadSignature(h.Values(in.signed.Signature), h.Values(in.signed.Stamp), in.signed.Prefix, in.signed.Size)
	if err == nil {
		err = s.Fresh(now)
	}
	return s, err
}

// body reads the body, within limits of size, time and number, or returns an error and the status to respond with.
func (in *Inbox) body(w http.ResponseWriter, r *http.Request) ([]byte, int, error) {
	if r.ContentLength > MaxBody {
		return nil, http.StatusRequestEntityTooLarge, errTooLarge
	}
	if !in.enter(r.Context()) {
		return nil, http.StatusServiceUnavailable, errNoRoom
	}
	defer func() { <-in.room }()
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // Only writers in tests do not support it, and they have the whole body.
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), usualBody)) + bytes.MinRead)
	_, err := body.ReadFrom(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout, errTooSlow
	case err != nil:
		return nil, http.StatusBadRequest, errBroken
	case body.Len() > MaxBody:
		return nil, http.StatusRequestEntityTooLarge, errTooLarge
	}
	_ = rc.SetReadDeadline(time.Time{})
	return body.Bytes(), 0, nil
}

// enter waits for its turn to read a body, and reports whether it came.
func (in *Inbox) enter(ctx context.Context) bool {
	select {
	case in.room <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(roomTime)
	defer timer.Stop()
	select {
	case in.room <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// refuse responds to a request without reading its body, which the server would otherwise read to its end, however slow.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTime))
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
}
