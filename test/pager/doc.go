// Package pager is a minimal third platform for tests, which shows what a platform needs: this folder, and a line
// in the list of package app. A pager shows a text and numbered choices, and its owner calls a number back.
package pager
