// Command repocheck checks what compilers and linters do not: broken links in Markdown, source files and
// documents that are too long, the first code block of the README, and commit subjects.
//
//	go run ./scripts/repocheck [links] [size] [words] [readme] [commits]
//	go run ./scripts/repocheck subject TEXT
package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// checks in the order they run; each returns one line per problem.
var checks = []struct {
	name string
	run  func(fsys fs.FS, files []string) []string
}{
	{"links", brokenLinks},
	{"size", tooLong},
	{"words", tooWordy},
	{"readme", readmeStart},
	{"commits", badSubjects},
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "subject" {
		if p := subjectProblem(os.Args[2]); p != "" {
			fmt.Fprintln(os.Stderr, p)
			os.Exit(1)
		}
		return
	}
	files, err := tracked(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "repocheck:", err)
		os.Exit(2)
	}
	var problems []string
	for _, c := range checks {
		if len(os.Args) == 1 || slices.Contains(os.Args[1:], c.name) {
			problems = append(problems, c.run(os.DirFS("."), files)...)
		}
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// tracked lists the files git knows and the new ones it does not ignore.
func tracked(ctx context.Context) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if _, err := os.Stat(name); name != "" && err == nil {
			files = append(files, name)
		}
	}
	return files, nil
}
