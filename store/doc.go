// Package store remembers requests for the bridge: [Memory] in this process,
// [File] in a file of this machine, [Redis] for any number of bridges.
//
// A store knows no business. It keeps a record under its id and swaps one
// version for the next, with three indexes in the same atomic step:
//
//	due      when the request wants attention: its deadline
//	lagging  when somebody should bring the outside world up to date
//	ended    when it was over, for listing and for dropping it in time
//
// All three keep the same encoded records and pass the same suite, in
// bridge/bridgetest; a property test holds them to each other's answers.
//
// # Records
//
// A record is the JSON of [bridge.Record] with short names, without its id and
// with moments in microseconds. Members that this build does not know are kept
// when it rewrites a record, so an old and a new build can share a store. A
// record whose format is above ours is refused with a reason, and left alone.
//
// # Time
//
// Memory and File use the clock of the process. Redis uses that of the server:
// a transition runs here, on the time that we reckon the server has, and the
// swap script refuses to store its result if the server's own time would have
// compared otherwise with the record's deadline or due time; the transition is
// then run again on the time the server told. No clock of a replica can
// lengthen or shorten anybody's time to answer.
//
// # Expiry
//
// An open record never expires, whatever its deadline: ending it is the
// bridge's doing. An ended one is dropped after the retention, seven days unless
// set otherwise: by Redis through the key's time to live, by File and Memory
// with the next write.
//
// # Keys in Redis
//
// With the prefix "ab" and sixteen partitions, which a request's id names in its
// first character ('a' is 0):
//
//	ab:meta               hash    schema, partitions: what all bridges must share
//	ab:{p07}:r:<id>       hash    v: version, data: the record
//	ab:{p07}:due          zset    open records by due time in microseconds
//	ab:{p07}:lagging      zset    records that are behind, by the next attempt
//	ab:{p07}:ended        zset    ended records, trimmed when another one ends
//	ab:wake               channel ids of records that were changed
//
// The braces make a partition one slot of a Cluster. Three scripts touch one
// slot each and are given every key they touch: swap (create, change), claim and
// page. A change costs one round trip when this process has seen the newest
// version, two otherwise.
//
// # What a crash leaves behind
//
// A swap happens or it does not: there is no half of one. When the reply to it
// is lost, the client sends it again and recognises its own write. (If somebody
// else has changed the record in between, the transition runs once more, which
// is why transitions are idempotent.) A claim whose holder dies is free again
// when its lease has run out. A hint that is lost costs time and nothing else:
// after every gap Watch says that anything may have changed.
//
// File: what a call has returned is on the disk. Redis: with the append-only
// file on, it survives a crash of the server; a crash of its machine, or a
// failover to a replica that lags, can lose the last moment.
package store
