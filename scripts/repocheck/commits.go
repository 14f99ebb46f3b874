package main

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The rule for commit subjects holds for commits since this time. Merges are exempt.
const subjectsSince = "2026-11-28T07:00:00Z"

// maxSubject is how many characters of a subject git and GitHub show without cutting.
const maxSubject = 72

// area matches the start of a subject: the packages or files that change, then what the commit does.
var area = regexp.MustCompile(`^[a-z0-9.,/_*{}-]+: \S`)

// badSubjects names commits whose subject is not "area: imperative summary".
func badSubjects(fs.FS, []string) []string {
	out, err := exec.CommandContext(context.Background(), "git", "log", "--no-merges", "--since="+subjectsSince, "--format=%h %s").Output()
	if err != nil {
		return []string{fmt.Sprintf("git log: %v", err)}
	}
	var problems []string
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if p := subjectProblem(subject); p != "" {
			problems = append(problems, fmt.Sprintf("commit %s: %s", hash, p))
		}
	}
	return problems
}

// subjectProblem returns what is wrong with the subject of a commit, or "".
func subjectProblem(subject string) string {
	switch n := utf8.RuneCountInString(subject); {
	case !area.MatchString(subject):
		return fmt.Sprintf("%q does not begin with an area, as in \"slack: release the posting slot\"", subject)
	case n > maxSubject:
		return fmt.Sprintf("%q has %d characters, limit %d: move the reason into the body", subject, n, maxSubject)
	}
	return ""
}
