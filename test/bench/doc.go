// Package bench measures the speed and memory of askbridge, compared with a floor
// program that does only what every bridge must do.
//
// Floor and product are separate processes, each with its own Redis. This process
// drives them in turn and plays agent, platform and person. The ratio of the two in
// one run counts, because absolute times depend on the machine. No test fails
// because of a time; a figure beyond its limit is reported as missed.
//
//	make bench                      measures everything and writes docs/performance.md
//	go test -bench . ./test/bench   the same scenarios as benchmarks
//
// A scenario is a method of [Suite] and returns [Figure]s.
package bench
