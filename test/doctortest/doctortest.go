// Package doctortest helps to test what askbridge doctor finds.
package doctortest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
)

// Front stands before a double and does what the double leaves out.
type Front struct {
	http.Handler

	// Skew is how far ahead its clock is.
	Skew time.Duration
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", time.Now().Add(f.Skew).UTC().Format(http.TimeFormat))
	f.Handler.ServeHTTP(w, r)
}

// Serve serves it until the test ends and returns its address.
func (f *Front) Serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// Calm is a configuration about which there is nothing to say but for its platforms.
func Calm(t *testing.T) *config.Config {
	t.Helper()
	return &config.Config{
		Listen: "127.0.0.1:0",
		Store:  config.Store{Type: config.StoreFile, Path: filepath.Join(t.TempDir(), "askbridge.db")},
		Agents: []config.Agent{{Name: "bot", Token: config.NewSecret("canary-0123456789-0123456789")}},
	}
}

// Examine looks at a configuration. No report may hold a secret of it, all of which have "canary" in them.
func Examine(t *testing.T, cfg *config.Config, platforms ...doctor.Platform) *doctor.Report {
	t.Helper()
	r := doctor.Examine(t.Context(), cfg, &doctor.Options{Platforms: platforms})
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "canary") {
		t.Errorf("a secret is in the report:\n%s", &b)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 80 && !strings.Contains(line, "/") {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	return r
}

// Finds fails unless there is a finding with this ID and state that holds the text, and nothing worse.
func Finds(t *testing.T, r *doctor.Report, id string, s doctor.State, text string) {
	t.Helper()
	found := false
	for _, f := range r.Findings {
		if f.ID == id && f.State == s {
			found = found || strings.Contains(f.Found, text)
			if f.State == doctor.Broken && f.Do == "" && id != "settings" {
				t.Errorf("it does not say what to do: %+v", f)
			}
			continue
		}
		if f.State == doctor.Broken || (s != doctor.Broken && f.State == doctor.Warn) {
			t.Errorf("beside %s: %+v", id, f)
		}
	}
	if !found {
		t.Errorf("no %s of %s with %q in %+v", s, id, text, r.Findings)
	}
}

// Explained fails unless the platform's guide, docs/platforms/<name>.md, explains every finding that the sources in the
// test's folder can make, of which there are at least some.
func Explained(t *testing.T, name, guide string, some int) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`"(` + name + `/[a-z]+)"`)
	found := 0
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if !strings.Contains(guide, "| `"+id[1]+"` |") {
				t.Errorf("docs/platforms/%s.md does not explain %s", name, id[1])
			}
		}
	}
	if found < some {
		t.Errorf("only %d findings are named in the sources", found)
	}
}
