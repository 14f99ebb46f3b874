// Package memory stores requests in this process, for tests and for trying things out. It keeps encoded
// records, as the stores in a file and in Redis do, so that the fastest tests also find data that is not
// stored.
package memory
