package connector

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/chatsim"
)

// lengthSigned is a platform that signs a body with its length.
var lengthSigned = Signed{
	Signature: "X-Signature", Stamp: "X-Stamp", Prefix: "l=", Size: 4,
	Proves: func(s Signature, body []byte) bool { return string(s.Bytes) == fmt.Sprintf("%04d", len(body)%10_000) },
}

// endpoint is a server with an inbox, on a network inside the process.
type endpoint struct {
	*testing.T

	net *chatsim.Net
	mu  sync.Mutex
	got []error
}

// receiving runs f against an endpoint, in a bubble.
func receiving(t *testing.T, f func(e *endpoint)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{T: t, net: chatsim.NewNet()}
		in := NewInbox(lengthSigned)
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _, err := in.Read(w, r, time.Now())
			e.mu.Lock()
			e.got = append(e.got, err)
			e.mu.Unlock()
		})}
		ended := make(chan error, 1)
		go func() { ended <- srv.Serve(e.net) }()
		f(e)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
}

// open begins a request that announces so many bytes, and sends what is given.
func (e *endpoint) open(size int, body string, header ...string) net.Conn {
	e.Helper()
	conn, err := e.net.Dial(e.Context(), "tcp", "here")
	if err != nil {
		e.Fatal(err)
	}
	text := "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: " + strconv.Itoa(size) + "\r\n" + strings.Join(header, "\r\n") + "\r\n\r\n" + body
	go func() { _, _ = io.WriteString(conn, text) }() // The server may hang up in the middle.
	return conn
}

// status waits for the answer and hangs up.
func (e *endpoint) status(conn net.Conn) int {
	e.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		e.Fatal(err)
	}
	resp.Body.Close()
	conn.Close()
	return resp.StatusCode
}

// refused is the reason of the last refusal.
func (e *endpoint) refused() error {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.got[len(e.got)-1]
}

func headers(at time.Time, size int) []string {
	return []string{"X-Stamp: " + strconv.FormatInt(at.Unix(), 10), "X-Signature: l=" + hex.EncodeToString(fmt.Appendf(nil, "%04d", size%10_000))}
}

func TestRefusedHeadersReadNoBody(t *testing.T) {
	receiving(t, func(e *endpoint) {
		now := time.Now()
		for what, tc := range map[string]struct {
			size   int
			header []string
			want   error
			status int
		}{
			"nothing signed":      {1000, nil, ErrNoSignature, http.StatusUnauthorized},
			"an old signature":    {1000, headers(now.Add(-Window-time.Second), 1000), ErrOld, http.StatusUnauthorized},
			"one of the future":   {1000, headers(now.Add(Window+time.Minute), 1000), ErrOld, http.StatusUnauthorized},
			"half a signature":    {1000, []string{"X-Stamp: 1", "X-Signature: l=00"}, ErrBadSignature, http.StatusUnauthorized},
			"more than ever sent": {MaxBody + 1, headers(now, MaxBody+1), errTooLarge, http.StatusRequestEntityTooLarge},
		} {
			began := time.Now()
			if got := e.status(e.open(tc.size, "", tc.header...)); got != tc.status || time.Since(began) != 0 {
				e.Errorf("%s: status %d after %s, want %d at once", what, got, time.Since(began), tc.status)
			}
			time.Sleep(refusedTime)
			if err := e.refused(); !errors.Is(err, tc.want) {
				e.Errorf("%s: %v, want %v", what, err, tc.want)
			}
		}
	})
}

func TestStrangersCannotHaveMoreReadThanThereIsRoomFor(t *testing.T) {
	receiving(t, func(e *endpoint) {
		// Each vouches for a body with headers that look right, and never sends it.
		var slow []net.Conn
		for range maxReading {
			slow = append(slow, e.open(100, "half", headers(time.Now(), 100)...))
		}
		synctest.Wait()
		began := time.Now()
		if got := e.status(e.open(4, "body", headers(time.Now(), 4)...)); got != http.StatusServiceUnavailable || time.Since(began) != roomTime {
			e.Errorf("one too many: status %d after %s, want 503 after %s", got, time.Since(began), roomTime)
		}
		// A person who comes while the others are sent away is served.
		time.Sleep(bodyTime - roomTime - time.Since(began) + roomTime/2)
		if got := e.status(e.open(4, "body", headers(time.Now(), 4)...)); got != http.StatusOK {
			e.Errorf("once there is room: status %d", got)
		}
		for _, conn := range slow {
			if got := e.status(conn); got != http.StatusRequestTimeout {
				e.Errorf("one that never comes to an end: status %d", got)
			}
		}
		time.Sleep(refusedTime)
	})
}

func TestBodyIsReadAfterHeaderCheck(t *testing.T) {
	receiving(t, func(e *endpoint) {
		whole := strings.Repeat("x", MaxBody)
		if got := e.status(e.open(len(whole), whole, headers(time.Now(), len(whole))...)); got != http.StatusOK || e.refused() != nil {
			e.Errorf("the largest: status %d, %v", got, e.refused())
		}
		if got := e.status(e.open(4, "body", headers(time.Now(), 5)...)); got != http.StatusUnauthorized || !errors.Is(e.refused(), ErrMismatch) {
			e.Errorf("another body: status %d, %v", got, e.refused())
		}
	})
}

// BenchmarkUnprovedBodies is what strangers can make us hold: as many bodies as
// are read at once, each as large as it may be.
func BenchmarkUnprovedBodies(b *testing.B) {
	in := NewInbox(lengthSigned)
	h := http.Header{}
	for _, line := range headers(time.Now(), 0) {
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	body := bytes.Repeat([]byte("x"), MaxBody)
	b.SetBytes(MaxBody)
	b.ReportAllocs()
	for b.Loop() {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "/", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header = h
		if _, _, err := in.Read(discard{}, r, time.Now()); !errors.Is(err, ErrMismatch) {
			b.Fatal(err)
		}
	}
}

// discard is a writer that keeps nothing.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
