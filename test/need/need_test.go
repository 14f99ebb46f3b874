package need

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBinaryFindsAProgramByItsOwnName(t *testing.T) {
	dir := programs(t, "redis-server")
	if got, want := Binary(t, "redis-server"), filepath.Join(dir, "redis-server"); got != want {
		t.Errorf("Binary = %q, want %q", got, want)
	}
}

func TestBinaryFindsChromiumUnderItsOtherNames(t *testing.T) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		t.Run(name, func(t *testing.T) {
			dir := programs(t, name)
			if got, want := Binary(t, "chromium"), filepath.Join(dir, name); got != want {
				t.Errorf("Binary = %q, want %q", got, want)
			}
		})
	}
}

func TestBinaryPrefersTheFirstName(t *testing.T) {
	dir := programs(t, "google-chrome", "chromium")
	if got, want := Binary(t, "chromium"), filepath.Join(dir, "chromium"); got != want {
		t.Errorf("Binary = %q, want %q", got, want)
	}
}

func TestBinaryFailureNamesPackage(t *testing.T) {
	programs(t)
	fake := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		Binary(fake, "redis-server")
	}()
	<-done

	if fake.skipped {
		t.Error("the test was skipped; a missing program must fail it")
	}
	for _, want := range []string{"redis-server", "make setup", "apt-get install redis-server"} {
		if !strings.Contains(fake.fatal, want) {
			t.Errorf("message %q does not mention %q", fake.fatal, want)
		}
	}
}

// programs makes a PATH that holds only the named programs.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

// recorder is a test that notes how it was ended instead of ending.
type recorder struct {
	testing.TB

	fatal   string
	skipped bool
}

func (r *recorder) Helper() {}

func (r *recorder) Fatal(args ...any) {
	r.fatal = args[0].(error).Error()
	panic("fatal")
}

func (r *recorder) SkipNow() {
	r.skipped = true
	panic("skipped")
}
