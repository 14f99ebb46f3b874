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
	// MaxBody is more than a platform ever sends: an interaction carries the
	// message or form it was made in, whose texts [ask.MaxText] bounds.
	MaxBody = 512 << 10
	// usualBody is as much of a body as there is room for before any of it has
	// come: whoever announces more may never send it.
	usualBody = 16 << 10
	// maxReading is how many bodies are read at once that nobody has vouched for
	// yet: so many times MaxBody is what strangers can make us hold.
	maxReading = 32
	// bodyTime is how long a body may take: a platform gives up on a reply that
	// takes longer than three seconds.
	bodyTime = 2500 * time.Millisecond
	// roomTime is how long a request waits until it may be read.
	roomTime = 500 * time.Millisecond
	// refusedTime is how long the rest of a refused body is thrown away, so that
	// its sender reads the answer.
	refusedTime = time.Second
)

// Why a signed request was not read.
var (
	errTooLarge = errors.New("the body is too large")
	errTooSlow  = errors.New("the body did not come in time")
	errBroken   = errors.New("the body broke off")
	errNoRoom   = errors.New("too many requests are being read")
)

// Signed says how a platform signs its requests.
type Signed struct {
	// Signature and Stamp name the headers, Prefix what stands before the
	// signature's hex, Size its bytes.
	Signature, Stamp, Prefix string
	Size                     int
	// Proves holds a body against its signature.
	Proves func(s Signature, body []byte) bool
}

// Inbox reads signed requests. Anybody can send one, so its headers are judged
// before a byte of its body is read, and only so many bodies are read at once.
type Inbox struct {
	signed Signed
	room   chan struct{}
}

// NewInbox returns an inbox for a platform's requests.
func NewInbox(s Signed) *Inbox { return &Inbox{s, make(chan struct{}, maxReading)} }

// Read returns the body of a request and its signature once that is proved. Else
// it answers the request and says why, without what the signature should have
// been.
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

// body reads the body, within limits of size, time and number. An error comes
// with the status to answer.
func (in *Inbox) body(w http.ResponseWriter, r *http.Request) ([]byte, int, error) {
	if r.ContentLength > MaxBody {
		return nil, http.StatusRequestEntityTooLarge, errTooLarge
	}
	if !in.enter(r.Context()) {
		return nil, http.StatusServiceUnavailable, errNoRoom
	}
	defer func() { <-in.room }()
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // A writer that cannot do this is a test's, and has the whole body.
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

// enter waits for room to read one more body, and reports whether there is.
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

// refuse answers a request whose body is not wanted any more. The server would
// take it to its end, however slowly it comes.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTime))
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
}
