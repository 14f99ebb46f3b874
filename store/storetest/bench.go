package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// BenchmarkKeyValue measures a store that is empty.
func BenchmarkKeyValue(b *testing.B, s keyvalue.Store) {
	b.Helper()
	value := make([]byte, 200)
	put := func(b *testing.B, k keyvalue.Key) {
		b.Helper()
		if _, err := s.Put(b.Context(), k, value, &keyvalue.PutOptions{TTL: time.Hour}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("put", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			put(b, token(fmt.Sprint(n%1000)))
		}
	})
	b.Run("get", func(b *testing.B) {
		put(b, token("0"))
		for b.Loop() {
			if _, err := s.Get(b.Context(), token("0")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list 100", func(b *testing.B) {
		for n := range 100 {
			put(b, token(fmt.Sprint(n)))
		}
		for b.Loop() {
			if found, err := s.List(b.Context(), keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 100}); err != nil || len(found) != 100 {
				b.Fatalf("%d found, %v", len(found), err)
			}
		}
	})
}
