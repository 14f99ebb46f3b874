// Package connlimit limits the connections of an HTTP server so that callers it cannot verify never crowd out the others.
//
// Every connection starts out unverified. The first request with a valid token or a platform's signature makes it verified
// for the rest of its life (see [Verified]); health checks and wrong tokens do not.
//
//	accept ──> silent <──> asking          unverified: at most 10 s without a request,
//	              └───────────┴──> verified            at most 30 s in one
//
// When the unverified connections exceed their share, or all connections the limit, the one that has been silent for the longest
// time is closed, then the one that has been asking for the longest time. A verified connection is closed only between
// two requests, and only when no unverified one is left. A new connection therefore finds a place without waiting for anyone else.
// It is safe for a moment itself, so that a burst of honest callers is not closed before they could send their requests.
//
// Calls that wait for hours ask [MayWait] first, which keeps some connections free for health checks and platform callbacks.
//
// The table lives on what the server reports about its connections. It has no goroutine per connection.
package connlimit
