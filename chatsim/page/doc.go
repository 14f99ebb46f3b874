// Package page is a web page that shows doubles of Slack and Discord side by side, live, as a
// person sees them, and lets the visitor act as any of their people. Someone with the same name
// on both platforms is shown on both at once. It is for a developer's own machine: try an agent
// without a workspace, a token or a colleague.
//
//	browser  -- GET /api/events -->  Handler  -- Snapshot, Watch -->  Chat  -- reads -->  double
//	         -- POST /api/act ---->           -- Act ------------->         -- Seat -->  signed payload to the program
//	         -- POST /agent/… ----------------- Agent.API ----------------------------->  the program's own API
//
// Every action on the page goes through a seat of the double, so it reaches the program under
// test on the same signed path as on the real platform. The page also has tools: what agents
// asked and received, with a form to ask from (Agent, Traffic); a timeline; an inspector for a
// message's JSON, payloads, calls, timing and violations; and fault injection (faults of the
// platforms, Controls of the host). The session can be exported as a scene and as a test that
// plays it (session.go).
//
// The browser keeps no state worth saving. Each event stream starts with the full state and
// continues with changes, so a page recovers as soon as it reconnects. A background page gives
// up its stream because browsers allow six connections per host; for the same reason a page
// makes one blocking agent request at a time.
//
// Security: only loopback host names are served (no DNS rebinding), cross-site requests are
// rejected, and the Content-Security-Policy allows only the files of this package. Agents'
// texts become text nodes, never markup; their images are not fetched. There is no login:
// listen only on loopback.
package page
