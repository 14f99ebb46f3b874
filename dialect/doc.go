// Package dialect speaks each agent host's own format. It decodes the input of a host's question tool into an [ask.Request], and
// encodes an [ask.Outcome] as the result that the host expects, byte for byte.
//
//	tool input ── Decode ──▶ ask.Request ── people ──▶ ask.Outcome ── Encode ──▶ tool result
//	     └────────────────────── the same bytes, for the echo ──────────┘
//
// Inside askbridge an answer has a question index, labels, typed text and notes. Every host's format loses something: it joins
// strings, uses headers as keys, or lets text replace labels. So the conversion happens last, here, in one file per host
// that begins with the source of its rules. [Dialect.Note] describes what a format cannot carry, and [Result.Warnings] what
// one answer lost.
//
// Decoding accepts harmless mistakes with advice: a list sent as a JSON string, "true" in quotes, numbers as labels, an "Other"
// option at the end. It rejects what would change or lose an answer, with all problems in one error in the host's words.
//
// A permission prompt becomes a request with an [ask.Operation] that defines what an approval covers: everything that the host
// sent, except members listed with a reason. The card shows all of it with the option that allows it, and two different
// operations never look alike.
//
// Only an answered request looks like an answer. Nothing is filled in.
//
// The package does no I/O, starts no goroutine and reads no clock. The list of dialects is a value, see [All].
//
// Shared parts, each a package under internal:
//
//	js         JSON with the bytes of the input
//	quote      quotations of untrusted texts
//	lenient    decoding with advice and problems
//	question   questions in the form of any host
//	schema     questions from a flat JSON schema
//	answer     recorded answers in the words of the input
//	diff       changes of files as diffs
//	preview    how a card shows what an approval covers
//	operation  a permission prompt as a request
package dialect
