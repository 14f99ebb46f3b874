// Package ratelimit has the parts that rate limits of connectors, callers and the engine share: a token bucket that
// returns its Retry-After, a rest after refused credentials, and a count within a window of time.
package ratelimit
