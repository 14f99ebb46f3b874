// Package app is the program as a library: it opens the store, connects the platforms, creates the
// bridge and serves the
// APIs.
//
//	a, err := app.New(cfg, nil)     validates everything without network access
//	err = a.Run(ctx)                serves until ctx ends, then shuts down in order
//
// One listener serves everything: POST /slack/interactions and /discord/interactions, which the
// platforms sign, and the
// HTTP API of package api. Without agent tokens the API is served only on loopback and under loopback
// names, so
// that neither a tunnel nor a web page can reach it; on other addresses the program refuses to start.
//
// A graceful shutdown takes less than 25 seconds: waiting callers get a hint to retry, the HTTP server
// completes its
// requests while the bridge still runs, then the bridge completes its deliveries, then the store
// closes. Nothing is lost:
// requests are in the store, and asking again with the same tool-call ID finds them.
package app
