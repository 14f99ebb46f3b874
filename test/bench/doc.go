// Package bench measures how fast and how small askbridge is, beside a floor
// program that does only what no bridge could leave out.
//
// Floor and product run as processes of their own, on a Redis each, and are
// driven in turn by this process, which plays agent, platform and person: what
// counts is the ratio of the two in one run, since absolute times say more about
// the machine. Nothing here fails because of a time; a figure that misses its
// limit is reported as missed.
//
//	make bench                      measures everything and writes docs/performance.md
//	go test -bench . ./test/bench   the same scenarios as benchmarks
//
// A scenario is a method of [Suite] and returns [Figure]s.
package bench
