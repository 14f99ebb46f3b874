// Package ask holds the words of askbridge: what an agent asks and what a
// person answers.
//
// A [Request] carries one to four questions ([Question]), each with two to four
// options ([Option]), or none at all for a text-only question; where the caller's host or [Rules]
// say so, up to ten questions and up to 25 options.
// While people choose, a [Draft] keeps what is chosen so far. The request ends
// in exactly one [Outcome]:
//
//	open ──┬── answered    a person decided; Answers say what
//	       ├── cancelled   the agent withdrew it, or a person dismissed it
//	       ├── expired     the deadline passed
//	       ├── superseded  a newer request of the same session took its place
//	       └── failed      it could not be shown to anybody
//
// The end states absorb: nothing leaves them, and none but answered carries an
// answer. An answer exists only because a person's act was recorded.
//
// The package is a leaf: it imports the standard library alone, does no I/O,
// starts no goroutine and reads no clock.
package ask
