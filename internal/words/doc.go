// Package words is the catalogue: everything that askbridge itself says to people in chat,
// once, in each language that it speaks.
//
//	Words{Submit: "Submit", HaveVoted: func(n int) string {…}}   ◀── English, German, Spanish
//	                     │
//	render, bridge, slack, discord: w := words.In(language)
//
// A language is a Go value of one type. What varies is a function's parameter, so that
// the compiler sees that each language is given the same, vet sees that each says it, and a
// language puts plurals and the order of words as it likes. A test refuses a text that a
// language lacks.
//
// A parameter may stand for something live, such as somebody's name: then it is a [Slot],
// which the layout fills. Agent text, names and numbers are parameters; nothing else that
// people read stands outside this package. The language [Pseudo] brackets every text of
// ours, so that tests find those that do.
//
// The package is pure: no I/O, no clock.
package words
