// Package app is the whole program as a library: it opens the store, connects the platforms, makes the bridge and serves
// the ways in.
//
//	a, err := app.New(cfg, nil)     checks everything that can be checked without touching the world
//	err = a.Run(ctx)                serves until ctx ends, then shuts down in order
//
// One listener carries everything: POST /slack/interactions and /discord/interactions, which the platforms sign, and the
// HTTP API of package api. Without agent tokens the API is served on loopback only, and only under loopback names, so
// that neither a tunnel nor a page in a browser of this machine can reach it; anywhere else the program refuses to start.
//
// Shutting down takes the pieces apart in the order in which they lean on each other, in less than 25 seconds: callers
// that wait are sent away with a hint to come back, the HTTP server finishes the requests it has while the bridge still
// runs, then the bridge ends what it is doing, then the store closes. Nothing is lost: a request lives in the store, and
// whoever asks again with the same tool-call ID finds it there.
package app
