// Package page is a web page that shows doubles of Slack and Discord side by side the way a person sees them, live, and
// lets one act as any of their people; somebody who is on both by the same name sits in front of both at once. It is for
// a developer's own machine: try an agent without a workspace, a token or a colleague.
//
//	browser  -- GET /api/events -->  Handler  -- Snapshot, Watch -->  Chat  -- reads -->  double
//	         -- POST /api/act ---->           -- Act ------------->         -- Seat -->  signed payload to the program
//	         -- POST /agent/… ----------------- Agent.API ----------------------------->  the program's own API
//
// Whatever somebody does on the page goes through a seat of the double, so it reaches the program under test on the same
// signed path as on the real platform. Beside the chat stand the tools: what agents asked and got, with a box to ask from
// (Agent, Traffic); what happened, in plain words; what is behind a message: its JSON, the payloads, the calls and their
// timing, the rules that were broken; and what can be made to go wrong (faults of the platforms, Controls of the host).
// What was done so far can be had as a scene and as a test that plays it (session.go).
//
// The browser holds no state worth keeping. Each stream starts with all there is and goes on with what changes, so a
// page that lost its connection is right again as soon as it is back, and one in the background gives its own to those in
// sight: a browser holds six to a host. For the same reason one request of its box waits on a connection at a time.
//
// What is safe to rely on: only loopback names are answered (no DNS rebinding), requests that other sites cause are
// refused, and the Content-Security-Policy lets nothing in but the files of this package. Text of an agent becomes text
// nodes and never markup; its pictures are not fetched. There is no login: do not listen on anything but loopback.
package page
