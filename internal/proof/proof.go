// Package proof lets a caller and the bridge prove to each other that they know an agent's token,
// over a connection that someone else may hold the other end of. The token is never sent in clear.
//
// The caller encrypts the token and a digest of the call with a key derived from the token's hash.
// The bridge has that hash, decrypts the token and compares its hash. An impostor at the bridge's
// address has neither. The response has a MAC over the call's nonce and its own content, with
// another key derived from the hash, so that no forged or replayed response is accepted.
//
//	request   Authorization: Askbridge <key id, nonce, sealed time, body digest and token>
//	reply     Askbridge-Proof: <MAC over nonce, status, headers and body>
//
// Someone who stole the hashes can impersonate the bridge, but not an agent. Someone in between can
// read and delay messages, as without TLS, but not change them. A replayed call has no new effect and
// expires after [MaxAge]; the bridge accepts calls that create and revoke tokens only once.
package proof

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// Header is the reply's header.
	Header = "Askbridge-Proof"
	// MaxAge is the maximum difference between the clocks of the caller and the bridge.
	MaxAge = 5 * time.Minute

	scheme   = "Askbridge "
	idSize   = 8
	timeSize = 8
)

// ErrSeal means that a sealed call was changed, or was not made with the token.
var ErrSeal = errors.New("proof: the sealed token does not belong to this call")

// Nonce identifies a call.
type Nonce [12]byte

// Keys are derived from the hash of a token.
type Keys struct {
	// ID identifies the keys. It reveals nothing about the token.
	ID    [idSize]byte
	hash  [sha256.Size]byte
	seal  cipher.AEAD
	reply []byte
}

// KeysOf returns the keys of the token with this SHA-256.
func KeysOf(hash [sha256.Size]byte) *Keys {
	k := &Keys{hash: hash, reply: derive(hash, "reply")}
	copy(k.ID[:], derive(hash, "id"))
	block, err := aes.NewCipher(derive(hash, "seal"))
	if err == nil {
		k.seal, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic("proof: a SHA-256 is a key of AES: " + err.Error())
	}
	return k
}

func derive(hash [sha256.Size]byte, use string) []byte {
	mac := hmac.New(sha256.New, hash[:])
	mac.Write([]byte("askbridge proof v1 " + use))
	return mac.Sum(nil)
}

// Call is what a seal covers.
type Call struct {
	Method string
	// Path is the escaped path below the bridge's address, with the query.
	Path string
	// Key is the Idempotency-Key.
	Key string
}

func (c Call) bytes() []byte {
	var text []byte
	for _, part := range []string{c.Method, c.Path, c.Key} {
		text = append(binary.BigEndian.AppendUint32(text, uint32(len(part))), part...)
	}
	return text
}

// Seal returns the Authorization header of a call.
func (k *Keys) Seal(token string, c Call, body []byte, at time.Time) (string, Nonce) {
	var nonce Nonce
	_, _ = rand.Read(nonce[:]) // It never fails.
	digest := sha256.Sum256(body)
	plain := binary.BigEndian.AppendUint64(nil, uint64(at.Unix()))
	plain = slices.Concat(plain, digest[:], []byte(token))
	sent := k.seal.Seal(slices.Concat(k.ID[:], nonce[:]), nonce[:], plain, c.bytes())
	return scheme + base64.RawURLEncoding.EncodeToString(sent), nonce
}

// Sealed is a received sealed call.
type Sealed struct {
	// ID identifies the keys it was made with.
	ID    [idSize]byte
	nonce Nonce
	text  []byte
}

// Parse reads an Authorization header. It returns nil for other schemes and malformed values.
func Parse(header string) *Sealed {
	if len(header) < len(scheme) || !strings.EqualFold(header[:len(scheme)], scheme) {
		return nil
	}
	data, err := base64.RawURLEncoding.DecodeString(header[len(scheme):])
	s := &Sealed{}
	if err != nil || len(data) < idSize+len(s.nonce) {
		return nil
	}
	copy(s.ID[:], data)
	copy(s.nonce[:], data[idSize:])
	s.text = data[idSize+len(s.nonce):]
	return s
}

// Opened is the content of a sealed call from a caller that knows the token.
type Opened struct {
	Token string
	At    time.Time
	Nonce Nonce
	body  [sha256.Size]byte
}

// Open verifies the seal of a call.
func (k *Keys) Open(s *Sealed, c Call) (*Opened, error) {
	plain, err := k.seal.Open(nil, s.nonce[:], s.text, c.bytes())
	if err != nil || s.ID != k.ID || len(plain) < timeSize+sha256.Size {
		return nil, ErrSeal
	}
	o := &Opened{Nonce: s.nonce, Token: string(plain[timeSize+sha256.Size:])}
	o.At = time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
	copy(o.body[:], plain[timeSize:])
	if hash := sha256.Sum256([]byte(o.Token)); subtle.ConstantTimeCompare(hash[:], k.hash[:]) != 1 {
		return nil, ErrSeal // The caller has only the hash.
	}
	return o, nil
}

// Fresh reports whether the call was sealed within [MaxAge].
func (o *Opened) Fresh(now time.Time) bool { return now.Sub(o.At).Abs() <= MaxAge }

// Holds reports whether it was sealed with this body.
func (o *Opened) Holds(body []byte) bool {
	digest := sha256.Sum256(body)
	return digest == o.body
}

// Reply is what a proof covers.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Prove returns the [Header] of the reply to a call.
func (k *Keys) Prove(n Nonce, r Reply) string {
	return base64.RawURLEncoding.EncodeToString(k.mac(n, r))
}

// Proved reports whether the response comes from a server that knows the token.
func (k *Keys) Proved(n Nonce, r Reply) bool {
	sent, err := base64.RawURLEncoding.DecodeString(r.Header.Get(Header))
	return err == nil && hmac.Equal(sent, k.mac(n, r))
}

func (k *Keys) mac(n Nonce, r Reply) []byte {
	mac := hmac.New(sha256.New, k.reply)
	mac.Write(n[:])
	fmt.Fprintf(mac, "%d\n", r.Status)
	var names []string
	for name := range r.Header {
		if covered(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(mac, "%s: %q\n", name, r.Header[name])
	}
	mac.Write([]byte("\n"))
	mac.Write(r.Body)
	return mac.Sum(nil)
}

// covered reports whether a header is covered. Proxies may add others.
func covered(name string) bool {
	return name == "Content-Type" || name == "Retry-After" || name != Header && strings.HasPrefix(name, "Askbridge-")
}
