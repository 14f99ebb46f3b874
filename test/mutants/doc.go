// Package mutants breaks the program on purpose, one promise at a time, and checks that the other tests
// notice.
//
// Each mutant takes one promise back: it skips the compare in a swap, acknowledges before it has
// recorded, posts without a nonce. The tests it names must fail with the text it names. A mutant that does
// not compile, or that no test notices, fails the suite.
//
// A mutant says what to break by symbols, not by a copy of the source:
//
//	broken("a click after the deadline counts").
//		in("bridge/record", "decide", never("catchUp")).
//		fails("bridge/record", "TestWhatAnActComesTo", `got "completed", want "late"`),
//
// In the method decide of Record, in the package bridge/record, the condition that mentions CatchUp is
// never true. So the mutant still fits when the method moves to another file of its package, when its
// layout changes, and when its other statements change. An operator must find exactly one place: add
// symbols until it does. A symbol is a name, a literal, an operator or a short sequence of tokens. Prefer
// names of methods, fields and functions to those of local variables. Files that are not Go are broken by
// text, as little of it as identifies the place.
//
// TestEveryMutantFitsTheCode runs with all other tests. It checks in seconds that each mutant finds its
// place and compiles.
//
//	make mutants
//	make mutants PART=2/3
package mutants
