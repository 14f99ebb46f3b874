// Package ratelimit decides when a call to a platform may be made.
//
//   - [Queue] schedules new cards by the rate limits that a platform declares, which is
//     the engine's backpressure: a burst waits here instead of drawing rate limits.
//   - [Breaker] is a circuit breaker per place and tenant, with a failure budget per
//     tenant, so that a refusal stops no more calls than it concerns.
//   - [Connection] stops all calls while a platform refuses our credentials, and
//     [Prober] checks them until they are accepted.
package ratelimit
