package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/checkout"
)

// write creates a file with its folders.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const onMain = "ref: refs/heads/main\n"

func remote(address string) string {
	return "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://github.com/else/where\n[remote \"origin\"]\n\turl = " + address + "\n\tfetch = +refs/heads/*\n"
}

func TestSource(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		origin, head string
		want         ask.Source
	}{
		"https":             {"https://github.com/acme/ledger.git", onMain, ask.Source{Title: "acme/ledger, main", URL: "https://github.com/acme/ledger/tree/main"}},
		"ssh":               {"ssh://git@github.com:22/acme/ledger", onMain, ask.Source{Title: "acme/ledger, main", URL: "https://github.com/acme/ledger/tree/main"}},
		"ssh, short":        {"git@gitlab.com:acme/tools/ledger.git", onMain, ask.Source{Title: "acme/tools/ledger, main", URL: "https://gitlab.com/acme/tools/ledger/-/tree/main"}},
		"credentials":       {"https://dana:s3cret@github.com/acme/ledger", onMain, ask.Source{Title: "acme/ledger, main", URL: "https://github.com/acme/ledger/tree/main"}},
		"another host":      {"https://git.acme.dev:8443/ledger.git", onMain, ask.Source{Title: "ledger, main", URL: "https://git.acme.dev:8443/ledger"}},
		"a branch in parts": {"https://github.com/acme/ledger", "ref: refs/heads/fix/#7\n", ask.Source{Title: "acme/ledger, fix/#7", URL: "https://github.com/acme/ledger/tree/fix/%237"}},
		"detached":          {"https://github.com/acme/ledger", "0a1b2c\n", ask.Source{Title: "acme/ledger", URL: "https://github.com/acme/ledger"}},
		"a long branch":     {"https://github.com/acme/ledger", "ref: refs/heads/" + strings.Repeat("a", 60), ask.Source{Title: "acme/ledger", URL: "https://github.com/acme/ledger"}},
		"an alias":          {"git@work:acme/ledger", onMain, ask.Source{}},
		"a folder":          {"/srv/git/ledger.git", onMain, ask.Source{}},
		"a file":            {"file:///srv/git/ledger.git", onMain, ask.Source{}},
		"plain http":        {"http://git.acme.dev/ledger", onMain, ask.Source{}},
		"a command":         {"ext::sh -c 'touch /tmp/x'", onMain, ask.Source{}},
		"none":              {"", onMain, ask.Source{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			write(t, filepath.Join(top, ".git", "HEAD"), tt.head)
			write(t, filepath.Join(top, ".git", "config"), remote(tt.origin))
			inside := filepath.Join(top, "cmd", "ledger")
			for _, folder := range []string{top, inside} {
				if got := checkout.Source(folder); got != tt.want {
					t.Errorf("Source(%s) = %+v, want %+v", folder, got, tt.want)
				}
			}
		})
	}
}

func TestSourceOfALinkedWorktree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	main := filepath.Join(top, "ledger", ".git")
	write(t, filepath.Join(main, "config"), remote("https://github.com/acme/ledger"))
	write(t, filepath.Join(main, "HEAD"), onMain)
	write(t, filepath.Join(main, "worktrees", "fix", "HEAD"), "ref: refs/heads/fix\n")
	write(t, filepath.Join(main, "worktrees", "fix", "commondir"), "../..\n")
	write(t, filepath.Join(top, "fix", ".git"), "gitdir: "+filepath.Join(main, "worktrees", "fix")+"\n")
	want := ask.Source{Title: "acme/ledger, fix", URL: "https://github.com/acme/ledger/tree/fix"}
	if got := checkout.Source(filepath.Join(top, "fix")); got != want {
		t.Errorf("Source = %+v, want %+v", got, want)
	}
}

// The agent can write below its folder, so what is read there must not block or grow.
func TestSourceReadsRegularFilesOnly(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	write(t, filepath.Join(top, ".git", "HEAD"), onMain)
	write(t, filepath.Join(top, ".git", "config"), strings.Repeat("#", 1<<20)+"\n"+remote("https://github.com/acme/ledger"))
	if got := checkout.Source(top); got != (ask.Source{}) {
		t.Errorf("read a large file: %+v", got)
	}
	pipe := t.TempDir()
	write(t, filepath.Join(pipe, ".git", "HEAD"), onMain)
	if err := syscall.Mkfifo(filepath.Join(pipe, ".git", "config"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := checkout.Source(pipe); got != (ask.Source{}) {
		t.Errorf("read a pipe: %+v", got)
	}
	if got := checkout.Source("relative"); got != (ask.Source{}) {
		t.Errorf("read a relative path: %+v", got)
	}
}
