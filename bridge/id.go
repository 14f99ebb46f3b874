package bridge

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"hash/fnv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// Partitions is the number of shares a store may spread records over. The first
// character of an id, 'a' to 'p', names the share; requests of one session
// share one.
const Partitions = 16

// idLength is the number of base32 characters after the partition: 130 bits.
const idLength = 26

// requestID derives the id of a request from the caller's own key for it, so
// that asking again finds the first one. Without a key it is random.
func requestID(secret []byte, r *ask.Request) string {
	key, kind := r.Key, "key"
	if key == "" {
		key, kind = r.ToolCallID, "call"
	}
	var id string
	if key == "" {
		id = rand.Text()
		id = strings.ToLower(id)[:idLength]
	} else {
		mac := hmac.New(sha256.New, secret)
		mac.Write(encode(r.Tenant, r.Session, kind, key))
		id = record.IDAlphabet.EncodeToString(mac.Sum(nil))[:idLength]
	}
	group := r.Session
	if group == "" {
		group = id
	}
	h := fnv.New32a()
	h.Write(encode(r.Tenant, group))
	return string(rune('a'+h.Sum32()%Partitions)) + id
}

// fingerprint identifies what is asked of whom, and where. The same key with
// another fingerprint is a conflict.
func fingerprint(r *ask.Request) string {
	sum := sha256.Sum256(encode(r.Questions, r.To, r.Route, r.Responders))
	return record.IDAlphabet.EncodeToString(sum[:])[:16]
}

// markLength is the number of base32 characters of a mark: 50 bits, which nobody
// can try out on cards that they cannot post.
const markLength = 10

// mark proves that a control of the request was written by a bridge of this
// secret and store. It is asked for only where the store does not know the
// request: two bridges may share an app, and hear presses on each other's cards.
func (b *Bridge) mark(id string) string {
	mac := hmac.New(sha256.New, b.opts.IDSecret)
	mac.Write(encode("control", b.opts.StoreName, id))
	return record.IDAlphabet.EncodeToString(mac.Sum(nil))[:markLength]
}

// wrote reports whether this bridge, or one on the same store, wrote the control.
func (b *Bridge) wrote(t render.Token) bool {
	return hmac.Equal([]byte(t.Mark), []byte(b.mark(t.Request)))
}

// encode writes values so that no two different lists look the same.
func encode(values ...any) []byte {
	data, err := json.Marshal(values)
	if err != nil {
		panic("bridge: plain values always encode: " + err.Error())
	}
	return data
}
