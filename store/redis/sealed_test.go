package redis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
	"github.com/askbridge/askbridge/store/storetest"
	"github.com/askbridge/askbridge/test/redistest"
)

func ring(t testing.TB, lines ...string) *seal.Ring {
	t.Helper()
	r, err := seal.Parse(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func keys1(t testing.TB) *seal.Keys {
	t.Helper()
	return seal.New(ring(t, seal.NewKey()))
}

// amendSealed edits an encrypted record, as a newer version with the key would write it.
func amendSealed(t testing.TB, f codec.Form, id string, data []byte, edit func([]byte) []byte) []byte {
	t.Helper()
	var outer struct {
		Tenant string `json:"te"`
		Key    string `json:"ky"`
		Sealed []byte `json:"sl"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		t.Fatal(err)
	}
	inner, err := f.Keys.Ring().Open(outer.Key, outer.Sealed, seal.What{Kind: "record", Place: f.Place, ID: id, Beside: outer.Tenant})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := f.SealRecord(&buf, id, outer.Tenant, edit(inner)); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestSealedRedis runs the conformance suite on a store with encryption keys and minimal permissions.
func TestSealedRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, minimalUser("test*")...)
	var n atomic.Int64
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		return redisBackend(t, withMinimalUser(Options{
			Addrs:  []string{server.Addr},
			Layout: Layout{Prefix: fmt.Sprint("test", n.Add(1)), Keys: keys1(t)},
		}), time.Now)
	})
}

func TestSealedValues(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValue(t, func(t *testing.T) *storetest.Backend {
		m, advance := mini(t)
		b := keyValues(t, Options{Addrs: []string{m.Addr()}, Layout: Layout{Keys: keys1(t)}})
		b.Advance = advance
		return b
	})
}

// TestSealedRedisHasNoReadableText searches all keys and a notification for the texts of a request and a value.
func TestSealedRedisHasNoReadableText(t *testing.T) {
	t.Parallel()
	both := keys1(t)
	here, there, far, _ := pair(t, Layout{Keys: both}, Layout{Keys: both})
	const secret = "canary"
	r := fixture.Owned("a1", "payments")
	r.Context, r.Session, r.Agent = secret, secret, secret
	r.Questions[0].Text, r.Questions[0].Options[0].Label = secret, secret
	fixture.Must(t)(here.Create(t.Context(), r, fixture.DueInAnHour))
	before := far.notifications.Load()
	fixture.Must(t)(here.Change(t.Context(), "a1", func(r *record.Record, now time.Time) error {
		r.Winner = secret
		return answered(r, now)
	}))
	fixture.WaitFor(t, "the notification of the end", func() bool { return far.notifications.Load() > before })
	fixture.WaitFor(t, "the record in the notification", func() bool { _, known := there.Ended("a1"); return known })
	if value := there.notifier.ended.get("a1"); value == "" || strings.Contains(value, secret) {
		t.Errorf("published: %q", value)
	}
	ended, _ := there.Ended("a1")
	fixture.Equal(t, "the record in the notification", ended, fixture.Must(t)(here.Load(t.Context(), "a1")))

	if _, err := here.KeyValue().Put(t.Context(), keyvalue.Key{Kind: "token", ID: "t1"}, []byte(secret), nil); err != nil {
		t.Fatal(err)
	}
	for _, key := range here.conn.client.Keys(t.Context(), "*").Val() {
		if value := here.conn.client.Dump(t.Context(), key).Val(); value == "" || strings.Contains(value, secret) {
			t.Errorf("%s contains readable text: %q", key, value)
		}
	}
}

// TestChangeKeyWhileBridgesRun changes the key of two bridges on one Redis, one later than the other. Both
// keep working, and no data with the old key remains.
func TestChangeKeyWhileBridgesRun(t *testing.T) {
	t.Parallel()
	m, _ := mini(t)
	before, after := seal.NewKey(), seal.NewKey()
	open := func() *Store {
		return openRedis(t, Options{Addrs: []string{m.Addr()}, Layout: Layout{Keys: seal.New(ring(t, before))}})
	}
	here, there := open(), open()
	for _, id := range []string{"a1", "a2"} {
		fixture.Must(t)(here.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour))
	}
	fixture.Must(t)(there.Load(t.Context(), "a1"))
	for _, s := range []*Store{here, there} {
		s.Keys().Set(ring(t, before, after))
	}
	here.Keys().Set(ring(t, after, before))
	if err := here.Reseal(t.Context(), "a1"); err != nil {
		t.Fatal(err)
	}
	if err := here.Reseal(t.Context(), "a1"); !errors.Is(err, storage.ErrUnchanged) {
		t.Errorf("second reseal: %v, want ErrUnchanged", err)
	}
	// The second bridge has the old version of a1 in its cache and writes with the old key.
	got := fixture.Must(t)(there.Change(t.Context(), "a1", fixture.Bump))
	if want := fixture.Must(t)(here.Load(t.Context(), "a1")); got.Version != 2 || want.Revision != got.Revision {
		t.Errorf("version %d, want 2 after a reseal that does not count", got.Version)
	}
	there.Keys().Set(ring(t, after, before))
	for _, id := range []string{"a1", "a2"} {
		if err := there.Reseal(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	late := openRedis(t, Options{Addrs: []string{m.Addr()}, Layout: Layout{Keys: seal.New(ring(t, after))}})
	for _, id := range []string{"a1", "a2"} {
		r := fixture.Must(t)(late.Load(t.Context(), id))
		if batch, err := late.Due(t.Context(), 5); err != nil || batch.Next <= 0 || r.Deadline.IsZero() {
			t.Errorf("%s is due in %v, %v", id, batch.Next, err)
		}
	}
}
