package listings

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/internal/strictjson"
)

// server has the members of server.json that this project uses.
// https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
type server struct {
	Schema      string `json:"$schema"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
	WebsiteURL  string `json:"websiteUrl"`
	Repository  struct {
		URL    string `json:"url"`
		Source string `json:"source"`
	} `json:"repository"`
	Packages []struct {
		RegistryType string `json:"registryType"`
		Identifier   string `json:"identifier"`
		RuntimeHint  string `json:"runtimeHint"`
		Transport    struct {
			Type string `json:"type"`
		} `json:"transport"`
		Arguments   []input `json:"packageArguments"`
		Environment []input `json:"environmentVariables"`
	} `json:"packages"`
}

// input is an argument or an environment variable.
type input struct {
	Type        string `json:"type"`
	Name        string `json:"name"`
	Value       string `json:"value"`
	Description string `json:"description"`
	Format      string `json:"format"`
	Placeholder string `json:"placeholder"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret"`
}

// TestServerJSON checks the rules of the registry, and that the image carries the name that proves who owns it.
// https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/official-registry-requirements.md
func TestServerJSON(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s server
	if err := strictjson.Decode(data, &s); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(s.Name) || len(s.Name) < 3 || len(s.Name) > 200 {
		t.Errorf("name %q", s.Name)
	}
	if n := len(s.Description); n < 1 || n > 100 {
		t.Errorf("the description has %d characters, allowed are 1 to 100", n)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(s.Version) {
		t.Errorf("version %q", s.Version)
	}
	for _, address := range []string{s.Schema, s.WebsiteURL, s.Repository.URL} {
		if u, err := url.Parse(address); err != nil || u.Scheme != "https" {
			t.Errorf("address %q", address)
		}
	}
	if len(s.Packages) != 1 {
		t.Fatalf("%d packages", len(s.Packages))
	}
	p := s.Packages[0]
	if p.RegistryType != "oci" || p.Transport.Type != "stdio" || p.Identifier != "ghcr.io/askbridge/askbridge:"+s.Version {
		t.Errorf("package %+v", p)
	}
	for _, file := range []string{"deploy/Dockerfile", "deploy/release.Dockerfile"} {
		if label := `io.modelcontextprotocol.server.name="` + s.Name + `"`; !strings.Contains(text(t, file), label) {
			t.Errorf("%s has no label %s", file, label)
		}
	}
}

// TestVersionsAgree compares the version in every listing.
func TestVersionsAgree(t *testing.T) {
	t.Parallel()
	want := readAction(t).Inputs["version"].Default
	for file, line := range map[string]string{
		"deploy/helm/askbridge/Chart.yaml": "version: " + want, "sdk/python/pyproject.toml": `version = "` + want + `"`, "CHANGELOG.md": "## " + want,
	} {
		if !strings.Contains(text(t, file), "\n"+line) {
			t.Errorf("%s has no line %q", file, line)
		}
	}
	for _, file := range []string{"server.json", "hosts/claude/plugin/.claude-plugin/plugin.json", "sdk/typescript/package.json"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Version string }
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		if v.Version != want {
			t.Errorf("%s has version %s, action.yml %s", file, v.Version, want)
		}
	}
}
