// Package proof lets a caller and the bridge show each other that they know an
// agent's token, over a connection that anybody may hold the other end of. The
// token is never sent in clear.
//
// A caller seals the token, with what belongs to the one call, under a key made
// of the token's own hash. The bridge keeps that hash: it opens the seal, and
// compares what was in it. Whoever else listens at the bridge's address has
// neither. The reply then carries a MAC over the call's nonce and everything the
// reply says, under another key made of the hash, so that nobody else's reply is
// taken for the bridge's, be it an earlier one.
//
//	request   Authorization: Askbridge <key id, nonce, sealed time, body digest and token>
//	reply     Askbridge-Proof: <MAC over nonce, status, headers and body>
//
// Somebody who has read the bridge's hashes can pass for the bridge, but not for
// an agent. Somebody on the way can read and hold back, as without TLS, but change
// nothing. Repeating a sealed call does again what it did, and it goes stale: a
// call of the API may be repeated, and the bridge takes those that make and end
// tokens once.
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
	// MaxAge is how far the caller's clock may be from the bridge's.
	MaxAge = 5 * time.Minute

	scheme   = "Askbridge "
	idSize   = 8
	timeSize = 8
)

// ErrSeal means that a sealed call was changed on the way, or was not made with
// the token.
var ErrSeal = errors.New("proof: the sealed token does not belong to this call")

// Nonce names one call.
type Nonce [12]byte

// Keys are what is made of the hash of a token.
type Keys struct {
	// ID finds the keys again. It says nothing about the token.
	ID    [idSize]byte
	hash  [sha256.Size]byte
	seal  cipher.AEAD
	reply []byte
}

// KeysOf returns the keys of the token with that SHA-256.
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

// Call is what a seal is bound to.
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

// Sealed is a sealed call as it came.
type Sealed struct {
	// ID says which keys it was made with.
	ID    [idSize]byte
	nonce Nonce
	text  []byte
}

// Parse reads an Authorization header. It returns nil for any other scheme, and
// for what cannot be a sealed call.
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

// Opened is what was sealed, proved to come from somebody with the token.
type Opened struct {
	Token string
	At    time.Time
	Nonce Nonce
	body  [sha256.Size]byte
}

// Open checks the seal of a call.
func (k *Keys) Open(s *Sealed, c Call) (*Opened, error) {
	plain, err := k.seal.Open(nil, s.nonce[:], s.text, c.bytes())
	if err != nil || s.ID != k.ID || len(plain) < timeSize+sha256.Size {
		return nil, ErrSeal
	}
	o := &Opened{Nonce: s.nonce, Token: string(plain[timeSize+sha256.Size:])}
	o.At = time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
	copy(o.body[:], plain[timeSize:])
	if hash := sha256.Sum256([]byte(o.Token)); subtle.ConstantTimeCompare(hash[:], k.hash[:]) != 1 {
		return nil, ErrSeal // Somebody has the hash alone.
	}
	return o, nil
}

// Fresh reports whether the call was sealed about now.
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

// Proved reports whether the reply to the call comes from somebody who knows
// the token.
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

// covered names the headers that mean something to a caller. Those on the way
// add others.
func covered(name string) bool {
	return name == "Content-Type" || name == "Retry-After" || name != Header && strings.HasPrefix(name, "Askbridge-")
}
