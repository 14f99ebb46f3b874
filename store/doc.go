// Package store is what the stores of the bridge have in common. Each stands in a
// folder of its own, so that a program links only what it uses:
//
//	store/memory   in this process
//	store/file     in a file of this machine (bbolt)
//	store/redis    for any number of bridges
//
// A store knows no business. It keeps a record under its id and swaps one
// version for the next, with four indexes in the same atomic step:
//
//	due            when the request wants attention: its deadline
//	delivery due   when somebody should bring the outside world up to date
//	ended          when it was over, for listing and for dropping it in time
//	tenants        what is due and what has ended, for each tenant on its own
//
// All three keep the same encoded records and pass the same suite, in
// bridge/bridgetest; a property test holds File and Redis to the answers of Memory.
//
// # Records
//
// A record is the JSON of [record.Record] with short names, without its id and
// with moments in microseconds. Members that this build does not know are kept
// when it rewrites a record, so an old and a new build can share a store. A
// record whose format is above ours is refused with a reason, and left alone.
//
// # Time
//
// Memory and File use the clock of the process, Redis that of its server. A
// transition runs on the time of the store, so that no clock of a replica can
// lengthen or shorten anybody's time to answer.
//
// # Expiry
//
// An open record never expires, whatever its deadline: ending it is the
// bridge's doing. An ended one is dropped after the retention, seven days unless
// set otherwise: by Redis through the key's time to live, by File and Memory
// with the next write. While something of it is left to deliver it stays, longer if
// need be, so that an agent which could not be called still hears of the answer.
//
// # Values
//
// What is not a request has a small key-value store beside the records, in the same
// file or under the same prefix: see store/keyvalue.
//
// # Inside
//
// What more than one of them needs lies in internal: codec (the stored form, and a
// transition from one version to the next), index (where a record stands), watch
// (who is told of changes), local (a store of one process, written once for Memory
// and File), fixture (what their tests share).
package store
