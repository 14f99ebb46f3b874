package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Backend is a store to test.
type Backend struct {
	Store keyvalue.Store
	// Another opens the same store once more, as another process does; nil where
	// one process has it to itself.
	Another func(t *testing.T) keyvalue.Store
	// Advance moves the store's clock; nil where it goes by itself.
	Advance func(time.Duration)
	// Evict takes the value of a key away behind the store's back; nil where that
	// cannot happen.
	Evict func(k keyvalue.Key)
}

// TestKeyValue runs the suite on empty stores.
func TestKeyValue(t *testing.T, open func(t *testing.T) *Backend) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *Backend){
		"what is put is there":                          putGet,
		"a key that was never put is not found":         notFound,
		"a put on condition stores nothing else":        conditions,
		"a version never comes again":                   versions,
		"a delete removes one version or any":           deletes,
		"what has a time to live is gone afterwards":    expiry,
		"a put without a time to live keeps for good":   outlives,
		"a list has the keys of one tenant, in order":   lists,
		"a list of everything resumes":                  listsAll,
		"what is outside the limits changes nothing":    limits,
		"what is at the limits is kept":                 atTheLimits,
		"a caller does not share memory with the store": ownMemory,
		"one of many makes what was absent":             oneMakes,
		"many counters lose no step":                    counters,
		"one of many deletes":                           oneDeletes,
		"what was taken away is in no list":             evicted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func token(id string) keyvalue.Key { return keyvalue.Key{Kind: "token", Tenant: "ops", ID: id} }

func put(t *testing.T, s keyvalue.Store, k keyvalue.Key, value string, o *keyvalue.PutOptions) keyvalue.Entry {
	t.Helper()
	e, err := s.Put(t.Context(), k, []byte(value), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// has fails unless the key holds the entry; one without a version is nothing.
func has(t *testing.T, s keyvalue.Store, k keyvalue.Key, want keyvalue.Entry) {
	t.Helper()
	got, err := s.Get(t.Context(), k)
	switch {
	case want.Version == "" && !errors.Is(err, storage.ErrNotFound):
		t.Errorf("get %s: %+v, %v; want nothing", k, got, err)
	case want.Version != "" && err != nil:
		t.Errorf("get %s: %v", k, err)
	}
	same(t, "get "+k.String(), got, want)
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func putGet(t *testing.T, b *Backend) {
	t.Helper()
	for _, k := range []keyvalue.Key{
		token("t1"), {Kind: "link", ID: "slack:U1"}, {Kind: "token", Tenant: "a/b%2F", ID: "x/y {p01} ü"}, {Kind: "token", Tenant: "a", ID: "b/b%2F/x"},
	} {
		for _, value := range []string{"", "one", "two words \x00\xff\r\n", strings.Repeat("long ", 9999)} {
			e := put(t, b.Store, k, value, nil)
			if e.Key != k || string(e.Value) != value || e.Version == "" || !e.Expires.IsZero() {
				t.Errorf("put %s returns %+.80v", k, e)
			}
			has(t, b.Store, k, e)
		}
	}
	if b.Another == nil {
		return
	}
	has(t, b.Another(t), token("t1"), must(b.Store.Get(t.Context(), token("t1"))))
}

func must(e keyvalue.Entry, err error) keyvalue.Entry {
	if err != nil {
		panic(err)
	}
	return e
}

func notFound(t *testing.T, b *Backend) {
	t.Helper()
	has(t, b.Store, token("t1"), keyvalue.Entry{})
	if err := b.Store.Delete(t.Context(), token("t1"), ""); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
	_, err := b.Store.Get(t.Context(), token("t1"))
	if text := err.Error(); !strings.Contains(text, "get token/ops/t1") {
		t.Errorf("the error %q does not say what was looked for", text)
	}
}

func conditions(t *testing.T, b *Backend) {
	t.Helper()
	k := token("t1")
	refused := func(what, condition string, there keyvalue.Entry) {
		t.Helper()
		got, err := b.Store.Put(t.Context(), k, []byte("wrong"), &keyvalue.PutOptions{If: condition})
		if !errors.Is(err, keyvalue.ErrConflict) {
			t.Errorf("%s: %v, want a conflict", what, err)
		}
		same(t, what, got, there)
		has(t, b.Store, k, there)
	}
	refused("a version of nothing", "v1", keyvalue.Entry{})
	one := put(t, b.Store, k, "one", &keyvalue.PutOptions{If: keyvalue.Absent})
	refused("absent, and it is not", keyvalue.Absent, one)
	two := put(t, b.Store, k, "two", &keyvalue.PutOptions{If: one.Version})
	refused("an old version", one.Version, two)
	three := put(t, b.Store, k, "three", nil)
	refused("a version that was overwritten", two.Version, three)
	if err := b.Store.Delete(t.Context(), k, ""); err != nil {
		t.Fatal(err)
	}
	refused("a version that was deleted", three.Version, keyvalue.Entry{})
	put(t, b.Store, k, "four", &keyvalue.PutOptions{If: keyvalue.Absent})
}

func versions(t *testing.T, b *Backend) {
	t.Helper()
	seen := map[string]bool{}
	for n := range 30 {
		e := put(t, b.Store, token("t1"), "same", nil)
		if seen[e.Version] || e.Version == keyvalue.Absent {
			t.Fatalf("version %q comes again", e.Version)
		}
		seen[e.Version] = true
		if n%3 == 0 {
			if err := b.Store.Delete(t.Context(), token("t1"), ""); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func deletes(t *testing.T, b *Backend) {
	t.Helper()
	k := token("t1")
	one := put(t, b.Store, k, "one", nil)
	two := put(t, b.Store, k, "two", nil)
	if err := b.Store.Delete(t.Context(), k, one.Version); !errors.Is(err, keyvalue.ErrConflict) {
		t.Errorf("delete of an old version: %v", err)
	}
	has(t, b.Store, k, two)
	if err := b.Store.Delete(t.Context(), k, two.Version); err != nil {
		t.Error(err)
	}
	has(t, b.Store, k, keyvalue.Entry{})
	if err := b.Store.Delete(t.Context(), k, two.Version); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("delete of what is gone: %v", err)
	}
}

// passes lets a short time to live pass.
func (b *Backend) passes(t *testing.T, d time.Duration, over func() bool) {
	t.Helper()
	if b.Advance != nil {
		b.Advance(d)
		return
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for !over() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("what has a time to live is still there after a minute")
		}
	}
}

const shortly = 300 * time.Millisecond

func expiry(t *testing.T, b *Backend) {
	t.Helper()
	k := token("t1")
	before := time.Now()
	e := put(t, b.Store, k, "once", &keyvalue.PutOptions{TTL: shortly, If: keyvalue.Absent})
	if lives := e.Expires.Sub(before); b.Advance == nil && (lives < shortly/2 || lives > time.Minute) {
		t.Errorf("it expires after %v, want %v", lives, shortly)
	}
	has(t, b.Store, k, e)
	put(t, b.Store, token("t2"), "good", nil)
	gone := func() bool {
		_, err := b.Store.Get(t.Context(), k)
		return errors.Is(err, storage.ErrNotFound)
	}
	b.passes(t, shortly, gone)
	has(t, b.Store, k, keyvalue.Entry{})
	if err := b.Store.Delete(t.Context(), k, e.Version); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("delete of what has expired: %v", err)
	}
	if _, err := b.Store.Put(t.Context(), k, nil, &keyvalue.PutOptions{If: e.Version}); !errors.Is(err, keyvalue.ErrConflict) {
		t.Errorf("a put over what has expired: %v", err)
	}
	same(t, "list", ids(list(t, b.Store, keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 9})), []string{"t2"})
	put(t, b.Store, k, "again", &keyvalue.PutOptions{If: keyvalue.Absent})
	same(t, "list", ids(list(t, b.Store, keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 9})), []string{"t1", "t2"})
}

func outlives(t *testing.T, b *Backend) {
	t.Helper()
	put(t, b.Store, token("t1"), "short", &keyvalue.PutOptions{TTL: shortly})
	good := put(t, b.Store, token("t1"), "good", nil)
	put(t, b.Store, token("t2"), "short", &keyvalue.PutOptions{TTL: shortly})
	longer := put(t, b.Store, token("t2"), "longer", &keyvalue.PutOptions{TTL: time.Hour})
	put(t, b.Store, token("t3"), "short", &keyvalue.PutOptions{TTL: shortly})
	b.passes(t, shortly, func() bool {
		_, err := b.Store.Get(t.Context(), token("t3"))
		return errors.Is(err, storage.ErrNotFound)
	})
	put(t, b.Store, token("t4"), "takes along what has expired", nil)
	has(t, b.Store, token("t1"), good)
	has(t, b.Store, token("t2"), longer)
	same(t, "list", ids(list(t, b.Store, keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 9})), []string{"t1", "t2", "t4"})
}

func list(t *testing.T, s keyvalue.Store, r keyvalue.Range) []keyvalue.Entry {
	t.Helper()
	found, err := s.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func ids(entries []keyvalue.Entry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Key.ID)
	}
	return all
}

