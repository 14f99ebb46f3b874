package redis

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/codec"
)

// The format of a notification, which swap.lua builds too. Words are separated by spaces:
//
//	id token times                              any write
//	id token times mac deliverydue expires json one that ends a short record
//
// Times are when the record and its delivery are due, in microseconds, and the number of the database,
// separated by colons. The second form contains the whole stored value, so that waiting callers need
// not read it.
//
// Anyone who can publish can send anything, so the first form only causes a read of the record, as does
// the second one without a valid code of a process that knows the secret stored with the records. Messages of
// older versions ("id token", or "id" and a whole value) also cause a read; older versions treat the
// forms above as a notification without a value.

// mostPublished is the maximum length of a value in a notification.
const mostPublished = 4096

// message returns the notification for a version that does not end its record.
func (r *Store) message(e *codec.Entry) string {
	return e.Rec.ID + " " + e.Token() + " " + r.moments(&e.Rec)
}

// moments returns the third word of a notification.
func (r *Store) moments(rec *record.Record) string {
	return fmt.Sprintf("%d:%d:%d", codec.MicrosOf(rec.Due), codec.MicrosOf(rec.DeliveryDue), r.keys.db)
}

// hear decodes a message. The value is empty unless it is included with a valid code. ours is false for
// messages of another database.
func (r *Store) hear(message string) (n record.Notification, value string, ours bool) {
	words := strings.SplitN(message, " ", 5)
	n.ID = words[0]
	if len(words) < 3 {
		return n, "", true
	}
	var due, deliveryDue codec.Micros
	var db int
	if _, err := fmt.Sscanf(words[2], "%d:%d:%d", &due, &deliveryDue, &db); err != nil {
		return n, "", true
	}
	if db != r.keys.db {
		return n, "", false
	}
	number, _, _ := strings.Cut(words[1], ".")
	n.Version, _ = strconv.ParseInt(number, 10, 64) // Zero is unknown.
	n.Due, n.DeliveryDue = due.Time(), deliveryDue.Time()
	if len(words) == 5 {
		if whole := words[1] + " " + words[4]; r.proves(words[3], n.ID, whole) {
			value = whole
		}
	}
	return n, value, true
}

// learnSecret creates or reads the secret that authenticates notifications. It is stored with the records,
// so a process that can read it could have written the records too.
func (r *Store) learnSecret(ctx context.Context) error {
	fresh := make([]byte, sha256.Size)
	_, _ = rand.Read(fresh) // It never fails.
	var kept *goredis.StringCmd
	err := r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) {
		pipe.HSetNX(ctx, r.keys.meta(), "notify", base64.RawURLEncoding.EncodeToString(fresh))
		kept = pipe.HGet(ctx, r.keys.meta(), "notify")
	})
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, r.layout.Secret)
	_, _ = fmt.Fprintf(mac, "askbridge notifications\n%s\n%d\n%s", r.keys.prefix, r.keys.db, kept.Val())
	key := mac.Sum(nil)
	r.secret.Store(&key)
	return nil
}

// code returns the authentication code of a record's value; empty while the secret is unknown.
func (r *Store) code(id, value string) string {
	key := r.secret.Load()
	if key == nil {
		return ""
	}
	mac := hmac.New(sha256.New, *key)
	_, _ = mac.Write([]byte(id + " " + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (r *Store) proves(code, id, value string) bool {
	want := r.code(id, value)
	return want != "" && hmac.Equal([]byte(code), []byte(want))
}

// mostBrought is the maximum number of values in [brought]; waiting callers read them at once.
const mostBrought = 256

// brought contains the values included in notifications, by record ID. They are decoded on demand,
// which is rare.
type brought struct {
	mu     sync.Mutex
	values map[string]string
	order  []string
}

func (b *brought) put(id, value string) {
	if value == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.values == nil {
		b.values = map[string]string{}
	}
	if len(b.order) == mostBrought {
		delete(b.values, b.order[0])
		b.order = b.order[1:]
	}
	b.values[id] = value
	b.order = append(b.order, id)
}

func (b *brought) get(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.values[id]
}

// Ended implements [storage.OutcomeCache].
func (r *Store) Ended(id string) (record.Record, bool) {
	value := r.brought.get(id)
	if value == "" {
		return record.Record{}, false
	}
	e, err := r.seen(id, value)
	if err != nil {
		return record.Record{}, false
	}
	return e.Rec.Clone(), true
}
