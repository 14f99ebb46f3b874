// Package ask is the domain model of askbridge: the questions an agent asks and the answers
// people give.
//
// A [Request] carries one to four questions ([Question]), each with two to four options
// ([Option]) or, for a text-only question, none. The caller's host or [Rules] can raise that to
// ten questions and 25 options. While people choose, a [Draft] holds the selection so far. The
// request ends in exactly one [Outcome]:
//
//	open ──┬── answered    a person decided; see Answers
//	       ├── cancelled   the agent withdrew it, or a person dismissed it
//	       ├── expired     the deadline passed
//	       ├── superseded  a newer request of the same session replaced it
//	       └── failed      it could not be shown
//
// All states but open are final, and only answered carries answers. An answer exists only
// because a person's action was recorded.
//
// The package imports only the standard library, does no I/O, starts no goroutines and never
// reads the clock.
package ask
