// Package mutants breaks the program on purpose, one promise at a time, and checks that the other tests
// notice.
//
// Each mutant removes one promise: it skips the compare in a swap, acknowledges before it has
// stored the answer, or posts without a nonce. The tests it names must fail with the given text. A mutant
// that does not compile, or that no test notices, fails the suite.
//
// A mutant identifies its place by symbols, not by a copy of the source:
//
//	broken("a click after the deadline counts").
//		in("bridge/record", "decide", never("catchUp")).
//		fails("bridge/record", "TestJudge", `got "completed", want "late"`),
//
// In the method decide of Record, in the package bridge/record, the condition that mentions CatchUp is
// never true. The mutant still fits when the method moves to another file of its package, when its
// layout changes, and when its other statements change. An operator must find exactly one place: add
// symbols until it does. A symbol is a name, a literal, an operator or a short sequence of tokens. Prefer
// names of methods, fields and functions to those of local variables. For files that are not Go, use the
// shortest text that identifies the place.
//
// TestEveryMutantFitsTheCode runs with all other tests. It checks within seconds that each mutant finds
// its place and compiles.
//
//	make mutants
//	make mutants PART=2/3
package mutants
