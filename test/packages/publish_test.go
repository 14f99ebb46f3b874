//go:build packages

package packages

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/askbridge/askbridge/test/need"
)

// TestChartPacks packs the chart with the versions of a release, as the release workflow does.
func TestChartPacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, root(t), tool(t, "helm"), "package", "deploy/helm/askbridge", "--version", "0.1.0", "--app-version", "0.1.0", "--destination", dir)
	find(t, dir, "askbridge-0.1.0.tgz")
}

// TestSDKPacks lists what npm would publish. Provenance needs the repository.
func TestSDKPacks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root(t), "sdk", "typescript")
	var packed []struct {
		Name, Version string
		Files         []struct{ Path string }
	}
	out := run(t, dir, need.Binary(t, "npm"), "pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error")
	if err := json.Unmarshal([]byte(out), &packed); err != nil || len(packed) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	for _, file := range packed[0].Files {
		names = append(names, file.Path)
	}
	if packed[0].Name != "@askbridge/sdk" || !slices.Contains(names, "README.md") || !slices.Contains(names, "package.json") || slices.Contains(names, "package-lock.json") {
		t.Errorf("npm packs %+v", packed[0])
	}
	var manifest struct {
		Repository struct{ URL, Directory string }
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "package.json"))), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Repository.URL != "git+https://github.com/askbridge/askbridge.git" || manifest.Repository.Directory != "sdk/typescript" {
		t.Errorf("repository %+v", manifest.Repository)
	}
}
