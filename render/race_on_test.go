//go:build race

package render_test

// underRace means that the race detector slows everything down.
const underRace = true
