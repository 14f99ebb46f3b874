// Package faults injects faults into the whole program: "askbridge serve" as real
// processes, a real Redis (one server, three Sentinels, six nodes of a Cluster),
// strict doubles of Slack and Discord, and wires between all of them that drop
// and delay messages and cut connections.
//
// A [World] is one such setup. Tests kill its replicas with SIGKILL, pause or
// terminate them. A [Wire] shows each message to a hook, which can kill the process
// at that moment, so a test can place a crash between any two messages.
//
// The table of faults is in rows_test.go: each row lists what the person sees,
// what the agent sees and what is stored, and its test must assert all three. The
// [World] checks the metrics and the audit trail: see [Shown].
// docs/reliability.md and docs/reference/faults.md are generated from the table:
//
//	go test -tags faults -run TestPages ./test/faults -update
//
// Nothing here links into a program.
package faults
