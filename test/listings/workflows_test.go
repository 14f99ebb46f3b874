package listings

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow has the members of a workflow that this project uses.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
type workflow struct {
	Name        string            `yaml:"name"`
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency map[string]any    `yaml:"concurrency"`
	Jobs        map[string]job    `yaml:"jobs"`
}

type job struct {
	Needs       any               `yaml:"needs"`
	RunsOn      string            `yaml:"runs-on"`
	Uses        string            `yaml:"uses"`
	Environment string            `yaml:"environment"`
	Permissions map[string]string `yaml:"permissions"`
	Timeout     int               `yaml:"timeout-minutes"`
	Outputs     map[string]string `yaml:"outputs"`
	Container   map[string]string `yaml:"container"`
	Steps       []struct {
		ID      string            `yaml:"id"`
		Name    string            `yaml:"name"`
		Uses    string            `yaml:"uses"`
		With    map[string]any    `yaml:"with"`
		Run     string            `yaml:"run"`
		Env     map[string]string `yaml:"env"`
		Workdir string            `yaml:"working-directory"`
	} `yaml:"steps"`
}

var (
	// pinned is a reference to an action at a version.
	pinned = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+@v\d+(\.\d+){0,2}$`)
	// makeTarget is a step that runs a target of the Makefile.
	makeTarget = regexp.MustCompile(`^make ([\w./-]+)$`)
	// secret is the name of a secret in an expression.
	secret = regexp.MustCompile(`secrets\.(\w+)`)
	// untrusted matches an expression, whose value a stranger may choose.
	untrusted = regexp.MustCompile(`\$\{\{`)
)

// TestWorkflows checks the syntax of the workflows and what keeps a release safe: pinned actions, few permissions, no
// expression inside a script.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	makefile := text(t, "Makefile")
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var w workflow
			if err := yaml.UnmarshalWithOptions(data, &w, yaml.Strict()); err != nil {
				t.Fatal(err)
			}
			if w.Name == "" || len(w.On) == 0 || len(w.Jobs) == 0 {
				t.Errorf("name %q, %d triggers, %d jobs", w.Name, len(w.On), len(w.Jobs))
			}
			for scope, access := range w.Permissions {
				if access != "read" {
					t.Errorf("every job has %s: %s", scope, access)
				}
			}
			for id, j := range w.Jobs {
				for _, problem := range j.problems(w, makefile) {
					t.Errorf("%s: %s", id, problem)
				}
			}
		})
	}
}

// problems lists what is wrong with a job.
func (j job) problems(w workflow, makefile string) (all []string) {
	complain := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, other := range needs(j.Needs) {
		if _, ok := w.Jobs[other]; !ok {
			complain("needs the job %q, which does not exist", other)
		}
	}
	if j.Uses != "" {
		if _, err := os.Stat(filepath.Join(root, j.Uses)); err != nil || len(j.Steps) > 0 {
			complain("uses %s: %v, with %d steps", j.Uses, err, len(j.Steps))
		}
		return all
	}
	if j.Timeout == 0 || !strings.HasPrefix(j.RunsOn, "ubuntu-") || strings.HasSuffix(j.RunsOn, "latest") {
		complain("runs on %q with timeout %d", j.RunsOn, j.Timeout)
	}
	if len(w.Permissions) == 0 && len(j.Permissions) == 0 {
		complain("has no permissions of its own")
	}
	for n, s := range j.Steps {
		switch {
		case (s.Uses == "") == (s.Run == ""):
			complain("step %d needs either uses or run", n)
		case s.Uses != "" && !pinned.MatchString(s.Uses):
			complain("%s is not pinned to a version", s.Uses)
		case strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false:
			complain("checkout keeps its token for later steps")
		case untrusted.MatchString(s.Run):
			complain("step %d has an expression in a script: pass it in env", n)
		}
		if m := makeTarget.FindStringSubmatch(s.Run); m != nil && !strings.Contains(strings.ReplaceAll(makefile, "$(RELEASE)", ".tools/release"), "\n"+m[1]+":") {
			complain("the Makefile has no target %s", m[1])
		}
		if strings.HasPrefix(s.Run, ".ci/") {
			if info, err := os.Stat(filepath.Join(root, s.Run)); err != nil || info.Mode()&0o100 == 0 {
				complain("%s cannot be run: %v", s.Run, err)
			}
		}
	}
	return all
}

// needs returns the names in "needs", which may be one or a list.
func needs(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, name := range v {
			all = append(all, fmt.Sprint(name))
		}
		return all
	}
	return nil
}

// TestReleasePublishesWhatTheREADMEPromises compares the table of the README with the workflow and goreleaser's file.
func TestReleasePublishesWhatTheREADMEPromises(t *testing.T) {
	t.Parallel()
	readme, release, goreleaser := text(t, "README.md"), text(t, ".github/workflows/release.yml"), text(t, ".goreleaser.yaml")
	for _, tt := range []struct{ promise, file, how string }{
		{"`.deb` and `.rpm`", goreleaser, "formats: [deb, rpm]"},
		{"checksums, signature and SBOM", goreleaser, "artifacts: checksum"},
		{"checksums, signature and SBOM", goreleaser, "sboms:"},
		{"`brew install --cask askbridge/tap/askbridge`", goreleaser, "name: homebrew-tap"},
		{"`askbridge/scoop-bucket`", goreleaser, "name: scoop-bucket"},
		{"`ghcr.io/askbridge/askbridge`", goreleaser, "images: [ghcr.io/askbridge/askbridge]"},
		{"`oci://ghcr.io/askbridge/charts/askbridge`", release, "oci://ghcr.io/askbridge/charts"},
		{"`@askbridge/sdk` on npm", release, "npm publish --provenance"},
		{"`askbridge` on PyPI", release, "pypa/gh-action-pypi-publish"},
	} {
		if !strings.Contains(readme, tt.promise) || !strings.Contains(tt.file, tt.how) {
			t.Errorf("the README has %q: %v; the release has %q: %v", tt.promise, strings.Contains(readme, tt.promise), tt.how, strings.Contains(tt.file, tt.how))
		}
	}
	var allowed []string
	for _, m := range secret.FindAllStringSubmatch(release, -1) {
		if allowed = append(allowed, m[1]); !slices.Contains([]string{"GITHUB_TOKEN", "TAP_TOKEN"}, m[1]) {
			t.Errorf("the release needs the secret %s, which its comment does not mention", m[1])
		}
	}
	if !slices.Contains(allowed, "TAP_TOKEN") || !strings.Contains(goreleaser, "{{ .Env.TAP_TOKEN }}") {
		t.Error("goreleaser gets no token for the taps")
	}
}

// form is an issue form. https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-issue-forms
type form struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Labels      []string `yaml:"labels"`
	Body        []struct {
		Type       string `yaml:"type"`
		ID         string `yaml:"id"`
		Attributes struct {
			Label       string   `yaml:"label"`
			Description string   `yaml:"description"`
			Render      string   `yaml:"render"`
			Multiple    bool     `yaml:"multiple"`
			Options     []string `yaml:"options"`
		} `yaml:"attributes"`
		Validations struct {
			Required bool `yaml:"required"`
		} `yaml:"validations"`
	} `yaml:"body"`
}

