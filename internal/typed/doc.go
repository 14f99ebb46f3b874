// Package typed interprets text that people type in response to a card. It is the only place that
// decides which texts are answers and which are conversation.
//
//	"2"  "B"  "postgres"  "ja"  ──▶ Read ──▶ Reading{Picks: {0: {1}}}
//	"sure, but not now"         ──▶      ──▶ Unclear
//
// Three rules:
//
//   - A text matches completely or not at all. Prefixes, contained words and similar spellings
//     never match, so "don't allow" is not "allow" and "2 weeks" is not "2".
//   - A text counts only if it has exactly one interpretation. If a label is or contains another
//     option's number, or two labels differ only in case, nothing is guessed. A label takes
//     precedence over a word with a meaning, such as "skip".
//   - A text answers all questions or none. There are no partial answers.
//
// A strict request, such as a vote, accepts only complete labels after the request's code.
//
// The package is pure: no I/O and no clock, so all replicas agree.
package typed
