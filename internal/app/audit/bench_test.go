package audit

import (
	"strconv"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/memory"
)

// BenchmarkALifeInTheTrail exports the three events of a request that was asked, posted and answered, in three
// passes or in one.
func BenchmarkALifeInTheTrail(b *testing.B) {
	s := memory.New()
	private, _ := NewKey()
	key, err := ParseKey(private)
	if err != nil {
		b.Fatal(err)
	}
	x := NewExporter(NewLog(s.KeyValue(), key, 0), s, Options{})
	if err := x.turn(b.Context()); err != nil {
		b.Fatal(err)
	}
	events := make([]record.Event, 3)
	for n, kind := range []record.EventKind{record.EventAsked, record.EventPosted, "answered"} {
		events[n] = record.Event{Seq: int64(n + 1), At: time.Date(2026, 3, 14, 15, 0, n, 0, time.UTC), Kind: kind, Revision: int64(n), Detail: "slack C0000001"}
	}
	events[2].By, events[2].Act = ask.Person{Platform: "slack", ID: "U0000001", Name: "Dana"}, "0123456789abcdef"
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		r := bridge.Record{ID: "p" + strconv.Itoa(n), Tenant: "ops", Agent: "deploy-bot"}
		for seq := range 3 {
			r.Version++
			r.Trail = &record.Trail{Seq: int64(seq + 1), Events: events[:seq+1]}
			x.wrote(&r)
		}
		if n%500 == 0 {
			if err := x.turn(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
