//go:build packages

package packages

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/need"
)

// run runs a program in a folder and returns what it printed.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "SYSTEMD_LOG_LEVEL=warning", "TAP_TOKEN=none")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// root is the folder of the module, from where the tests run.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tool is a program of tools/release, which "make packages" builds.
func tool(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(root(t), ".tools", "release", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; \"make packages\" builds it", err)
	}
	return path
}

// clone is the committed state of the repository in a folder of its own, where a release may leave what it likes.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "askbridge")
	run(t, ".", need.Binary(t, "git"), "clone", "--quiet", "--no-hardlinks", root(t), dir)
	return dir
}

// onePlatform is the release configuration for this machine's platform alone: the others take minutes each.
func onePlatform(t *testing.T, dir string) string {
	t.Helper()
	text := read(t, filepath.Join(dir, ".goreleaser.yaml"))
	for old, now := range map[string]string{
		"goos: [linux, darwin, windows]": "goos: [linux]",
		"goarch: [amd64, arm64]":         "goarch: [" + runtime.GOARCH + "]",
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf(".goreleaser.yaml has not %q once", old)
		}
		text = strings.Replace(text, old, now, 1)
	}
	path := filepath.Join(t.TempDir(), "goreleaser.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// find returns the one file of a folder whose name ends so.
func find(t *testing.T, dir, end string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"+end))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d files *%s in %s: %v", len(all), end, dir, err)
	}
	return all[0]
}

// TestReleaseInstalls makes a snapshot, twice, and installs its package.
func TestReleaseInstalls(t *testing.T) {
	t.Parallel()
	first := clone(t)
	run(t, first, tool(t, "goreleaser"), "check", "--quiet")
	release := func(dir string) string {
		run(t, dir, tool(t, "goreleaser"), "release", "--config", onePlatform(t, dir), "--snapshot", "--clean", "--skip=publish,sign,sbom,docker,scoop")
		return filepath.Join(dir, "dist")
	}
	dist := release(first)
	t.Run("the archive holds the program, the licence, the manual and the completions", func(t *testing.T) {
		names := strings.Fields(run(t, dist, need.Binary(t, "tar"), "-tzf", find(t, dist, ".tar.gz")))
		for _, want := range []string{"askbridge", "LICENSE", "THIRD-PARTY-LICENSES.txt", "config.example.yaml", "man/askbridge.1", "completions/askbridge.bash"} {
			if !slices.Contains(names, want) {
				t.Errorf("no %s among %q", want, names)
			}
		}
	})
	t.Run("the package runs in its own root, and its unit is where systemd looks", func(t *testing.T) {
		place := t.TempDir()
		run(t, ".", need.Binary(t, "dpkg-deb"), "--extract", find(t, dist, ".deb"), place)
		if out := run(t, ".", filepath.Join(place, "usr/bin/askbridge"), "version"); !strings.HasPrefix(out, "askbridge ") {
			t.Errorf("output = %q", out)
		}
		for _, name := range []string{
			"usr/lib/systemd/system/askbridge.service", "usr/share/man/man1/askbridge-serve.1", "usr/share/doc/askbridge/copyright",
			"usr/share/bash-completion/completions/askbridge", "etc/askbridge/secrets",
		} {
			if _, err := os.Stat(filepath.Join(place, name)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("the same commit gives the same bytes", func(t *testing.T) {
		again := release(clone(t))
		for _, end := range []string{".tar.gz", ".deb", ".rpm"} {
			if one, other := digest(t, find(t, dist, end)), digest(t, find(t, again, end)); one != other {
				t.Errorf("*%s: %s, and then %s", end, one, other)
			}
		}
	})
}

func digest(t *testing.T, path string) string {
	t.Helper()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, path))))
}

// TestUnitIsValid asks systemd about the unit: that it can be loaded, and that little is left exposed.
func TestUnitIsValid(t *testing.T) {
	t.Parallel()
	analyze := need.Binary(t, "systemd-analyze")
	unit := read(t, filepath.Join(root(t), "deploy", "askbridge.service"))
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "askbridge.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "/usr/bin/askbridge", program)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(t, ".", analyze, "verify", "--man=no", file); strings.Contains(out, "askbridge.service") {
		t.Error(out)
	}
	run(t, ".", analyze, "security", "--offline=true", "--threshold=20", file)
}

// TestManualIsValid has every page read by mandoc.
func TestManualIsValid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "askbridge")
	run(t, root(t), "go", "build", "-trimpath", "-o", program, "./cmd/askbridge")
	run(t, root(t), "go", "run", "./scripts/manual", "-program", program, "-man", dir, "-completions", dir)
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		run(t, ".", need.Binary(t, "mandoc"), "-T", "lint", "-W", "warning,stop", page)
		if !bytes.Contains([]byte(read(t, page)), []byte("\n.SH SYNOPSIS\n")) {
			t.Errorf("%s has no synopsis", page)
		}
	}
}
