// Package memory remembers requests in this process alone: for tests and for trying
// things out. It keeps what the stores in a file and in Redis keep, encoded
// records, so that whatever would not survive them does not survive the quickest
// tests either.
package memory
