package proof_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/proof"
)

const token = "ab_4fz9Qx2m"

var (
	keys = proof.KeysOf(sha256.Sum256([]byte(token)))
	call = proof.Call{Method: "POST", Path: "/v1/ask/claude?to=slack%3AC1", Key: "k1"}
	body = []byte(`{"questions":[]}`)
	at   = time.Unix(1_790_000_000, 0)
)

func TestHashIdentifiesCaller(t *testing.T) {
	t.Parallel()
	header, nonce := keys.Seal(token, call, body, at)
	raw, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(header, "Askbridge "))
	if strings.Contains(header, token) || strings.Contains(string(raw), token) {
		t.Errorf("the token is sent: %s", header)
	}
	s := proof.Parse(header)
	if s == nil || s.ID != keys.ID {
		t.Fatalf("parsed as %+v", s)
	}
	o, err := keys.Open(s, call)
	if err != nil || o.Token != token || o.Nonce != nonce || !o.At.Equal(at) || !o.Holds(body) {
		t.Errorf("opened as %+v, %v", o, err)
	}
	if o.Holds(append(body, ' ')) || !o.Fresh(at.Add(proof.MaxAge)) || o.Fresh(at.Add(proof.MaxAge+time.Second)) || o.Fresh(at.Add(-proof.MaxAge-time.Second)) {
		t.Error("another body, or another time, is taken")
	}
	if again, _ := keys.Seal(token, call, body, at); again == header {
		t.Error("two calls look the same")
	}
}

func TestSealBindsToCall(t *testing.T) {
	t.Parallel()
	header, _ := keys.Seal(token, call, body, at)
	for name, c := range map[string]proof.Call{
		"another method":    {Method: "GET", Path: call.Path, Key: call.Key},
		"another path":      {Method: call.Method, Path: "/v1/ask/claude?to=slack%3AC2", Key: call.Key},
		"another key":       {Method: call.Method, Path: call.Path, Key: "k2"},
		"parts moved about": {Method: call.Method, Path: call.Path + "k", Key: "1"},
	} {
		if o, err := keys.Open(proof.Parse(header), c); !errors.Is(err, proof.ErrSeal) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	other := proof.KeysOf(sha256.Sum256([]byte("another token")))
	if _, err := other.Open(proof.Parse(header), call); !errors.Is(err, proof.ErrSeal) {
		t.Errorf("with another token: %v", err)
	}
}

// The hash alone, as the bridge stores it, does not allow calls.
func TestStolenHashCannotCall(t *testing.T) {
	t.Parallel()
	for _, guess := range []string{"", "another token", string(keys.ID[:])} {
		header, _ := keys.Seal(guess, call, body, at)
		if o, err := keys.Open(proof.Parse(header), call); !errors.Is(err, proof.ErrSeal) {
			t.Errorf("with %q: %+v, %v", guess, o, err)
		}
	}
}

func TestProofBindsToCall(t *testing.T) {
	t.Parallel()
	_, nonce := keys.Seal(token, call, body, at)
	reply := func() proof.Reply {
		return proof.Reply{Status: 200, Body: []byte("allow"), Header: http.Header{"Content-Type": {"text/plain"}, "Askbridge-State": {"answered"}, "Date": {"now"}}}
	}
	mac := keys.Prove(nonce, reply())
	for name, c := range map[string]struct {
		change func(r *proof.Reply, n *proof.Nonce)
		want   bool
	}{
		"as it was": {func(*proof.Reply, *proof.Nonce) {}, true},
		"on its way": {func(r *proof.Reply, _ *proof.Nonce) {
			r.Header["Via"], r.Header["Date"] = []string{"proxy"}, []string{"later"}
		}, true},
		"another body":      {func(r *proof.Reply, _ *proof.Nonce) { r.Body = []byte("deny") }, false},
		"another status":    {func(r *proof.Reply, _ *proof.Nonce) { r.Status = 202 }, false},
		"another state":     {func(r *proof.Reply, _ *proof.Nonce) { r.Header.Set("Askbridge-State", "open") }, false},
		"one header more":   {func(r *proof.Reply, _ *proof.Nonce) { r.Header.Set("Askbridge-Send", "POST /") }, false},
		"one header less":   {func(r *proof.Reply, _ *proof.Nonce) { r.Header.Del("Askbridge-State") }, false},
		"an earlier call's": {func(_ *proof.Reply, n *proof.Nonce) { n[0]++ }, false},
		"no proof":          {func(r *proof.Reply, _ *proof.Nonce) { r.Header.Del(proof.Header) }, false},
	} {
		r, n := reply(), nonce
		r.Header.Set(proof.Header, mac)
		c.change(&r, &n)
		if got := keys.Proved(n, r); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	r := reply()
	r.Header.Set(proof.Header, mac)
	if proof.KeysOf([32]byte{}).Proved(nonce, r) {
		t.Error("another token proves it too")
	}
}

// Whatever a header holds, it is no seal unless the token made it.
func FuzzSealed(f *testing.F) {
	made, _ := keys.Seal(token, call, body, at)
	f.Add(made)
	f.Add("Bearer x")
	f.Add("Askbridge ")
	f.Add("askbridge AAAA")
	f.Fuzz(func(t *testing.T, header string) {
		s := proof.Parse(header)
		if s == nil {
			return
		}
		if got, err := keys.Open(s, call); err == nil && (s.ID != keys.ID || got.Token != token) {
			t.Errorf("%q was opened", header)
		}
	})
}
