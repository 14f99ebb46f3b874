//go:build !race

package render_test

// underRace tells that the race detector slows everything down.
const underRace = false
