package listings

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

const root = "../.."

// action is the part of action.yml that a runner uses.
// https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
type action struct {
	Name, Description, Author string

	Branding struct{ Icon, Color string }
	Inputs   map[string]struct {
		Description string
		Required    bool
		Default     string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, If, Shell, Run string

			Env map[string]string
		}
	}
}

// readAction reads action.yml and refuses members that a runner does not know.
func readAction(t *testing.T) action {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.UnmarshalWithOptions(data, &a, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return a
}

// bounded ends a step that waits for an answer that never comes.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// run runs the steps as a runner runs a composite action, and returns its outputs and the log. A failed step ends it.
func run(t *testing.T, inputs map[string]string, more ...string) (outputs map[string]string, log string, err error) {
	t.Helper()
	a := readAction(t)
	path, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"github.action_path": path, "github.action": "__askbridge_askbridge"}
	for name, in := range a.Inputs {
		value, given := inputs[name]
		if in.Required && !given {
			t.Fatalf("the input %s is missing", name)
		}
		if !given {
			value = in.Default
		}
		values["inputs."+name] = value
	}
	evaluate := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(found string) string {
			for name := range strings.SplitSeq(expression.FindStringSubmatch(found)[1], "||") {
				if value := values[strings.TrimSpace(name)]; value != "" {
					return value
				}
			}
			return ""
		})
	}
	dir := t.TempDir()
	for _, step := range a.Runs.Steps {
		if step.If == "inputs.program == ''" && values["inputs.program"] != "" {
			continue
		}
		file := filepath.Join(dir, "output")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		// GitHub runs "shell: bash" with these options.
		cmd := exec.CommandContext(bounded(t), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.WaitDelay = time.Second
		cmd.Env = append([]string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RUNNER_TEMP=" + dir, "GITHUB_OUTPUT=" + file, "GITHUB_SERVER_URL=https://github.com",
			"GITHUB_REPOSITORY=acme/shop", "GITHUB_RUN_ID=42", "GITHUB_RUN_NUMBER=7", "GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=deploy",
		}, more...)
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+evaluate(value))
		}
		out, err := cmd.CombinedOutput()
		log += string(out)
		for name, value := range parseOutputs(t, file) {
			values["steps."+step.ID+".outputs."+name] = value
		}
		if err != nil {
			return results(a, evaluate), log, err
		}
	}
	return results(a, evaluate), log, nil
}

func results(a action, evaluate func(string) string) map[string]string {
	all := map[string]string{}
	for name, out := range a.Outputs {
		all[name] = evaluate(out.Value)
	}
	return all
}

// parseOutputs reads "name=value" lines and "name<<end" blocks.
func parseOutputs(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok && !strings.Contains(name, "<<") {
			all[name] = value
			continue
		}
		name, end, ok := strings.Cut(lines.Text(), "<<")
		if !ok {
			t.Fatalf("no output: %q", lines.Text())
		}
		var value []string
		for lines.Scan() && lines.Text() != end {
			value = append(value, lines.Text())
		}
		all[name] = strings.Join(value, "\n")
	}
	return all
}

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "askbridge-listings")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "askbridge")
	out, err := exec.Command("go", "build", "-o", path, root+"/cmd/askbridge").CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("go build: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func built(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// world is a bridge at an address that programs can reach.
func world(t *testing.T) (*askbridgetest.World, string) {
	t.Helper()
	w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
	server := httptest.NewServer(&httputil.ReverseProxy{
		Transport: w.HTTP.Transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", strings.TrimPrefix(w.URL, "http://")
		},
	})
	t.Cleanup(server.Close)
	return w, server.URL
}

