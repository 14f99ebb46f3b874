// Package chatsim contains the shared parts of the strict chat platform doubles.
//
// A double is a small in-process chat platform: it keeps state, rejects what the platform
// rejects with the platform's own error codes, delivers people's interactions to the program
// under test, and shows what each person sees. Tests assert what a person sees, not which calls
// were made.
//
// The terms:
//
//	Sim        one double: a workspace, its people, its record of what happened
//	Seat       one person using one platform: Sees, Press, Pick, Fill, Submit, Dismiss, Await
//	Hand       a seat that navigates to a control, through forms and pages
//	Scene      what people do and must see, written once as a text file and played on any platform
//	Timeline   what happened, in order
//	Violation  a rule of the platform that the program broke; it fails the test unless it was expected
//	Fault      an injected failure
//	Net        an in-memory network, so that a test can run inside a testing/synctest bubble
//
// There are two kinds of errors. A refusal (not in channel, archived, rate limited) is a normal
// error response to a well-formed request: it appears only in the timeline. A violation (a
// label too long, a trigger used twice, no acknowledgement within three seconds) is a bug in
// the program: it appears in the timeline and the ledger, and a double started with a TB fails
// the test. Content that only deserves a warning (no fallback text, a live mention) appears in
// the timeline as Warned, Pinged or Mentioned, for tests that check it.
//
// To add a rule, add it to the double's table with the platform's documentation page;
// COVERAGE.md is generated from these tables, see Coverage.
package chatsim
