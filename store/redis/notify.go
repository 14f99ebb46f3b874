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

// What is published of a write, with a space between the words; swap.lua puts the
// same together:
//
//	id token moments                         any write
//	id token moments mac is behind expires json   one that ends a short record
//
// Moments are when the record is due and when it is behind, in microseconds, and the
// number of the database, with colons between. The second form holds the whole
// stored value, so that whoever waits for the end need not read it.
//
// Whoever may publish can say anything here, so nothing but a look at the record
// comes of the first form, and of the second one whose code does not prove that
// its author knows the secret that is kept beside the records. What an older
// version of this program publishes ("id token", or "id" and a whole value) leads
// to a look as well; and an older version takes the forms above for a notification
// without a value, and reads the record.

// mostPublished is the longest value that is published whole.
const mostPublished = 4096

// message is what is published of a version that does not end its record.
func (r *Store) message(e *codec.Entry) string {
	return e.Rec.ID + " " + e.Token() + " " + r.moments(&e.Rec)
}

// moments is the third word of a message.
func (r *Store) moments(rec *record.Record) string {
	return fmt.Sprintf("%d:%d:%d", codec.MicrosOf(rec.Due), codec.MicrosOf(rec.DeliveryDue), r.keys.db)
}

// hear reads a message. The value is empty unless it has come along and is proved
// to be what a bridge has stored. It reports false for what does not concern this
// database.
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

// learnSecret makes or reads the secret that proves notifications: it is kept in
// the same database under the same prefix as the records, so whoever has it could
// as well have written them.
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

// code proves that a value of a record comes from somebody who knows the secret;
// empty while we do not.
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

// mostBrought is how many values are kept for somebody to ask for; whoever
// waits asks at once.
const mostBrought = 256

// brought are the values that came with notifications, by id. They are decoded when
// somebody asks, which is seldom.
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
