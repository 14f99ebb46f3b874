package main

import (
	"fmt"
	"strconv"
	"strings"
)

// sessionTest is a test that plays a scene again, for the page's "Copy as test".
func (w *fixture) sessionTest(scene string) string {
	options := "nil"
	if len(w.doubles) == 1 {
		options = fmt.Sprintf("&askbridgetest.Options{Platforms: []string{%q}}", w.doubles[0].Platform())
	}
	return fmt.Sprintf(`package yours_test

import (
	"testing"

	"github.com/askbridge/askbridge/askbridgetest"
)

// What happened on the page of askbridge sim.
func TestSession(t *testing.T) {
	t.Parallel()
	askbridgetest.Play(t, %s, %s)
}
`, options, goText(scene))
}

// goText is a text as a Go program holds it, as it is where that can be done.
func goText(text string) string {
	if strings.ContainsAny(text, "\r\x00\ufeff") {
		return strconv.Quote(text)
	}
	return "`" + strings.ReplaceAll(text, "`", "` + \"`\" + `") + "`"
}
