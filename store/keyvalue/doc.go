// Package keyvalue is the small key-value seam of the stores: for what is not a
// request. Installations with their tokens, tokens of agents, links between the
// accounts of a person, grants and drafts of settings belong here; questions and
// answers do not.
//
//	Get ──▶ Entry{Value, Version} ──▶ Put{If: Version} ──▶ Entry, or ErrConflict
//
// store/memory, store/file and store/redis each have one beside their records, in
// the same place: KeyValue returns it. All three pass the suite in store/storetest
// and agree with a model in a property test.
//
// # What it promises
//
// A [Key] names a kind of thing, the tenant that it belongs to, and one of its
// kind. A value is a few bytes that the store does not read: whoever keeps a
// secret encrypts it, or keeps a hash. Each write makes a version of its own, which
// no later one has again, also when the key was deleted in between. Put compares
// and swaps by it, or makes what must not be there yet; of many who try at once one
// succeeds. There is no write across two keys: let one of them decide, and what
// hangs on it be made again.
//
// What has a time to live is gone when it has passed by the store's clock, and is
// never returned afterwards. Everything else stays until it is deleted.
//
// What Put and Delete have returned is as safe as a request is: on the disk with
// store/file; with store/redis as its documentation says of a crash.
//
// It has no notifications. Who must see a change at once reads before use; that is
// one round trip.
package keyvalue
