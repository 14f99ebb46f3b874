// Package golden compares what code makes with a file that a person has read
// and accepted.
//
//	golden.Check(t, "testdata/help.txt", out)            one file, one text
//
//	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
//		card := layout(c.Get("request.json"))            what goes in
//		c.Check("slack.json", card)                      what must come out
//	})
//
// "go test ./render -update" writes the files instead of comparing them; the
// difference is then reviewed like code. The flag is refused when CI is set.
// Only packages whose tests import this one know the flag, so name the package
// rather than "./..."; "make golden" names all of them.
package golden
