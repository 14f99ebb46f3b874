// Package mutants breaks the program on purpose, one promise at a time, and
// holds the other tests to noticing.
//
// Each mutant is a small change of one production file that takes one promise
// back: it skips the compare in a swap, acknowledges before it has recorded,
// posts without a nonce. The tests named beside it have to fail because of it,
// and in the words written there; a mutant that does not compile, or that lives,
// fails the suite. The ordinary tests check that each mutant fits the sources and
// compiles.
//
//	make mutants
//	make mutants PART=2/3
package mutants
