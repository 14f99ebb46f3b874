// Package typed reads what people type in answer to a card. It is the one place that
// says which texts are an answer and which are talk.
//
//	"2"  "B"  "postgres"  "ja"  ──▶ Read ──▶ Reading{Picks: {0: {1}}}
//	"sure, but not now"         ──▶      ──▶ Unclear
//
// Three rules carry it:
//
//   - A text counts as a whole or not at all. No beginning, contained word or close
//     spelling ever matches, so "don't allow" is no "allow" and "2 weeks" no "2".
//   - A text counts if it can be read in exactly one way. Where a label is another
//     option's number or has it, or two labels differ in nothing but case, nothing is guessed.
//     Words that mean something, such as "skip", give way to a label of the same letters.
//   - A text answers everything that is asked or nothing. There is no half of an
//     answer that waits for the rest.
//
// A strict request, such as a vote, takes whole labels alone, and those only behind
// the request's code.
//
// The package is pure: no I/O, no clock, the same on every replica.
package typed
