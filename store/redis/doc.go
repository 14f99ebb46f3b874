// Package redis stores requests in Redis 7.0 or newer, for any number of bridges: on a single server,
// behind Sentinel, or in a Cluster.
//
// # Time
//
// The clock is the server's. A transition runs in this process, on an estimate of the server's time.
// The swap script rejects its result if the server's own time compares differently with the record's
// deadline or due time; the transition then runs again on the time that the server returned. So the
// clock of a replica can neither extend nor shorten anyone's time to answer.
//
// Creating a record, and changes that decide nothing (a card was posted, the deadline is hours away),
// use the estimate alone, which is less than a minute old. Ending a record is always checked.
//
// If Redis loses an open record, for example through a flush, the error is [ask.ErrGone] if this
// process has seen the record, and [storage.ErrNotFound] otherwise.
//
// # Keys
//
// With the prefix "ab". A Cluster has sixteen partitions, selected by the first character of the
// request ID ('a' is 0); elsewhere there is one:
//
//	ab:meta            hash    schema, partitions, notify: what all bridges must agree on
//	ab:{p07}:r:<id>    string  token, delivery due, expiry and the record; see swap.lua
//	ab:{p07}:index     zset    all four indexes, side by side; see keys.go and tenant.go
//	ab:{p07}:v:<key>   string  version, expiry and a value of store/keyvalue
//	ab:{p07}:values    zset    the names of the values, in byte order
//	ab:{p07}:expiries  zset    the names of values that expire, by time
//	ab:wake            channel changes; for database 3 it is ab:wake:3
//
// The braces put a partition into one slot of a Cluster. A script accesses one slot and gets every key
// as an argument. [Rights] lists the permissions that the Redis user needs.
//
// # Tenants
//
// The tenant index is newer than the others. An older version of this program that does not maintain
// it may run at the same time, or may have run in between. The store detects this by comparing counts
// and repairs the index from the records. Until then it lists a tenant's records from the main index.
//
// # Notifications
//
// A notification names the changed record, when it is due and when its delivery is due, so that
// another bridge can take over on time. Receivers then read the record itself. The exception is a
// short record that has ended: its content is included, with a message authentication code. The key of
// the code derives from a secret in ab:meta, [Layout.Secret], the prefix and the database number, so
// only a process that could have written the record can create it. Anyone else who can publish can
// only make bridges read.
//
// # Cost
//
// A request has four writes: asked, posted, answered, updated. No caller waits for the last one, so it
// is sent with the next create, or half a second later with others; in a Cluster, and with required
// replicas, it is sent alone.
//
//	create      1 trip     ZADD, SET
//	posted      1 trip     EVALSHA: SET
//	click       1 trip     EVALSHA: TIME, SET, ZADD
//	            2 trips    if another bridge wrote last: TIME, GET before it
//	updated     no trip    EVALSHA: SET
//	sweep       1 trip     TIME and a ZRANGE for each partition
//
// That is ten commands, including those in scripts. A deadline within two hours adds a TIME to the
// changes before the click. With several bridges each write also publishes a notification; a single
// bridge notifies itself. Delivered records leave the delivery-due index with the next sweep, in
// batches. Waiting costs nothing.
//
// # Crashes
//
// A swap is atomic. If its reply is lost, the client sends it again and recognizes its own write. (If
// another write came in between, the transition runs once more, so transitions are idempotent.) A
// create writes the index first: a crash leaves at most an index member without a record, which the
// next read of the index removes. A claim ends with its lease. A deferred write that is lost is repeated
// with the delivery that it records. A lost notification costs time only: after every gap, Watch
// reports that anything may have changed.
//
// Writes of values are neither deferred nor repeated, since a repeated write could restore a deleted
// value.
//
// With the append-only file and appendfsync everysec, a crash of the server loses nothing while its
// disk keeps up, and up to two seconds otherwise; with appendfsync always, nothing. A failover loses
// what the replica had not received. Outside a Cluster, running bridges detect both and, as soon as the
// server accepts writes, repeat the writes of the last minute before it, unless someone has continued
// without them. [Layout] can require replicas: a record that reached too few of them comes with
// [storage.ErrNotReplicated]. It is stored, but a failover can still lose it, and people should be
// told so. Redis replicates asynchronously, so this narrows the window and does not close it.
package redis
