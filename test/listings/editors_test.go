package listings

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// text returns a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestInstallLinks decodes the links that add the MCP server to an editor. Both lead to the simulator's address, where a
// question can be asked at once.
//
// https://cursor.com/docs/mcp/install-links
// https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url
func TestInstallLinks(t *testing.T) {
	t.Parallel()
	type config struct {
		Type, URL string
	}
	found := map[string]config{}
	for _, link := range regexp.MustCompile(`\((https://[^)]*install[^)]*\?name=[^)]*)\)`).FindAllStringSubmatch(text(t, "README.md"), -1) {
		u, err := url.Parse(link[1])
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(u.Query().Get("config"))
		if u.Host == "cursor.com" {
			if data, err = base64.StdEncoding.DecodeString(string(data)); err != nil {
				t.Fatal(err)
			}
		}
		var c config
		if err := json.Unmarshal(data, &c); err != nil || u.Query().Get("name") != "askbridge" {
			t.Errorf("%s: %s: %v", link[1], data, err)
		}
		found[u.Host+u.Path] = c
	}
	const address = "http://127.0.0.1:8080/mcp"
	for where, want := range map[string]config{
		"cursor.com/en/install-mcp":                {URL: address},
		"insiders.vscode.dev/redirect/mcp/install": {Type: "http", URL: address},
	} {
		if found[where] != want {
			t.Errorf("%s installs %+v, want %+v", where, found[where], want)
		}
	}
}

// TestArtifactHub checks the annotations of the chart. https://artifacthub.io/docs/topics/annotations/helm
func TestArtifactHub(t *testing.T) {
	t.Parallel()
	var chart struct {
		APIVersion  string              `yaml:"apiVersion"`
		Name        string              `yaml:"name"`
		Description string              `yaml:"description"`
		Type        string              `yaml:"type"`
		Version     string              `yaml:"version"`
		AppVersion  string              `yaml:"appVersion"`
		KubeVersion string              `yaml:"kubeVersion"`
		Home        string              `yaml:"home"`
		Sources     []string            `yaml:"sources"`
		Keywords    []string            `yaml:"keywords"`
		Maintainers []map[string]string `yaml:"maintainers"`
		Annotations map[string]string   `yaml:"annotations"`
	}
	strict := func(data string, into any) {
		t.Helper()
		if err := yaml.UnmarshalWithOptions([]byte(data), into, yaml.Strict()); err != nil {
			t.Error(err)
		}
	}
	strict(text(t, "deploy/helm/askbridge/Chart.yaml"), &chart)
	const prefix = "artifacthub.io/"
	for name := range chart.Annotations {
		if !slices.Contains([]string{"category", "license", "images", "links", "changes"}, strings.TrimPrefix(name, prefix)) {
			t.Errorf("unknown annotation %s", name)
		}
	}
	categories := []string{"ai-machine-learning", "database", "integration-delivery", "monitoring-logging", "networking", "security", "storage", "streaming-messaging"}
	if c := chart.Annotations[prefix+"category"]; !slices.Contains(categories, c) {
		t.Errorf("category %q", c)
	}
	if l := chart.Annotations[prefix+"license"]; l != "Apache-2.0" {
		t.Errorf("license %q", l)
	}
	var images []struct {
		Name      string   `yaml:"name"`
		Image     string   `yaml:"image"`
		Platforms []string `yaml:"platforms"`
	}
	strict(chart.Annotations[prefix+"images"], &images)
	if len(images) != 1 || images[0].Image != "ghcr.io/askbridge/askbridge:"+chart.AppVersion || chart.AppVersion != chart.Version {
		t.Errorf("images %+v of version %s, chart %s", images, chart.AppVersion, chart.Version)
	}
	var links []struct {
		Name string `yaml:"name"`
		URL  string `yaml:"url"`
	}
	strict(chart.Annotations[prefix+"links"], &links)
	for _, link := range links {
		file, ok := strings.CutPrefix(link.URL, "https://github.com/askbridge/askbridge/blob/main/")
		file, _, _ = strings.Cut(file, "#")
		if _, err := os.Stat(filepath.Join(root, file)); !ok || err != nil || link.Name == "" {
			t.Errorf("link %+v: %v", link, err)
		}
	}
	var changes []struct {
		Kind        string `yaml:"kind"`
		Description string `yaml:"description"`
	}
	strict(chart.Annotations[prefix+"changes"], &changes)
	for _, change := range changes {
		if !slices.Contains([]string{"added", "changed", "deprecated", "removed", "fixed", "security"}, change.Kind) || change.Description == "" {
			t.Errorf("change %+v", change)
		}
	}
	if len(links) == 0 || len(changes) == 0 {
		t.Errorf("%d links, %d changes", len(links), len(changes))
	}
}
