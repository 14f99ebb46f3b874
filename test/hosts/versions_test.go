package hosts

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

// pin is the version of a package that a host is installed from.
type pin struct{ pkg, version, newest string }

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name,omitempty"`
	Private      bool              `json:"private,omitempty"`
	Version      string            `json:"version,omitempty"`
	Dependencies map[string]string `json:"dependencies,omitempty"`
}

// pins reads versions.txt: the packages of each host.
func pins() (map[string][]pin, error) {
	data, err := os.ReadFile("versions.txt")
	if err != nil {
		return nil, err
	}
	all := map[string][]pin{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			all[f[0]] = append(all[f[0]], pin{f[1], f[2], f[3]})
		}
	}
	return all, nil
}

// manifestOf returns the package.json of a host, with the pinned or the newest versions.
func manifestOf(host string, pins []pin, newest bool) []byte {
	m := manifest{Name: "askbridge-hosts-" + host, Private: true, Dependencies: map[string]string{}}
	for _, p := range pins {
		m.Dependencies[p.pkg] = p.version
		if newest && p.newest != "-" {
			m.Dependencies[p.pkg] = p.newest
		}
	}
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	w.SetIndent("", "  ")
	if err := w.Encode(m); err != nil {
		panic("hosts: a manifest can be written: " + err.Error())
	}
	return out.Bytes()
}

func TestInstalledVersions(t *testing.T) {
	t.Parallel()
	all, err := pins()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("npm")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if all[folder.Name()] == nil {
			t.Errorf("versions.txt has no package of npm/%s", folder.Name())
		}
	}
	for host, pins := range all {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join("npm", host)
			golden.Check(t, filepath.Join(folder, "package.json"), manifestOf(host, pins, false))
			if golden.Updating(t) {
				cmd := exec.CommandContext(t.Context(), "npm", "install", "--package-lock-only", "--no-audit", "--no-fund")
				cmd.Dir = folder
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("npm install: %v\n%s", err, out)
				}
			}
			var lock struct {
				Packages map[string]manifest `json:"packages"`
			}
			data, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
			if err == nil {
				err = json.Unmarshal(data, &lock)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, p := range pins {
				want[p.pkg] = p.version
			}
			if got := lock.Packages[""].Dependencies; !maps.Equal(got, want) {
				t.Errorf("package-lock.json is of %v, want %v; run this test with -update", got, want)
			}
		})
	}
}
