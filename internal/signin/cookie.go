package signin

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const (
	// kind is the kind of our values: the key, used states and ended sessions.
	kind    = "sign-in"
	keySize = 32
	// maxCookie limits a cookie. Browsers keep up to 4096 bytes with its name and attributes:
	// https://www.rfc-editor.org/rfc/rfc6265#section-6.1
	maxCookie = 3 << 10
)

// cookie seals values of one purpose into a cookie of the browser.
type cookie struct {
	name string
	// bound is authenticated with each value: its purpose and the settings under which it is valid.
	bound  string
	secure bool
}

// newCookie returns the cookie for a purpose. Over https its name has a prefix with which browsers accept it
// only from this host: https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
func newCookie(name, settings string, secure bool) cookie {
	c := cookie{name: name, bound: name + "\n" + settings, secure: secure}
	if secure {
		c.name = "__Host-" + name
	}
	return c
}

func (c cookie) with(value string, life time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // It is Secure wherever the console is served over https.
		Name: c.name, Value: value, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode,
	}
}

// gone returns the cookie that removes it.
func (c cookie) gone() *http.Cookie {
	return c.with("", -time.Second)
}

// seal returns the cookie with a value.
func (c cookie) seal(key cipher.AEAD, v any, life time.Duration) (*http.Cookie, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("signin: encode %s: %w", c.name, err)
	}
	text := base64.RawURLEncoding.EncodeToString(key.Seal(nil, nil, plain, []byte(c.bound))) //nolint:gosec // It makes its own random nonce.
	if len(text) > maxCookie {
		return nil, fmt.Errorf("signin: %s has %d bytes, more than %d", c.name, len(text), maxCookie)
	}
	return c.with(text, life), nil
}

// sent returns the cookie's value in a call. There are none if it came twice: then another host or path set one
// of them.
func (c cookie) sent(r *http.Request) (string, bool) {
	all := r.CookiesNamed(c.name)
	if len(all) != 1 || len(all[0].Value) > maxCookie {
		return "", false
	}
	return all[0].Value, true
}

// open reads the value of a call's cookie into v. It reports false if there is none that this bridge has set.
func (c cookie) open(key cipher.AEAD, r *http.Request, v any) bool {
	text, ok := c.sent(r)
	if !ok {
		return false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return false
	}
	plain, err := key.Open(nil, nil, sealed, []byte(c.bound))
	return err == nil && json.Unmarshal(plain, v) == nil
}

// key returns the key of the cookies, which the first replica to need one creates.
func (s *Service) key(ctx context.Context) (cipher.AEAD, error) {
	if known := s.aead.Load(); known != nil {
		return *known, nil
	}
	at := keyvalue.Key{Kind: kind, ID: "key"}
	e, err := s.values.Get(ctx, at)
	if errors.Is(err, storage.ErrNotFound) {
		fresh := make([]byte, keySize)
		_, _ = rand.Read(fresh) // It never fails.
		e, err = s.values.Put(ctx, at, fresh, &keyvalue.PutOptions{If: keyvalue.Absent})
		if errors.Is(err, keyvalue.ErrConflict) || errors.Is(err, storage.ErrNotReplicated) {
			err = nil // Another replica was faster, or it is stored.
		}
	}
	if err != nil {
		return nil, fmt.Errorf("signin: read the key: %w", err)
	}
	block, err := aes.NewCipher(e.Value)
	if err != nil {
		return nil, fmt.Errorf("signin: read the key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	s.aead.Store(&aead)
	return aead, nil
}

// use records that something happened, such as a use of a state, and reports whether it is the first time. It
// is remembered for life.
func (s *Service) use(ctx context.Context, what, id string, life time.Duration) (first bool, err error) {
	k := keyvalue.Key{Kind: kind, ID: what + "/" + strings.ToLower(id)}
	_, err = s.values.Put(ctx, k, []byte("1"), &keyvalue.PutOptions{If: keyvalue.Absent, TTL: max(life, time.Second)})
	switch {
	case errors.Is(err, keyvalue.ErrConflict):
		return false, nil
	case err != nil && !errors.Is(err, storage.ErrNotReplicated):
		return false, fmt.Errorf("signin: %w", err)
	}
	return true, nil
}

// used reports whether use was called.
func (s *Service) used(ctx context.Context, what, id string) (bool, error) {
	_, err := s.values.Get(ctx, keyvalue.Key{Kind: kind, ID: what + "/" + strings.ToLower(id)})
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("signin: %w", err)
	}
	return true, nil
}
