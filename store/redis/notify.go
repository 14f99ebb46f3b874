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
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/watch"
)

// notifier publishes changes to other bridges and decodes their notifications. See peers.go for how it
// learns which other bridges there are.
type notifier struct {
	conn *conn
	keys keys
	// sharedSecret is [Layout.Secret]. key authenticates notifications; nil until learnKey.
	sharedSecret []byte
	key          atomic.Pointer[[]byte]
	publishing   publishing
	ended        endedValues

	me    string // Names this bridge in its greeting.
	local *watch.Watchers
	// alone means that no other bridge listens.
	alone atomic.Bool
	// outside means that a bridge of an older version or another database listens on the common
	// channel only.
	outside atomic.Bool
	// owed means that another bridge may have missed writes that were not published.
	owed atomic.Bool
}

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

// maxPublished is the maximum length of a value in a notification.
const maxPublished = 4096

// message returns the notification for a version that does not end its record.
func (n *notifier) message(e *codec.Entry) string {
	return e.Rec.ID + " " + e.Token() + " " + n.times(&e.Rec)
}

// times returns the third word of a notification.
func (n *notifier) times(rec *record.Record) string {
	return fmt.Sprintf("%d:%d:%d", codec.MicrosOf(rec.Due), codec.MicrosOf(rec.DeliveryDue), n.keys.db)
}

// parse decodes a message. The value is empty unless it is included with a valid code. ours is false for
// messages of another database.
func (n *notifier) parse(message string) (found record.Notification, value string, ours bool) {
	words := strings.SplitN(message, " ", 5)
	found.ID = words[0]
	if len(words) < 3 {
		return found, "", true
	}
	var due, deliveryDue codec.Micros
	var db int
	if _, err := fmt.Sscanf(words[2], "%d:%d:%d", &due, &deliveryDue, &db); err != nil {
		return found, "", true
	}
	if db != n.keys.db {
		return found, "", false
	}
	number, _, _ := strings.Cut(words[1], ".")
	found.Version, _ = strconv.ParseInt(number, 10, 64) // Zero is unknown.
	found.Due, found.DeliveryDue = due.Time(), deliveryDue.Time()
	if len(words) == 5 {
		if whole := words[1] + " " + words[4]; n.verify(words[3], found.ID, whole) {
			value = whole
		}
	}
	return found, value, true
}

// learnKey creates or reads the secret of notifications and derives the key that authenticates them. The secret
// is stored with the records, so a process that can read it could have written the records too.
func (n *notifier) learnKey(ctx context.Context) error {
	fresh := make([]byte, sha256.Size)
	_, _ = rand.Read(fresh) // It never fails.
	var kept *goredis.StringCmd
	err := n.conn.pipelined(ctx, func(pipe goredis.Pipeliner) {
		pipe.HSetNX(ctx, n.keys.meta(), "notify", base64.RawURLEncoding.EncodeToString(fresh))
		kept = pipe.HGet(ctx, n.keys.meta(), "notify")
	})
	if err != nil {
		return err
	}
	hash := hmac.New(sha256.New, n.sharedSecret)
	_, _ = fmt.Fprintf(hash, "askbridge notifications\n%s\n%d\n%s", n.keys.prefix, n.keys.db, kept.Val())
	key := hash.Sum(nil)
	n.key.Store(&key)
	return nil
}

// mac returns the message authentication code of a record's value; empty while the secret is unknown.
func (n *notifier) mac(id, value string) string {
	key := n.key.Load()
	if key == nil {
		return ""
	}
	hash := hmac.New(sha256.New, *key)
	_, _ = hash.Write([]byte(id + " " + value))
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
}

func (n *notifier) verify(mac, id, value string) bool {
	want := n.mac(id, value)
	return want != "" && hmac.Equal([]byte(mac), []byte(want))
}

// maxEnded is the maximum number of values in [endedValues]; waiting callers read them at once.
const maxEnded = 256

// endedValues contains the values included in notifications, by record ID. They are decoded on demand,
// which is rare.
type endedValues struct {
	mu     sync.Mutex
	values map[string]string
	order  []string
}

func (v *endedValues) put(id, value string) {
	if value == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.values == nil {
		v.values = map[string]string{}
	}
	if len(v.order) == maxEnded {
		delete(v.values, v.order[0])
		v.order = v.order[1:]
	}
	v.values[id] = value
	v.order = append(v.order, id)
}

func (v *endedValues) get(id string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.values[id]
}
