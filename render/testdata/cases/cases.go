// Package cases carries the golden cards inside a program, for the gallery of the simulator.
package cases

import "embed"

// Files are the golden cards, one txtar archive each.
//
//go:embed *.txtar
var Files embed.FS
