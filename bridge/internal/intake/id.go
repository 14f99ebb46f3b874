package intake

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash/fnv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// idLength is the number of base32 characters after the partition: 130 bits.
const idLength = 26

// RequestID derives the ID of a request from the caller's key, so that the same key
// finds the same request. Without a key it is random.
func RequestID(secret []byte, r *ask.Request) string {
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
		mac.Write(state.Encode(r.Tenant, r.Session, kind, key))
		id = record.IDAlphabet.EncodeToString(mac.Sum(nil))[:idLength]
	}
	return inPartition(r.Tenant, r.Session, id)
}

// inPartition prefixes an ID with its partition: that of the session if there is one.
func inPartition(tenant, session, id string) string {
	h := fnv.New32a()
	h.Write(state.Encode(tenant, cmp.Or(session, id)))
	return string(rune('a'+h.Sum32()%storage.Partitions)) + id
}

// fingerprint identifies the content, places and policy of a request. The same key with
// another fingerprint is a conflict.
func fingerprint(r *ask.Request) string {
	parts := []any{r.Questions, r.To, r.Route, r.Responders}
	if !r.Voting.IsZero() {
		parts = append(parts, r.Voting)
	}
	add := func(set bool, name string, what any) {
		if set {
			parts = append(parts, map[string]any{name: what})
		}
	}
	add(!r.Origin.IsZero(), "origin", &r.Origin)
	add(r.Notify != nil, "notify", &r.Notify)
	add(r.Replies.On(), "replies", &r.Replies)
	add(r.Hold != 0, "hold", &r.Hold)
	add(r.Risk != "", "risk", &r.Risk)
	add(r.AskBack != "", "ask_back", &r.AskBack)
	add(r.Receipts || r.Token.Receipts, "receipts", true)
	add(!r.Schedule.IsZero(), "schedule", &r.Schedule)
	add(r.Language != "", "language", &r.Language)
	add(len(r.Links) > 0, "links", &r.Links)
	add(!r.Operation.IsZero(), "operation", &r.Operation)
	add(len(r.Files) > 0, "files", ask.Attachments(r.Files))
	sum := sha256.Sum256(state.Encode(parts...))
	return record.IDAlphabet.EncodeToString(sum[:])[:16]
}
