// Package need finds the programs a test cannot do without.
//
// A test that wants a real redis-server or a browser asks here. If the program
// is missing the test fails and says what to install; it is never skipped, so
// a green run means that every ring ran. "make setup" installs all of them.
package need

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// otherNames holds what else a program is called, tried in this order after
// its own name.
var otherNames = map[string][]string{
	"chromium": {"chromium-browser", "google-chrome", "google-chrome-stable"},
}

// Binary returns the path of the named program, looked up in PATH under every
// name it is known by. It fails the test at once when there is none.
func Binary(tb testing.TB, name string) string {
	tb.Helper()
	path, err := find(name, exec.LookPath)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// find is Binary without the test around it.
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
