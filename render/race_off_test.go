//go:build !race

package render_test

// underRace reports whether the race detector is on.
const underRace = false
