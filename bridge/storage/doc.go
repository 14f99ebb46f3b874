// Package storage defines what the bridge needs from a store.
//
// A [Store] keeps records and swaps one version for the next with optimistic
// locking. It knows no business rules: a [record.Transition] is a pure function
// that the store runs inside its compare-and-swap, with its own clock.
//
// The small interfaces in values.go keep what does not belong to a single record:
// grants, files, threads and numbers. Package store/keyvalue implements them for
// every store.
//
// [github.com/askbridge/askbridge/bridge/bridgetest.TestStore] tests an
// implementation of Store.
package storage
