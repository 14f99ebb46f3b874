// Package doctortest helps to test the findings of askbridge doctor.
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

// Front is a handler in front of a double that adds what the double does not simulate.
type Front struct {
	http.Handler

	// Skew is how far ahead the server's clock is.
	Skew time.Duration
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", time.Now().Add(f.Skew).UTC().Format(http.TimeFormat))
	f.Handler.ServeHTTP(w, r)
}

// Serve serves until the test ends and returns the address.
func (f *Front) Serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// Calm returns a configuration without findings except those of its platforms.
func Calm(t *testing.T) *config.Config {
	t.Helper()
	return &config.Config{
		Listen: "127.0.0.1:0",
		Store:  config.Store{Type: config.StoreFile, Path: filepath.Join(t.TempDir(), "askbridge.db")},
		Agents: []config.Agent{{Name: "bot", Token: config.NewSecret("canary-0123456789-0123456789")}},
	}
}

// Examine runs the checks on a configuration. The report must not contain a secret; all secrets contain "canary".
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

// Finds requires a finding with this ID, state and text, and no finding that is worse.
func Finds(t *testing.T, r *doctor.Report, id string, s doctor.State, text string) {
	t.Helper()
	found := false
	for _, f := range r.Findings {
		if f.ID == id && f.State == s {
			found = found || strings.Contains(f.Found, text)
			if f.State == doctor.Broken && f.Do == "" && id != "settings" {
				t.Errorf("the finding has no remedy: %+v", f)
			}
			continue
		}
		if f.State == doctor.Broken || (s != doctor.Broken && f.State == doctor.Warn) {
			t.Errorf("unexpected finding next to %s: %+v", id, f)
		}
	}
	if !found {
		t.Errorf("no %s of %s with %q in %+v", s, id, text, r.Findings)
	}
}

// Explained requires docs/platforms/<name>.md to explain every finding ID in the sources of the test's folder. The
// sources must have at least some of them.
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
