// Package local is a single-process store on any kind of table.
package local
