// Package dialect speaks each agent host's own language: it turns the input of
// a host's question tool into an [ask.Request], and an [ask.Outcome] back into
// the result that host expects, byte for byte.
//
//	tool input ── Decode ──▶ ask.Request ── people ──▶ ask.Outcome ── Encode ──▶ tool result
//	     └────────────────────── the same bytes, for the echo ──────────┘
//
// Inside askbridge an answer is kept by question index, with labels, typed text
// and notes apart. Every form outside loses something (joined strings, header
// keys, text that replaces labels), so the damage is done last, here, one file
// for each host, with the source of its rules in the comment on top. What a
// form cannot carry is said in [Dialect.Note] and, for one answer, in
// [Result.Warnings].
//
// Decoding is liberal where it is harmless: a list sent as a JSON string,
// "true" in quotes, numbers as labels, an "Other" option at the end. Each such
// thing is listed as advice. What would change or lose an answer is refused,
// all of it in one error, worded as the host words it.
//
// A permission prompt becomes a request whose [ask.Operation] says exactly what an approval
// covers: everything that the host sent, except for members that are listed with a reason. The
// option that allows it shows all of that, and two operations never look alike.
//
// No end but answered ever looks like an answer: nothing is filled in.
//
// The package does no I/O, starts no goroutine, reads no clock and registers
// nothing: [All] is a list.
package dialect
