// Package watch tells the watchers of one process of changes.
package watch
