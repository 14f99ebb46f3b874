// Package audit keeps a trail of everything that people, agents and operators decided, so
// that nobody can change it afterwards without being found out.
//
//	record.Trail ──┐
//	               ├──▶ Exporter ──▶ Log (chain, texts, heads) ──▶ devices: file, webhook, standard output
//	Log.Note ──────┘                  └──▶ Export ──▶ Verify
//
// What happens to a request stands in its record, written by the same swap (see
// [record.Trail]). One exporter at a time, of whichever replica, is handed what its own
// bridge writes (see [Exporter.Store]), reads there what others have written, and adds a
// line for each event to the chain of the request's tenant. The chain stands in the
// key-value store. A batch of lines has a place of its own that is written once, so two
// exporters that both believe they are the one cannot fork the chain: one of them is told.
//
// Each line holds the hash of the line before it, and each batch ends with a head: the
// number and the hash of its last line, signed with a key that the store does not hold.
// [Verify] finds any changed byte, any removed or inserted line, and missing events of a
// request. It counts a complete batch that appears again once. Lines that were cut from the
// end are found by comparing with a head that was kept elsewhere.
//
// What people wrote, and the names they go by, stand beside the chain: a line holds only a
// hash of them, salted so that nobody finds a short text by trying. They can be erased, and
// the chain still holds. What people chose, and the platforms' ids of who did, stay.
//
// Whoever has both the store and the key can write another trail. That is what copies of
// heads elsewhere are for.
package audit
