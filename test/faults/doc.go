// Package faults breaks the whole program on purpose: "askbridge serve" as real
// processes, a real Redis (one server, three Sentinels, six nodes of a Cluster),
// strict doubles of Slack and Discord, and between all of them wires that lose,
// delay and cut what passes.
//
// A [World] is one such set-up. Its replicas are killed with kill -9, paused,
// or told to end; a [Wire] shows each message that passes to a hook, which may
// kill the process just then. That way a crash is placed between any two
// messages and not hoped for.
//
// The table of faults is in rows_test.go: each row lists what the person sees,
// what the agent sees and what is kept, and its test must assert all three. The
// [World] checks the metrics and the audit trail: see [Shown].
// docs/reliability.md and docs/reference/faults.md are generated from it:
//
//	go test -tags faults -run TestPages ./test/faults -update
//
// Nothing here links into a program.
package faults
