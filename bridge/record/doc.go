// Package record holds the state of one request and every way it may change. It is the only place that
// decides who may answer, what an act amounts to, when a request ends, and what has to be delivered.
//
//	         ┌── Judge ──────────────────── a person acts
//	Record ──┼── Tick, Withdraw, Supersede ─ time passes, or the agent acts
//	         └── ApplyReport ────────────── a delivery attempt has finished
//
// A [Record] is data. Its parts are values with their own rules and know nothing of the record: [Voting] with
// its ballots, [Schedule] with claims and passes, [Held], [Copies] and [Trail]. The methods of a Record are its
// transitions and the reads that most callers need; the other reads are functions that take one.
//
// A transition is pure: it does no I/O, draws no random numbers and reads no clock. The caller passes the time,
// and the random number that spreads retries. A store may run a transition several times on copies of the
// record, see [Transition].
package record
