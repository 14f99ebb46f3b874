// Package bridge is the engine between agents, who ask over an API, and people, who
// answer on chat platforms.
//
// A [Bridge] keeps one [Record] per request in a [Store]. A record has two independent
// axes. The decision is open and then ends once; it is the record's Outcome. The
// delivery is the state of each [Copy] of the card: whether it is posted, and which
// revision of the record it shows. They are independent because a person can press a
// button before the bridge has recorded that the card was posted.
//
//	agent ── Submit ──▶ record ── deliver ──▶ Platform.Post ──▶ card
//	agent ◀── Wait ──── record ◀── Handle ─── Interaction ◀──── person
//	                      │
//	                      └─ deliver ──▶ Platform.Update: every copy updated
//
// All changes are pure functions on a record that the store runs inside a
// compare-and-swap (optimistic locking), so any number of replicas can act concurrently.
//
// Guarantees: a person sees "recorded" only after the store has confirmed it; exactly
// one act ends a request; a redelivered act changes nothing; the same key finds the same
// request and posts nothing; an open record is always in the store's due index, and a
// record with outdated cards always in its delivery index, so that another replica takes
// over after a crash.
//
// Non-guarantees: on a platform without idempotent posts, a card whose post was accepted
// while the reply was lost may exist twice. Either copy answers the request. Both are
// closed at its end once the second is found, by a search or a click.
//
// The parts of the engine are in internal packages: intake (new requests), respond
// (interactions), deliver (cards, webhooks), ratelimit and state. The contracts are in
// record, storage and observe, and in package platform.
package bridge
