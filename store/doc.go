// Package store contains what the stores of the bridge share: backups, migration, erasure and
// encryption keys. Each store is a package of its own, so that a program links only the one it uses:
//
//	store/memory   in this process
//	store/file     in a file on this machine (bbolt)
//	store/redis    for any number of bridges
//
// A store knows no business rules. It keeps a record under its ID and swaps one version for the next,
// with four indexes in the same atomic step:
//
//	due            when the request needs attention, usually its deadline
//	delivery due   when cards or webhooks need an update
//	ended          when the request ended, for lists and retention
//	tenants        the due and the ended records of each tenant
//
// All stores keep the same encoded records and pass the same conformance suite, in bridge/bridgetest. A
// property test compares File and Redis with Memory.
//
// # Records
//
// A record is the JSON of [record.Record] with short names, without its ID and with times in
// microseconds. Unknown members are kept when a record is rewritten, so an old and a new build can
// share a store. A record with a newer format is rejected and not changed.
//
// # Time
//
// Memory and File use the clock of the process, Redis that of its server. A transition runs on the
// store's time, so the clock of a replica can neither extend nor shorten anyone's time to answer.
//
// # Expiry
//
// An open record never expires; ending it at its deadline is the bridge's job. An ended record is
// deleted after the retention time, seven days by default: by Redis through its time to live, by File and
// Memory with the next write. It stays longer while a delivery is due, so that an agent that could not
// be called still gets the answer.
//
// # Values
//
// A key-value store keeps everything that is not a request, in the same file or under the same prefix:
// see store/keyvalue.
package store
