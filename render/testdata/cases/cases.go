// Package cases carries the golden cards inside a program, for the gallery of the simulator.
package cases

import "embed"

// Files are the golden cards, one txtar archive each.
//
//go:embed *.txtar
var Files embed.FS

// Names are what people, roles and channels of the cards are called, by the ids that a platform would look up.
var Names = map[string]string{
	"U0000001": "Ana", "U0000002": "Ben", "U0000003": "Cleo", "U0000004": "Dev", "U0000005": "Eli", "U0000006": "Fay",
	"300000000000000001": "Ana", "300000000000000002": "Ben", "300000000000000003": "Cleo", "80351110224678912": "Ana",
	"400000000000000001": "deployers", "S1": "deployers", "S0000001": "deployers", "100000000000000001": "Gus", "C1": "deploys", "200000000000000001": "deploys",
}
