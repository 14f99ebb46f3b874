package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxLines is the longest that a source file may be.
const maxLines = 500

var sourceKinds = []string{".go", ".js", ".mjs", ".ts", ".py", ".css", ".html", ".lua", ".sh"}

// tooLong names source files over maxLines. Test data and generated files have no
// limit.
func tooLong(fsys fs.FS, files []string) []string {
	var problems []string
	for _, name := range files {
		if !slices.Contains(sourceKinds, path.Ext(name)) || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		text := string(data)
		if n := strings.Count(text, "\n"); n > maxLines && !generated(text) {
			problems = append(problems, fmt.Sprintf("%s: %d lines, limit %d: split it by responsibility", name, n, maxLines))
		}
	}
	return problems
}

func generated(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.Contains(first, "Code generated") && strings.Contains(first, "DO NOT EDIT")
}

// tryIt is the command that demonstrates the product after a clone.
const tryIt = "go run ./cmd/askbridge sim"

// readmeStart requires the first code block of the README to be two commands: try
// it, test it.
func readmeStart(fsys fs.FS, _ []string) []string {
	data, err := fs.ReadFile(fsys, "README.md")
	if err != nil {
		return []string{err.Error()}
	}
	before, rest, _ := strings.Cut(string(data), "\n```")
	block, _, _ := strings.Cut(rest, "\n```")
	_, block, _ = strings.Cut(block, "\n") // The language after the fence.
	var commands []string
	for line := range strings.Lines(block) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			commands = append(commands, strings.TrimPrefix(line, "$ "))
		}
	}
	var problems []string
	if strings.Contains(before, "\n## ") {
		problems = append(problems, "README.md: the first code block must precede the first heading")
	}
	if len(commands) != 2 || !strings.HasPrefix(commands[0], tryIt) || !strings.HasPrefix(commands[1], "make test") {
		problems = append(problems, fmt.Sprintf("README.md: the first code block must be two commands, %q and \"make test\"; it is %q", tryIt, commands))
	}
	return problems
}

// Limits of words, without code blocks. Decisions, which are records, have none.
const (
	maxReadmeWords = 900
	maxWords       = 50_000
)

// tooWordy reports documents that are too long to read.
func tooWordy(fsys fs.FS, files []string) []string {
	var problems []string
	total := 0
	for _, name := range files {
		if path.Ext(name) != ".md" || strings.HasPrefix(name, "docs/decisions/") {
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		n := 0
		for _, line := range proseLines(string(data)) {
			for word := range strings.FieldsSeq(line) {
				if strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsFunc(word, unicode.IsDigit) {
					n++
				}
			}
		}
		if total += n; name == "README.md" && n > maxReadmeWords {
			problems = append(problems, fmt.Sprintf("README.md: %d words, limit %d", n, maxReadmeWords))
		}
	}
	if total > maxWords {
		problems = append(problems, fmt.Sprintf("the documents have %d words, limit %d: shorten a page", total, maxWords))
	}
	return problems
}

var (
	inlineLink    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	referenceLink = regexp.MustCompile(`^\[[^\]]+\]:\s+(\S+)`)
	htmlLink      = regexp.MustCompile(`(?:src|href|srcset)="([^"]+)"`)
	inlineCode    = regexp.MustCompile("`[^`]*`")
)

// brokenLinks names links in Markdown to files or headings that do not exist. It
// does not check other sites, whose outages must not fail our tests.
func brokenLinks(fsys fs.FS, files []string) []string {
	var problems []string
	for _, name := range files {
		if path.Ext(name) != ".md" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		for i, line := range proseLines(string(data)) {
			line = inlineCode.ReplaceAllString(line, "``")
			for _, re := range []*regexp.Regexp{inlineLink, referenceLink, htmlLink} {
				for _, m := range re.FindAllStringSubmatch(line, -1) {
					if problem := follow(fsys, name, m[1]); problem != "" {
						problems = append(problems, fmt.Sprintf("%s:%d: %s", name, i+1, problem))
					}
				}
			}
		}
	}
	return problems
}

func follow(fsys fs.FS, from, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return fmt.Sprintf("%s is not a link: %v", target, err)
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
		if strings.HasPrefix(u.Path, "/") {
			to = strings.TrimPrefix(path.Clean(u.Path), "/")
		}
	}
	if to == "" {
		to = "."
	}
	if !fs.ValidPath(to) {
		return fmt.Sprintf("%s leads out of the repository", target)
	}
	if _, err := fs.Stat(fsys, to); err != nil {
		return fmt.Sprintf("%s does not exist", target)
	}
	if u.Fragment == "" || path.Ext(to) != ".md" {
		return ""
	}
	data, err := fs.ReadFile(fsys, to)
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(anchors(string(data)), u.Fragment) {
		return fmt.Sprintf("%s: no heading of %s makes #%s", target, to, u.Fragment)
	}
	return ""
}

// proseLines returns the lines of a document, with empty strings for code blocks.
func proseLines(text string) []string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			lines[i] = ""
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
			lines[i] = ""
		}
	}
	return lines
}

// anchors returns the fragment of every heading like GitHub: lower case, blanks
// become hyphens, other punctuation is dropped, and duplicates are numbered.
func anchors(text string) []string {
	var all []string
	seen := map[string]int{}
	for _, line := range proseLines(text) {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		n := seen[slug]
		seen[slug]++
		if n > 0 {
			slug = fmt.Sprintf("%s-%d", slug, n)
		}
		all = append(all, slug)
	}
	return all
}
