// Package file stores requests in one file on this machine, the default for a single bridge. It uses
// bbolt.
//
// Completed writes are on the disk, and a swap is atomic. A truncated file is rejected.
//
// The tenant index is newer than the others. If an older version of this program has changed the file,
// which the number of its last transaction shows, the index is rebuilt when the file is opened.
package file