func TestAction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		press  string
		want   map[string]string
		fails  string
	}{
		{
			"an approval",
			map[string]string{"options": "Deploy\nWait\n", "require": "Deploy", "context": "4.2 passed staging."},
			"Deploy",
			map[string]string{"answer": "Deploy", "state": "answered", "by": "dana"},
			"",
		},
		{
			"another answer stops the workflow",
			map[string]string{"options": "Deploy\nWait", "require": "Deploy"},
			"Wait",
			map[string]string{"answer": "Wait", "state": "answered", "by": "dana"},
			"not one that lets the workflow go on",
		},
		{
			"an option that looks like an output",
			map[string]string{"options": "state<<x\nby=mallory"},
			"by=mallory",
			map[string]string{"answer": "by=mallory", "state": "answered", "by": "dana"},
			"",
		},
		{
			"an option that looks like a flag",
			map[string]string{"options": "--json\n$(exit 3)"},
			"$(exit 3)",
			map[string]string{"answer": "$(exit 3)", "state": "answered", "by": "dana"},
			"",
		},
		{
			"nobody answers",
			map[string]string{"options": "Deploy\nWait", "timeout": "1s", "expires-in": "10m"},
			"",
			map[string]string{"answer": "", "by": ""},
			"exit code 8",
		},
		{"bad input", map[string]string{"expires-in": "soon"}, "", map[string]string{"state": "", "request": ""}, "soon"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, url := world(t)
			inputs := map[string]string{"url": url, "program": built(t), "question": "Shall 4.2 go to production?", "route": "deploys"}
			maps.Copy(inputs, tt.inputs)
			pressed := make(chan error, 1)
			go func() {
				if tt.press == "" {
					pressed <- nil
					return
				}
				pressed <- (chatsim.Hand{Seat: w.Slack.Seat("U0000001")}).Use(bounded(t), tt.press)
			}()
			got, log, err := run(t, inputs)
			if err := <-pressed; err != nil {
				t.Fatal(err)
			}
			if (err != nil) != (tt.fails != "") || !strings.Contains(log, tt.fails) {
				t.Errorf("ended with %v and\n%s\nwant %q", err, log, tt.fails)
			}
			for name, want := range tt.want {
				if !strings.EqualFold(got[name], want) {
					t.Errorf("%s = %q, want %q", name, got[name], want)
				}
			}
		})
	}
}

func TestActionFindsItsQuestionAgain(t *testing.T) {
	t.Parallel()
	w, url := world(t)
	inputs := map[string]string{"url": url, "program": built(t), "question": "Deploy?", "options": "Yes\nNo", "timeout": "1s", "expires-in": "10m"}
	for range 2 {
		if _, log, err := run(t, inputs); err == nil {
			t.Fatalf("an answer that never came:\n%s", log)
		}
	}
	if n := strings.Count(w.Slack.Seat("U0000001").Sees(), "Deploy?"); n != 1 {
		t.Errorf("%d cards for one step", n)
	}
}

// release serves a release whose program prints its arguments.
func release(t *testing.T, sum func([]byte) string) string {
	t.Helper()
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	files := tar.NewWriter(packed)
	script := "#!/bin/sh\necho '{\"state\": \"answered\", \"id\": \"r1\"}'\n"
	err := errors.Join(files.WriteHeader(&tar.Header{Name: "askbridge", Mode: 0o755, Size: int64(len(script))}), func() error {
		_, err := files.Write([]byte(script))
		return err
	}(), files.Close(), packed.Close())
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("askbridge_0.1.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v0.1.0/"+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
	mux.HandleFunc("GET /v0.1.0/checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%s  %s\n", sum(archive.Bytes()), name)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestActionInstallsARelease(t *testing.T) {
	t.Parallel()
	right := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	for _, tt := range []struct {
		name, version string
		sum           func([]byte) string
		want          string
	}{
		{"0.1.0", "0.1.0", right, ""},
		{"with a v", "v0.1.0", right, ""},
		{"other bytes", "0.1.0", func([]byte) string { return strings.Repeat("0", 64) }, "does not match"},
		{"no such release", "0.2.0", right, "404"},
		{"no version", "../../x", right, "is no version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, log, err := run(t, map[string]string{"url": "http://127.0.0.1", "question": "Deploy?", "version": tt.version}, "RELEASES="+release(t, tt.sum))
			if (err != nil) != (tt.want != "") || !strings.Contains(log, tt.want) || tt.want == "" && got["request"] != "r1" {
				t.Errorf("ended with %v, outputs %v and\n%s\nwant %q", err, got, log, tt.want)
			}
		})
	}
}
