// Package state is the engine's access to records and to what a process knows about
// them: callers that wait, followers, alarms for due records, and the store's clock.
//
// [Records.Swap] makes every change. It runs a pure transition inside the store's
// compare-and-swap; [Records.Publish] then wakes local callers. [Watcher] does the same
// for changes of other replicas. A notification is only a hint: the record decides, and
// a slow poll covers lost notifications.
package state
