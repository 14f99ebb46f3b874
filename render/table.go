package render

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
)

// tableWidth is the widest aligned table, in columns: what a phone shows of a code block without wrapping.
const tableWidth = 38

var delimiterForm = regexp.MustCompile(`^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$`)

// table returns the number of lines of a pipe table that begins with the first of some lines, zero for none, and
// the table as aligned text. A table that is too wide for a phone has a line for each cell instead, after the
// name of its column. Marks in cells are removed, and nothing in them is live. The text is empty if the table
// must stay as written: if a row has more cells than there are columns, or the text would become much longer.
// https://github.github.com/gfm/#tables-extension-
func table(lines []string) (n int, text string) {
	if len(lines) < 2 || !strings.Contains(lines[0], "|") || strings.ContainsAny(lines[0][:1], "-+@>") ||
		!strings.Contains(lines[1], "|") || !delimiterForm.MatchString(lines[1]) {
		return 0, ""
	}
	rows := [][]string{cells(lines[0])}
	columns := cells(lines[1])
	if len(rows[0]) != len(columns) {
		return 0, ""
	}
	size, whole := len(lines[0])+len(lines[1]), true
	for n = 2; n < len(lines) && strings.Contains(lines[n], "|"); n++ {
		row := cells(lines[n])
		whole = whole && len(row) <= len(columns)
		rows = append(rows, append(row, make([]string, max(0, len(columns)-len(row)))...))
		size += len(lines[n])
	}
	if !whole {
		return n, ""
	}
	if text = aligned(rows, columns); text == "" {
		text = records(rows)
	}
	if strings.TrimSpace(text) == "" || len(text) > 4*size+1000 {
		return n, ""
	}
	return n, text
}

// cells returns the cells of a row without their marks.
func cells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var all []string
	var cell strings.Builder
	end := func() {
		var shown strings.Builder
		p := parsed{rich: true}
		p.line(strings.TrimSpace(cell.String()))
		for _, s := range p.all() {
			shown.WriteString(s.Text)
		}
		all = append(all, shown.String())
		cell.Reset()
	}
	for at := 0; at < len(line); at++ {
		switch {
		case strings.HasPrefix(line[at:], `\|`):
			at++
			cell.WriteByte('|')
		case line[at] == '|':
			end()
		default:
			cell.WriteByte(line[at])
		}
	}
	if strings.TrimSpace(cell.String()) != "" || len(all) == 0 {
		end()
	}
	return all
}

// aligned returns rows with aligned columns; empty if they are wider than tableWidth. delimiters are the cells
// of the second line, whose colons set the alignment.
func aligned(rows [][]string, delimiters []string) string {
	const gap = 2
	widths, total := make([]int, len(delimiters)), -gap
	for k := range widths {
		for _, row := range rows {
			widths[k] = max(widths[k], uniseg.StringWidth(row[k]))
		}
		total += widths[k] + gap
	}
	if total > tableWidth {
		return ""
	}
	var b strings.Builder
	line := func(cell func(k int) string) {
		var l strings.Builder
		for k, width := range widths {
			text := cell(k)
			left, right := 0, width-uniseg.StringWidth(text)
			switch d := delimiters[k]; {
			case strings.HasPrefix(d, ":") && strings.HasSuffix(d, ":"):
				left = right / 2
			case strings.HasSuffix(d, ":"):
				left = right
			}
			if k > 0 {
				left += gap
			}
			l.WriteString(strings.Repeat(" ", left) + text)
			if k > 0 {
				left -= gap
			}
			l.WriteString(strings.Repeat(" ", right-left))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	for n, row := range rows {
		line(func(k int) string { return row[k] })
		if n == 0 {
			line(func(k int) string { return strings.Repeat("-", widths[k]) })
		}
	}
	return strings.Trim(b.String(), "\n")
}

// records returns each row as lines of a column's name and a cell, with an empty line between rows.
func records(rows [][]string) string {
	if len(rows) == 1 {
		return strings.Join(rows[0], "\n")
	}
	var all []string
	for _, row := range rows[1:] {
		var lines []string
		for k, cell := range row {
			switch name := rows[0][k]; {
			case cell != "" && name != "":
				lines = append(lines, name+": "+cell)
			case cell != "":
				lines = append(lines, cell)
			}
		}
		if len(lines) > 0 {
			all = append(all, strings.Join(lines, "\n"))
		}
	}
	return strings.Join(all, "\n\n")
}
