// Package need finds programs that a test requires.
//
// A test that needs redis-server or a browser asks this package. If the program is missing, the test fails with
// instructions to install it and is never skipped, so a green run means that every test ran. "make setup" installs
// all programs.
package need

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// otherNames maps a program to alternative names, tried in this order after its own.
var otherNames = map[string][]string{
	"chromium": {"chromium-browser", "google-chrome", "google-chrome-stable"},
}

// Binary returns the path of a program, searched in PATH under all its names. It fails the test if there is none.
func Binary(tb testing.TB, name string) string {
	tb.Helper()
	path, err := find(name, exec.LookPath)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// find is Binary without a test.
func find(name string, look func(string) (string, error)) (string, error) {
	names := slices.Concat([]string{name}, otherNames[name])
	for _, n := range names {
		if path, err := look(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf(
		"need: this test runs the program %s (looked for %s in PATH) and is never skipped: install it with \"make setup\", or on Debian and Ubuntu with \"apt-get install %s\"",
		name, strings.Join(names, ", "), name)
}
