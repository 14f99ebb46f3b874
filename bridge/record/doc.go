// Package record holds the state of one request and every way in which it may
// change. It is the only place that decides: who may answer, what an act comes
// to, when a request ends, and what the outside world has to be told.
//
//	         ┌── Judge ─── a person's act
//	Record ──┼── CatchUp, Withdraw, Supersede ── a moment that has come, or the agent
//	         └── Conclude ─── what came of an attempt to deliver
//
// A transition is pure: it does no I/O, draws no chance and reads no clock. Times
// are passed in, and so is the chance that spreads retries. A store may run it as
// often as it likes on copies of the record, see [Transition].
package record
