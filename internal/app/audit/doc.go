// Package audit keeps a tamper-evident trail of what people, agents and operators decided.
//
//	record.Trail ──┐
//	               ├──▶ Exporter ──▶ Log (chains, texts, heads) ──▶ copies: file, webhook, standard output
//	Log.Note ──────┘                  └──▶ Page ──▶ Verify
//
// The events of a request are part of its record and are written in the same swap (see
// [record.Trail]). One replica at a time holds the exporter lease. It appends a line for each
// new event to the chain of the request's tenant in the key-value store. Each batch of lines has
// its own key that is written only once, so two exporters that both believe they hold the lease
// cannot fork a chain: the second write fails with a conflict.
//
// Each line contains the hash of the line before it. Each batch ends with a head: the number and
// hash of its last line, signed with a key that is not in the store. [Verify] detects changed
// bytes, removed, inserted and reordered lines, and missing events. It cannot detect a removed
// end unless it is given a head that was saved elsewhere.
//
// Names and typed texts are stored next to the chain. A line has only their salted hash, so they
// can be erased without breaking the chain. Choices and platform user IDs remain.
//
// Someone with both the store and the key can write a different trail. Only heads saved
// elsewhere reveal that.
package audit