func lists(t *testing.T, b *Backend) {
	t.Helper()
	for _, id := range []string{"b", "a/2", "a", "a/1", "ü", "a!"} {
		put(t, b.Store, token(id), id, nil)
	}
	for _, foreign := range []keyvalue.Key{
		{Kind: "token", Tenant: "op", ID: "s/a"},
		{Kind: "token", Tenant: "ops/", ID: "a"},
		{Kind: "token", Tenant: "", ID: "ops/a"},
		{Kind: "tokens", Tenant: "ops", ID: "a"},
		{Kind: "link", Tenant: "ops", ID: "a"},
	} {
		put(t, b.Store, foreign, "foreign", nil)
	}
	all := []string{"a", "a!", "a/1", "a/2", "b", "ü"}
	of := keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 100}
	found := list(t, b.Store, of)
	same(t, "all", ids(found), all)
	for _, e := range found {
		has(t, b.Store, e.Key, e)
	}
	of.Prefix = "a/"
	same(t, "with a prefix", ids(list(t, b.Store, of)), []string{"a/1", "a/2"})
	of.Prefix = "c"
	same(t, "none", ids(list(t, b.Store, of)), []string(nil))
	of.Prefix, of.Limit = "", 2
	var pages []string
	for page := list(t, b.Store, of); len(page) > 0; page = list(t, b.Store, of) {
		pages = append(pages, ids(page)...)
		of.After = page[len(page)-1].Key
	}
	same(t, "in pages", pages, all)
}

