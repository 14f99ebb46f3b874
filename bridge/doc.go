// Package bridge is the engine: it stands between agents, who ask over an
// API, and people, who answer on its platforms.
//
// A [Bridge] keeps one [Record] per request in a [Store]. A record has two
// independent axes. The decision is open and then ends once, for ever; it lies
// in the Outcome of the record. The delivery tells for each [Copy] of the card whether
// it is posted and which revision of the record it shows. They are independent
// because a person may press a button before the bridge has noted that the
// message stands.
//
//	agent ── Submit ──▶ record ── deliver ──▶ Platform.Post ──▶ card
//	agent ◀── Wait ──── record ◀── Handle ─── Interaction ◀──── person
//	                      │
//	                      └─ deliver ──▶ Platform.Update: every copy updated
//
// All changes are pure functions on a record that the store runs inside a
// compare-and-swap, so any number of replicas may act at once.
//
// What is guaranteed: a person sees "recorded" only after the store said so; one
// act ends a request, whoever else acts at the same time; a second delivery of
// an act changes nothing; the same key asked again finds the same request and
// posts nothing; an open record is always in the store's due index, and one
// whose cards are behind is always in its delivery index, so that another
// replica takes over from one that died.
//
// What is not: a card whose post was accepted while the reply was lost may
// stand twice on a platform without idempotent posts. Either copy answers the
// request, and both are closed at its end once the second is known, by a search
// or by a click on it.
package bridge
