// Package checkout finds the repository and the branch that a folder belongs to.
//
// It reads three small files below .git and never runs git, because the configuration of a
// repository can name programs that git would run.
package checkout

import (
	"bufio"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

const (
	// maxFile is the longest file that is read, in bytes.
	maxFile = 64 << 10
	// maxParents is how many folders are searched, from the given one up.
	maxParents = 32
)

// branchPages are the paths of a branch on hosts where it has a page of its own.
var branchPages = map[string]string{
	"github.com":    "/tree/",
	"gitlab.com":    "/-/tree/",
	"codeberg.org":  "/src/branch/",
	"bitbucket.org": "/src/",
}

// Source returns the page of the repository that a folder is in, with its branch. It returns the
// zero value if the folder is in no repository, or if its remote "origin" has no page.
func Source(folder string) ask.Source {
	git := find(folder)
	if git == "" {
		return ask.Source{}
	}
	common := git
	if shared := strings.TrimSpace(read(filepath.Join(git, "commondir"))); shared != "" {
		common = join(git, shared)
	}
	host, repository := page(origin(read(filepath.Join(common, "config"))))
	if repository == "" {
		return ask.Source{}
	}
	s := ask.Source{Title: repository, URL: "https://" + host + (&url.URL{Path: "/" + repository}).EscapedPath()}
	below, known := branchPages[host]
	whole := s
	if branch, ok := strings.CutPrefix(strings.TrimSpace(read(filepath.Join(git, "HEAD"))), "ref: refs/heads/"); ok && branch != "" {
		whole.Title += ", " + branch
		if known {
			whole.URL += (&url.URL{Path: below + branch}).EscapedPath()
		}
	}
	for _, s := range []ask.Source{whole, s} {
		if len(ask.CheckSource("source", s)) == 0 {
			return s
		}
	}
	return ask.Source{}
}

// find returns the folder with the data of the repository that a folder is in, or "". In a linked
// worktree, .git is a file that names it.
// https://git-scm.com/docs/gitrepository-layout
func find(folder string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	for range maxParents {
		git := filepath.Join(folder, ".git")
		switch info, err := os.Lstat(git); {
		case err != nil:
		case info.IsDir():
			return git
		default:
			if linked, ok := strings.CutPrefix(strings.TrimSpace(read(git)), "gitdir: "); ok {
				return join(folder, linked)
			}
			return ""
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
	return ""
}

// join returns a path that may be relative to a folder.
func join(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// read returns the text of a regular file, or "" if it cannot be read or is too long.
func read(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return ""
	}
	return string(data)
}

// origin returns the address of the remote "origin" in a configuration.
// https://git-scm.com/docs/git-config#_syntax
func origin(config string) (address string) {
	inside := false
	for lines := bufio.NewScanner(strings.NewReader(config)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = line == `[remote "origin"]`
			continue
		}
		if name, value, ok := strings.Cut(line, "="); ok && inside && strings.TrimSpace(name) == "url" {
			address = strings.TrimSpace(value)
		}
	}
	return address
}

// short matches the short form of an SSH address, as in git@github.com:acme/ledger.git.
var short = regexp.MustCompile(`^(?:[\w.-]+@)?([\w.-]+):([^/:][^:]*)$`)

// page returns the host and the path of a repository's page. Credentials in the address are dropped,
// and so is the port of SSH. A host without a dot is an alias that only this machine knows.
func page(address string) (host, repository string) {
	if m := short.FindStringSubmatch(address); m != nil {
		host, repository = m[1], m[2]
	} else if u, err := url.Parse(address); err == nil {
		switch u.Scheme {
		case "https":
			host, repository = u.Host, u.Path
		case "ssh":
			host, repository = u.Hostname(), u.Path
		}
	}
	host = strings.ToLower(host)
	if repository = strings.TrimSuffix(strings.Trim(repository, "/"), ".git"); !strings.Contains(host, ".") {
		return "", ""
	}
	return host, repository
}
