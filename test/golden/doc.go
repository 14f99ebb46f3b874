// Package golden compares output with a file that a person has reviewed and
// accepted.
//
//	golden.Check(t, "testdata/help.txt", out)            one file, one text
//
//	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
//		card := layout(c.Get("request.json"))            the input
//		c.Check("slack.json", card)                      the expected output
//	})
//
// "go test ./render -update" writes the files instead of comparing them. Review
// the difference like code. The flag is refused if CI is set. Only packages whose
// tests import this one have the flag, so name the package instead of "./..."; "make
// golden" names all of them.
package golden
