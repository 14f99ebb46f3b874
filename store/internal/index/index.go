package index

import (
	"cmp"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
)

// Kind is one of the indexes.
type Kind int

// The indexes, and their number.
const (
	Due Kind = iota
	DeliveryDue
	Ended
	Kinds
)

// Moment returns the field of r that the index is ordered by. A record that has
// ended is never due.
func (i Kind) Moment(r *record.Record) codec.Micros {
	switch {
	case i == DeliveryDue:
		return codec.MicrosOf(r.DeliveryDue)
	case i == Ended:
		return codec.MicrosOf(r.EndedAt)
	case !r.EndedAt.IsZero():
		return 0
	}
	return codec.MicrosOf(r.Due)
}

// Of returns the index that a scan reads.
func Of(s storage.Scan) Kind {
	if s.Ended {
		return Ended
	}
	return Due
}

// Row is an encoded record and its time in each index; zero means that it is not in it. A claim changes the
// time in DeliveryDue but not the record.
type Row struct {
	Data []byte
	At   [Kinds]codec.Micros
}

// Place is one entry of an index.
type Place struct {
	At codec.Micros
	ID string
}

// ByPlace orders index entries by moment, ties by id.
func ByPlace(a, b Place) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

// IDs returns the IDs of places.
func IDs(places []Place) []string {
	all := make([]string, len(places))
	for i, p := range places {
		all[i] = p.ID
	}
	return all
}

// Second is a time in the tenant index: seconds since 1970 in 32 bits, so that it fits into a Redis score
// together with the tenant.
type Second uint32

// SecondOf converts a time to seconds.
func SecondOf(m codec.Micros) Second {
	const most = codec.Micros(^Second(0))
	return Second(min(max(m, 0)/1e6, most))
}

// TenantPlace is one entry of a tenant's index.
type TenantPlace struct {
	At Second
	ID string
}

// ByTenantPlace orders entries by second, ties by id.
func ByTenantPlace(a, b TenantPlace) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

// InTenant returns the time of a row in its tenant's index of due or ended records, if it is in it.
func (r *Row) InTenant() (i Kind, at Second, in bool) {
	switch {
	case r.At[Ended] != 0:
		return Ended, SecondOf(r.At[Ended]), true
	case r.At[Due] != 0:
		return Due, SecondOf(r.At[Due]), true
	}
	return 0, 0, false
}
