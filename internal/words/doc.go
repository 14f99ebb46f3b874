// Package words is the catalog of the texts that askbridge itself shows in chat, in each language.
//
//	Words{Submit: "Submit", HaveVoted: func(n int) string {…}}   ◀── English, German, Spanish
//	                     │
//	render, bridge, slack, discord: w := words.In(language)
//
// A language is a Go value of type [Words]. Variable parts are function parameters: the compiler checks that each
// language gets the same ones, vet checks that each one uses them, and plurals and word order are up to the language. A
// test fails if a language lacks a text.
//
// A parameter can be a [Slot], which the layout replaces by a name or a time. Agent text, names and numbers are
// parameters; every other text that people read is in this package. The language [Pseudo] puts brackets around the
// catalog's texts, so that tests find texts from elsewhere.
//
// The package is pure: no I/O, no clock.
package words
