//go:build race

package bridge_test

// underRace reports whether the race detector is on.
const underRace = true
