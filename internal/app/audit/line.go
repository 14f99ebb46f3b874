package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Line is one event in the chain of a tenant.
type Line struct {
	Form int `json:"v"`
	// N numbers the lines of the tenant from 1.
	N int64 `json:"n"`
	// At is the store's time, or the replica's for events that belong to no request.
	At     time.Time `json:"at"`
	Tenant string    `json:"tenant"`
	// Request, Seq and Revision identify the event in the record's trail.
	Request  string `json:"request,omitempty"`
	Seq      int64  `json:"seq,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	Kind     string `json:"kind"`
	// Agent asked. By is the person who acted, such as "slack:U0000001", or the operator. Human
	// is the name under which the configuration links a person's accounts.
	Agent string `json:"agent,omitempty"`
	// Route is the route of a request, in the line of its first event.
	Route string `json:"route,omitempty"`
	By    string `json:"by,omitempty"`
	Human string `json:"human,omitempty"`
	// Act identifies the interaction.
	Act     string   `json:"act,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Choices []Choice `json:"choices,omitempty"`
	// Text is the hash of the [Text] of this line.
	Text string `json:"text,omitempty"`
	// Prev is the hash of the line before.
	Prev string `json:"prev"`
}

// Choice is a person's choice for one question, without typed text.
type Choice struct {
	Question int      `json:"question"`
	Labels   []string `json:"labels,omitempty"`
	Typed    bool     `json:"typed,omitempty"`
	Skipped  bool     `json:"skipped,omitempty"`
}

// Text is the erasable part of an event: a person's name and what they wrote.
type Text struct {
	N    int64    `json:"n"`
	By   string   `json:"by,omitempty"`
	Name string   `json:"name,omitempty"`
	Said []string `json:"said,omitempty"`
	// Salt is random, so that an erased text cannot be guessed from its hash.
	Salt string `json:"salt"`
}

// Head is the signed end of a tenant's chain.
type Head struct {
	Tenant string    `json:"tenant"`
	N      int64     `json:"n"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
	// Key is the public key of the signature.
	Key string `json:"key"`
}

const (
	lineForm = 1

	// The fixed parts of lines, heads and texts.
	lined     = `{"v":1,"n":`
	hashed    = `,"hash":"`
	headed    = `{"head":`
	signature = `,"signature":"`
	texted    = `{"text":`
)

// ErrKey is the error of [ParseKey].
var ErrKey = errors.New("audit: invalid key: want 64 hexadecimal digits; create one with: askbridge audit key")

// ParseKey parses a private key.
func ParseKey(text string) (ed25519.PrivateKey, error) {
	seed, err := hex.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, ErrKey
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// NewKey generates a key pair.
func NewKey() (private, public string) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // Never fails.
	return hex.EncodeToString(seed), Public(ed25519.NewKeyFromSeed(seed))
}

// Public returns the public key of a private key.
func Public(key ed25519.PrivateKey) string {
	public, _ := key.Public().(ed25519.PublicKey)
	return hex.EncodeToString(public)
}

// marshal returns v as JSON without HTML escapes.
func marshal(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("audit: encode %T: %v", v, err)) // No type of this package can fail.
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// hashLen is the length of a hash in hexadecimal digits.
const hashLen = 2 * sha256.Size

// hash returns the SHA-256 of data in hexadecimal digits.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// encode returns the stored form of a line and its hash.
func (l *Line) encode() (line []byte, sum string) {
	l.Form = lineForm
	line = marshal(l)
	sum = hash(line)
	return append(line[:len(line)-len("}")], hashed+sum+"\"}\n"...), sum
}

// encode returns the stored form of a text and its hash.
func (t *Text) encode() (text []byte, sum string) {
	inner := marshal(t)
	return append(append([]byte(texted), inner...), "}\n"...), hash(inner)
}

// sign returns the stored form of a head.
func (h *Head) sign(key ed25519.PrivateKey) []byte {
	h.Key = Public(key)
	inner := marshal(h)
	return append(append([]byte(headed), inner...), signature+hex.EncodeToString(ed25519.Sign(key, inner))+"\"}\n"...)
}

// headOf returns the head at the end of a batch without verifying its signature.
func headOf(batch []byte) (Head, error) {
	var end struct {
		Head Head `json:"head"`
	}
	batch = bytes.TrimSpace(batch)
	last := batch[bytes.LastIndexByte(batch, '\n')+1:]
	if err := json.Unmarshal(last, &end); err != nil || end.Head.N == 0 || len(end.Head.Hash) != hashLen {
		return Head{}, errors.New("audit: stored batch without head")
	}
	return end.Head, nil
}

// linesIn returns the lines of a batch. It skips heads and unreadable lines.
func linesIn(batch []byte) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for data := range bytes.Lines(batch) {
			var l Line
			if json.Unmarshal(data, &l) == nil && l.N > 0 && !yield(l) {
				return
			}
		}
	}
}
