// Package pager is a third platform, as small as one can be, for the tests that show what a platform takes: this folder,
// and a line in the list of package app. A pager shows a text and numbered choices, and its owner calls a number back.
package pager
