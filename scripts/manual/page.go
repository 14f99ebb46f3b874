package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// page is the manual page of one command.
type page struct {
	// words is the command below askbridge, such as "config check".
	words []string
	// short is the one-line description.
	short string
	help  help
}

// help is the parsed help text of a command.
type help struct {
	about    string
	sections []section
	commands []command
}

type section struct{ title, text string }

type command struct{ name, short string }

// walk returns the pages of a command and all its subcommands, except cobra's own: help and completion.
func walk(say func(args ...string) (string, error), words []string, short string) ([]page, error) {
	text, err := say(append(slices.Clone(words), "--help")...)
	if err != nil {
		return nil, err
	}
	p := page{words: words, short: short, help: parse(text)}
	pages := []page{p}
	for _, c := range p.help.commands {
		if c.name == "help" || c.name == "completion" {
			continue
		}
		below, err := walk(say, append(slices.Clone(words), c.name), c.short)
		if err != nil {
			return nil, err
		}
		pages = append(pages, below...)
	}
	return pages, nil
}

// parse splits a help text into the description before the usage and one section for each line that ends with a
// colon and is followed by indented lines. A section under another title than those of headings lists subcommands:
// cobra's "Available Commands", or a group of the program's own.
func parse(text string) help {
	var h help
	var about, body []string
	title := ""
	end := func() {
		if title != "" {
			h.sections = append(h.sections, section{title, strings.Trim(strings.Join(body, "\n"), "\n")})
		}
		body = nil
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		name, colon := strings.CutSuffix(line, ":")
		indented := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ")
		switch {
		case colon && !strings.HasPrefix(line, " ") && indented && (title != "" || name == "Usage"):
			end()
			title = name
		case strings.HasPrefix(line, `Use "askbridge`):
		case title == "":
			about = append(about, line)
		default:
			body = append(body, line)
		}
	}
	end()
	h.about = strings.TrimSpace(strings.Join(about, "\n"))
	for _, s := range h.sections {
		if _, other := headings[s.title]; other {
			continue
		}
		for line := range strings.SplitSeq(s.text, "\n") {
			if name, short, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				h.commands = append(h.commands, command{name, strings.TrimSpace(short)})
			}
		}
	}
	return h
}

// name returns the name of the page, such as askbridge-config-check.
func (p page) name() string { return strings.Join(append([]string{"askbridge"}, p.words...), "-") }

// roff formats the page with the man macros of troff; see man(7).
func (p page) roff(all []page, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s\n.SH NAME\n%s \\- %s\n", strings.ToUpper(p.name()), date, p.name(), escape(p.short))
	for _, s := range p.help.sections {
		if s.title == "Usage" {
			verbatim(&b, "SYNOPSIS", s.text)
		}
	}
	verbatim(&b, "DESCRIPTION", p.help.about)
	for _, s := range p.help.sections {
		if s.title != "Usage" {
			verbatim(&b, cmp.Or(headings[s.title], strings.ToUpper(s.title)), s.text)
		}
	}
	if related := p.related(all); len(related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(related, ",\n"))
	}
	return b.String()
}

// headings maps the sections of a help text that list no commands to the usual headings of manual pages.
var headings = map[string]string{"Usage": "SYNOPSIS", "Examples": "EXAMPLES", "Flags": "OPTIONS", "Global Flags": "COMMON OPTIONS"}

// related returns the pages of the parent command and of the direct subcommands.
func (p page) related(all []page) []string {
	var names []string
	for _, o := range all {
		short, long := p.words, o.words
		if len(short) > len(long) {
			short, long = long, short
		}
		if len(long) == len(short)+1 && slices.Equal(long[:len(short)], short) {
			names = append(names, ".BR "+o.name()+" (1)")
		}
	}
	return names
}

// verbatim writes a section with its line breaks.
func verbatim(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, ".SH %s\n.nf\n", title)
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(escape(line) + "\n")
	}
	b.WriteString(".fi\n")
}

// escape escapes what troff would interpret in a line.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
