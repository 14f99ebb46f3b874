// Package local is a store of one process, written once for every kind of table
// that can keep the rows.
package local
