// Package chatsim holds what our strict doubles of chat platforms have in common.
//
// A double is a whole small platform inside the process: it keeps state, refuses what the platform refuses with the
// platform's own error words, delivers what people do to the program under test, and shows what each person sees.
// Tests look at what a person sees, not at which calls were made.
//
// The words:
//
//	Sim        one double: a workspace, its people, its record of what happened
//	Seat       one person in front of one platform: Sees, Press, Pick, Fill, Submit, Dismiss, Await
//	Hand       a seat that goes on to where a control is, by whatever controls the program offers
//	Scene      what people do and must see, written once as a text file and played on any platform
//	Timeline   what happened, in order
//	Violation  a rule of the platform that the program broke; it fails the test unless it was expected
//	Fault      something that goes wrong on cue
//	Net        an in-memory network, so that a test can run inside a testing/synctest bubble
//
// Two kinds of "no" are kept apart. A refusal (not in channel, archived, rate limited) is the world saying no to a
// well-formed request: it stands in the timeline and nothing else happens. A violation (a label too long, a trigger used
// twice, no acknowledgement within three seconds) is a mistake in the program: it stands in the timeline, it is recorded,
// and a double started with a TB fails the test for it. What the platform would warn at (no fallback text, a live
// mention) is in the timeline as Warned, Pinged or Mentioned, for tests that care.
//
// A rule is added in the double's own table together with the platform's page that states it; COVERAGE.md is written
// from these tables, see Coverage.
package chatsim
