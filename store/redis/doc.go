// Package redis remembers requests in Redis 7.0 or newer, for any number of bridges:
// on a single server, behind Sentinel, or in a Cluster.
//
// # Time
//
// The clock is that of the server:
// a transition runs here, on the time that we reckon the server has, and the
// swap script refuses to store its result if the server's own time would have
// compared otherwise with the record's deadline or due time; the transition is
// then run again on the time the server told. No clock of a replica can
// lengthen or shorten anybody's time to answer.
//
// To begin a record, and to note what decides nothing (a card was posted, while
// the deadline is hours away), the reckoned time is good enough and the server
// is not asked; it told its time less than a minute before. What ends a record is
// always judged.
//
// A record that Redis has lost while it was open, through a flush perhaps, is
// [ask.ErrGone] where this process had seen it, else not found.
//
// # Keys
//
// With the prefix "ab", and in a Cluster sixteen partitions, which a request's
// id names in its first character ('a' is 0); elsewhere there is only the first:
//
//	ab:meta            hash    schema, partitions, notify: what all bridges must share
//	ab:{p07}:r:<id>    string  token, delivery due, expiry and the record; see swap.lua
//	ab:{p07}:index     zset    all four indexes, side by side; see keys.go and tenant.go
//	ab:{p07}:v:<key>   string  version, expiry and a value of store/keyvalue
//	ab:{p07}:values    zset    the names of these, in the order of their bytes
//	ab:{p07}:expiries  zset    those that expire, by when
//	ab:wake            channel what was changed; of database 3 it is ab:wake:3
//
// The braces make a partition one slot of a Cluster. Scripts touch one slot each
// and are given every key they touch. Redis 7.0 is the oldest that will do, and
// [Rights] are all that its user needs.
//
// # Tenants
//
// The index of tenants came after the others. A version of this program that does
// not know it may run beside this one, or have run after it: that is noticed by
// counting, and the index is made good from the records. Until then a tenant's
// list is read from the index of all.
//
// # Notifications
//
// What is published says which record was changed, when it is due and when it
// is behind, so that another bridge can take over on time. It is never taken for the
// record: whoever waits reads that, except for a short one that has ended, which
// comes along with a code. The code is keyed by a secret in ab:meta, by
// [Layout.Secret], the prefix and the number of the database, so only who
// could have written the record can make it. Somebody who may publish and no more
// can make bridges look, and that is all.
//
// # What it costs
//
// A request is four writes: asked, posted, answered, updated. Nobody waits for
// the last one, so it travels with the next create, or half a second later with
// others of its kind; in a Cluster, and where replicas must have it, it goes alone.
//
//	create      1 trip     ZADD, SET
//	posted      1 trip     EVALSHA: SET
//	click       1 trip     EVALSHA: TIME, SET, ZADD
//	            2 trips    when another bridge has written last: TIME, GET before it
//	updated     no trip    EVALSHA: SET
//	sweep       1 trip     TIME and a ZRANGE for each partition
//
// That is ten commands, those in scripts included.
// A deadline within two hours adds a TIME to what happens before the click. With
// several bridges each write publishes a notification, one command more; a bridge that is
// alone tells itself. What has caught up leaves the index of delivery due records with
// the next sweep, a batch at a time. Waiting costs nothing.
//
// # What a crash leaves behind
//
// A swap happens or it does not: there is no half of one. When the reply to it
// is lost, the client sends it again and recognises its own write. (If somebody
// else has changed the record in between, the transition runs once more, which
// is why transitions are idempotent.) A create writes the index first, so that a
// crash leaves at most a member without a record, which the next look drops. A
// claim whose holder dies is free again when its lease has run out. A write that
// was put off is lost, and what it noted is done once more. A notification that is
// lost costs time and nothing else: after every gap Watch says that anything
// may have changed.
//
// Of values nothing is put off and nothing repeated, since one that was deleted
// meanwhile would come back.
//
// With the append-only file on and appendfsync everysec, a crash of the
// server loses nothing while its disk keeps up and the last two seconds when it
// does not; with appendfsync always, nothing. A failover loses what the replica
// had not got. Outside a Cluster, bridges that are still there notice either and, as soon
// as the server takes writes, repeat those of the last minute before it, where nobody has
// gone on without them. [Layout] can ask for replicas, and then a record that reached
// too few of them comes with [storage.ErrNotReplicated]: it is saved, it is not yet safe
// from a failover, and a person should be told just that. Redis replicates
// asynchronously, so this narrows the window and does not close it.
package redis
