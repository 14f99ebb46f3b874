package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// model is what a store should hold: a map, with a clock that is moved.
type model struct {
	entries map[keyvalue.Key]held
	now     time.Duration
}

type held struct {
	value, version string
	// until is zero for ever.
	until time.Duration
}

func (m *model) get(k keyvalue.Key) (held, bool) {
	h, ok := m.entries[k]
	if ok && h.until != 0 && h.until <= m.now {
		delete(m.entries, k)
		return held{}, false
	}
	return h, ok
}

// list is what a range selects, as a text.
func (m *model) list(r keyvalue.Range) string {
	var names []string
	for k := range m.entries {
		_, there := m.get(k)
		group := r.Kind == "" || k.Kind == r.Kind && k.Tenant == r.Tenant && strings.HasPrefix(k.ID, r.Prefix)
		if there && group && (r.After == keyvalue.Key{} || k.String() > r.After.String()) {
			names = append(names, k.String())
		}
	}
	slices.Sort(names)
	names = names[:min(len(names), r.Limit)]
	for n, name := range names {
		k, _ := keyvalue.ParseKey(name)
		names[n] += "=" + m.entries[k].value
	}
	return fmt.Sprint(names)
}

// TestKeyValueAgainstModel runs random operations on a store and on a model of it,
// and fails unless both say the same. The store's clock is moved by Advance.
func TestKeyValueAgainstModel(t *testing.T, open func(t *testing.T) *Backend) {
	t.Helper()
	keys := rapid.Custom(func(t *rapid.T) keyvalue.Key {
		return keyvalue.Key{
			Kind:   rapid.SampledFrom([]string{"token", "link", "grant"}).Draw(t, "kind"),
			Tenant: rapid.SampledFrom([]string{"", "ops", "a/b"}).Draw(t, "tenant"),
			ID:     rapid.SampledFrom([]string{"1", "1/2", "ü", "%2F"}).Draw(t, "id"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		ctx, b := context.Background(), open(t)
		m := &model{entries: map[keyvalue.Key]held{}}
		// condition is one that holds, or one that does not.
		condition := func(rt *rapid.T, k keyvalue.Key) string {
			h, _ := m.get(k)
			return rapid.SampledFrom([]string{"", keyvalue.Absent, h.version, "other"}).Draw(rt, "condition")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				o := keyvalue.PutOptions{If: condition(rt, k), TTL: time.Duration(rapid.IntRange(0, 5).Draw(rt, "ttl")) * time.Second}
				value := rapid.String().Draw(rt, "value")
				old, there := m.get(k)
				allowed := o.If == "" || o.If == keyvalue.Absent && !there || there && o.If == old.version
				e, err := b.Store.Put(ctx, k, []byte(value), &o)
				switch {
				case allowed && err != nil, !allowed && !errors.Is(err, keyvalue.ErrConflict), !allowed && e.Version != old.version:
					rt.Fatalf("put %s over %+v with %+v: %+v, %v", k, old, o, e, err)
				case allowed:
					next := held{value: value, version: e.Version}
					if o.TTL > 0 {
						next.until = m.now + o.TTL
					}
					m.entries[k] = next
				}
			},
			"delete": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				version := condition(rt, k)
				old, there := m.get(k)
				err := b.Store.Delete(ctx, k, version)
				switch {
				case !there:
					if !errors.Is(err, storage.ErrNotFound) {
						rt.Fatalf("delete %s, which is not there: %v", k, err)
					}
				case version != "" && version != old.version:
					if !errors.Is(err, keyvalue.ErrConflict) {
						rt.Fatalf("delete %s of another version: %v", k, err)
					}
				case err != nil:
					rt.Fatal(err)
				default:
					delete(m.entries, k)
				}
			},
			"get": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				want, there := m.get(k)
				e, err := b.Store.Get(ctx, k)
				if there != (err == nil) || !there && !errors.Is(err, storage.ErrNotFound) || string(e.Value) != want.value || e.Version != want.version {
					rt.Fatalf("get %s: %+v, %v; want %+v", k, e, err, want)
				}
			},
			"list": func(rt *rapid.T) {
				r := keyvalue.Range{Limit: rapid.IntRange(1, 12).Draw(rt, "limit")}
				k := keys.Draw(rt, "of")
				if rapid.Bool().Draw(rt, "one kind") {
					r.Kind, r.Tenant = k.Kind, k.Tenant
					r.Prefix = rapid.SampledFrom([]string{"", "1", "%"}).Draw(rt, "prefix")
				}
				if rapid.Bool().Draw(rt, "resume") {
					r.After = keys.Draw(rt, "after")
				}
				found, err := b.Store.List(ctx, r)
				if err != nil {
					rt.Fatal(err)
				}
				names := make([]string, len(found))
				for n, e := range found {
					names[n] = e.Key.String() + "=" + string(e.Value)
				}
				if got, want := fmt.Sprint(names), m.list(r); got != want {
					rt.Fatalf("list %+v: %s, want %s", r, got, want)
				}
			},
			"wait": func(rt *rapid.T) {
				d := time.Duration(rapid.IntRange(1, 4).Draw(rt, "seconds")) * time.Second
				m.now += d
				b.Advance(d)
			},
		})
	})
}
