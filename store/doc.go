// Package store remembers requests for the bridge: in memory, in a file, or in
// Redis.
package store
