// Package watch notifies the watchers of one process of changes.
package watch