func listsAll(t *testing.T, b *Backend) {
	t.Helper()
	want := map[string]string{}
	for n := range 57 {
		k := keyvalue.Key{Kind: []string{"token", "link", "grant"}[n%3], Tenant: fmt.Sprint("t", n%5), ID: fmt.Sprint(n)}
		want[k.String()] = put(t, b.Store, k, fmt.Sprint("value ", n), nil).Version
	}
	got, r := map[string]string{}, keyvalue.Range{Limit: 10}
	var order []string
	for page := list(t, b.Store, r); len(page) > 0; page = list(t, b.Store, r) {
		for _, e := range page {
			got[e.Key.String()] = e.Version
			order = append(order, e.Key.String())
		}
		r.After = page[len(page)-1].Key
	}
	same(t, "everything", got, want)
	if !slices.IsSorted(order) || len(order) != len(want) {
		t.Errorf("%d entries of %d in the order %q", len(order), len(want), order)
	}
}

func limits(t *testing.T, b *Backend) {
	t.Helper()
	ctx := t.Context()
	bad := func(err error, parts ...string) {
		t.Helper()
		if !errors.Is(err, keyvalue.ErrInvalid) {
			t.Errorf("%v, want that it is not valid", err)
			return
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not name %s", err, part)
			}
		}
	}
	_, err := b.Store.Put(ctx, keyvalue.Key{Kind: "To", Tenant: "a\nb", ID: ""}, make([]byte, keyvalue.MaxValue+1), &keyvalue.PutOptions{TTL: -1})
	bad(err, "kind", "tenant", "id is empty", "value has 65537", "time to live")
	_, err = b.Store.Put(ctx, token(strings.Repeat("x", keyvalue.MaxID+1)), nil, nil)
	bad(err, "id has 257")
	_, err = b.Store.Put(ctx, token("\xff"), nil, nil)
	bad(err, "UTF-8")
	_, err = b.Store.Get(ctx, keyvalue.Key{})
	bad(err, "kind")
	bad(b.Store.Delete(ctx, keyvalue.Key{Kind: "token"}, ""), "id is empty")
	_, err = b.Store.List(ctx, keyvalue.Range{Tenant: "ops"})
	bad(err, "needs a kind", "limit")
	_, err = b.Store.List(ctx, keyvalue.Range{Kind: "9", After: keyvalue.Key{ID: "a"}, Limit: 1})
	bad(err, "kind")
	if all := list(t, b.Store, keyvalue.Range{Limit: 9}); len(all) != 0 {
		t.Errorf("%+v was stored all the same", all)
	}
}

func atTheLimits(t *testing.T, b *Backend) {
	t.Helper()
	k := keyvalue.Key{
		Kind: strings.Repeat("k", keyvalue.MaxKind), Tenant: strings.Repeat("/", keyvalue.MaxTenant), ID: strings.Repeat("%", keyvalue.MaxID),
	}
	e := put(t, b.Store, k, strings.Repeat("\x00", keyvalue.MaxValue), &keyvalue.PutOptions{TTL: 100 * 365 * 24 * time.Hour})
	has(t, b.Store, k, e)
	same(t, "list", list(t, b.Store, keyvalue.Range{Kind: k.Kind, Tenant: k.Tenant, Limit: 1}), []keyvalue.Entry{e})
}

func ownMemory(t *testing.T, b *Backend) {
	t.Helper()
	k, value := token("t1"), []byte("mine")
	e, err := b.Store.Put(t.Context(), k, value, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := e
	want.Value = []byte("mine")
	copy(value, "ours")
	has(t, b.Store, k, want)
	copy(e.Value, "ours")
	copy(must(b.Store.Get(t.Context(), k)).Value, "ours")
	copy(list(t, b.Store, keyvalue.Range{Limit: 1})[0].Value, "ours")
	has(t, b.Store, k, want)
}

func evicted(t *testing.T, b *Backend) {
	t.Helper()
	if b.Evict == nil {
		t.Log("nothing can take a value away here")
		return
	}
	put(t, b.Store, token("t1"), "one", nil)
	put(t, b.Store, token("t2"), "two", nil)
	b.Evict(token("t1"))
	for range 2 {
		same(t, "list", ids(list(t, b.Store, keyvalue.Range{Limit: 1})), []string{"t2"})
	}
	put(t, b.Store, token("t1"), "back", &keyvalue.PutOptions{If: keyvalue.Absent})
	same(t, "list", ids(list(t, b.Store, keyvalue.Range{Limit: 9})), []string{"t1", "t2"})
}
