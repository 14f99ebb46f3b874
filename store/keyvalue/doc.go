// Package keyvalue is the small key-value store next to the records, for data that is not a request:
// installations, agent tokens, account links, grants, drafts of settings.
//
//	Get ──▶ Entry{Value, Version} ──▶ Put{If: Version} ──▶ Entry, or ErrConflict
//
// The method KeyValue of store/memory, store/file and store/redis returns it. All three pass the
// conformance suite in store/storetest and agree with a model in a property test.
//
// # Guarantees
//
// A [Key] consists of a kind, the owning tenant and an ID. A value is a few bytes that the store does
// not interpret. Each write has a version that no other write of the key has, even after a delete. Put
// can compare and swap by version, or create a value only if there is none; of concurrent writers one
// succeeds. There are no transactions across keys: let one key decide, and derive the others from it.
//
// A value with a time to live is never returned after it has expired by the store's clock. All others
// stay until they are deleted.
//
// Completed writes are as durable as requests: on the disk with store/file; with store/redis as its
// documentation describes.
//
// There are no notifications. To see a change at once, read before use, which is one round trip.
package keyvalue
