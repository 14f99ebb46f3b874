package store

import (
	"cmp"
	"encoding/json"
)

// second is a moment in the index of a tenant: full seconds since 1970, in 32
// bits, so that Redis can keep it in one score with the tenant.
type second uint32

func secondOf(m micros) second {
	const most = micros(^second(0))
	return second(min(max(m, 0)/1e6, most))
}

// tenantPlace is one entry in the index of a tenant.
type tenantPlace struct {
	at second
	id string
}

func byTenantPlace(a, b tenantPlace) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

// inTenant returns where a row stands in the index of its tenant: among the due
// or the ended records, or nowhere.
func (r *row) inTenant() (i which, at second, in bool) {
	switch {
	case r.at[ended] != 0:
		return ended, secondOf(r.at[ended]), true
	case r.at[due] != 0:
		return due, secondOf(r.at[due]), true
	}
	return 0, 0, false
}

// tenantOf reads the tenant out of an encoded record.
func tenantOf(data []byte) string {
	var r struct {
		Tenant string `json:"te"`
	}
	_ = json.Unmarshal(data, &r) // Whoever loads the record learns what is wrong with it.
	return r.Tenant
}
