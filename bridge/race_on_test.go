//go:build race

package bridge_test

// underRace tells that the race detector slows everything down.
const underRace = true
