// Package collector sets the pace of Go's garbage collector for a program that has little memory alive while it is busy, and
// much while thousands of callers wait. [Tune] is its one entrance; a program that does not call it is collected as any
// other. Why, and what it gains: docs/decisions/0017-a-pace-for-the-collector.md.
package collector