func TestIssueForms(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bug", "feature", "host"} {
		var f form
		if err := yaml.UnmarshalWithOptions([]byte(text(t, ".github/ISSUE_TEMPLATE/"+name+".yml")), &f, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		if f.Name == "" || f.Description == "" || len(f.Body) == 0 {
			t.Errorf("%s: %+v", name, f)
		}
		ids := map[string]bool{}
		for _, field := range f.Body {
			known := slices.Contains([]string{"input", "textarea", "dropdown"}, field.Type)
			if !known || field.ID == "" || ids[field.ID] || field.Attributes.Label == "" || (field.Type == "dropdown") != (len(field.Attributes.Options) > 0) {
				t.Errorf("%s: field %+v", name, field)
			}
			ids[field.ID] = true
		}
	}
	var config struct {
		Blank bool `yaml:"blank_issues_enabled"`
		Links []struct {
			Name  string `yaml:"name"`
			URL   string `yaml:"url"`
			About string `yaml:"about"`
		} `yaml:"contact_links"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(text(t, ".github/ISSUE_TEMPLATE/config.yml")), &config, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for _, link := range config.Links {
		file, ok := strings.CutPrefix(link.URL, "https://github.com/askbridge/askbridge/blob/main/")
		if _, err := os.Stat(filepath.Join(root, file)); !ok || err != nil || link.Name == "" || link.About == "" {
			t.Errorf("contact link %+v: %v", link, err)
		}
	}
}
