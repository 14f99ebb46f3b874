// Package codec encodes and decodes records and values, the same for every store, and applies a
// transition to a version of a record.
//
// The stored form of a record is JSON with short names. Each field is listed once, in record.go, and
// the list both writes and reads it. Members written by newer builds are kept. Names are final.
package codec
