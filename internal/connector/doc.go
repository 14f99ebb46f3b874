// Package connector has what the connectors of all platforms share: answering interactions in time, verifying signed
// requests, making calls, and backoff. It depends on no platform.
package connector
